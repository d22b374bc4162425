// Shows the progress of long work: a bar on a terminal, otherwise a line every two seconds. Both
// show the rate and the estimated time left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "storage/recovery.h"

namespace laurel::transfer {

// The unit of storage::Progress.
enum class ProgressUnit : std::uint8_t { kBytes, kRows };

class LoadProgress {
 public:
  // `out` is standard error. It shows the bar if `out` is a terminal, otherwise lines. `work` names
  // the work.
  explicit LoadProgress(std::ostream& out, std::string_view work = "loading",
                        ProgressUnit unit = ProgressUnit::kBytes);
  // Erases the bar.
  ~LoadProgress() { Finish(); }
  LoadProgress(const LoadProgress&) = delete;
  LoadProgress& operator=(const LoadProgress&) = delete;

  // May be called often: prints at a bounded rate, and nothing in the first 0.3 s. A total of 0 is
  // unknown.
  void Show(const storage::Progress& at);
  // Calls Show and returns true. REQUIRES: not called after this object is destroyed.
  storage::ProgressCallback Callback();
  // Erases the bar before the end of this object, which must not be used further.
  void Finish();

 private:
  std::ostream& out_;
  std::string work_;
  ProgressUnit unit_;
  bool terminal_;
  bool shown_ = false;
  std::int64_t began_us_;
  std::int64_t shown_us_;
  std::size_t shown_width_ = 0;
};

// Returns the text of the progress after `elapsed_us`, without the bar: "loading: 50 %, 10 of 20
// MiB, 5 MiB/s, 2 s left".
std::string DescribeProgress(std::string_view work, ProgressUnit unit, const storage::Progress& at,
                             std::int64_t elapsed_us);

}  // namespace laurel::transfer
