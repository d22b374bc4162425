// Reporter: shows the progress of an import or export on standard error and its results on another
// stream, and says whether the user has stopped the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "transfer/report/load_progress.h"

namespace laurel::transfer {

// Rows between two calls of Reporter::Progress.
inline constexpr std::uint64_t kProgressRows = 1024;

// Used by one thread.
class Reporter {
 public:
  // `stop`: set by another thread or a signal.
  Reporter(std::ostream& out, std::ostream& err, const std::atomic<bool>& stop)
      : out_(out), err_(err), stop_(stop) {}

  // Begins a phase, such as "reading" or "writing". May be called again for the next phase.
  void Begin(std::string_view work, ProgressUnit unit) {
    End();
    bar_ = std::make_unique<LoadProgress>(err_, work, unit);
  }
  // May be called often. A total of 0 is unknown.
  void Progress(std::uint64_t done, std::uint64_t total) {
    if (bar_) bar_->Show({done, total});
  }
  // Calls Progress, and returns whether the work may go on.
  storage::ProgressCallback Callback() {
    return [this](const storage::Progress& at) {
      Progress(at.done_bytes, at.total_bytes);
      return !stop_.load();
    };
  }
  // Ends the phase.
  void End() { bar_.reset(); }
  // Prints a line of the report.
  void Say(const std::string& line) { out_ << line << "\n" << std::flush; }

  // ERR once the work is to stop.
  [[nodiscard]] Status CheckStopped() const {
    return stop_.load() ? Status(Error{ErrorCode::kErr, "stopped by a signal"}) : Status(Ok{});
  }

 private:
  std::ostream& out_;
  std::ostream& err_;
  const std::atomic<bool>& stop_;
  std::unique_ptr<LoadProgress> bar_;  // null: no work in progress
};

}  // namespace laurel::transfer
