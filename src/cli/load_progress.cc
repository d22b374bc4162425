#include "cli/load_progress.h"

#include <algorithm>
#include <string>

#include <unistd.h>

#include "base/clock.h"

namespace laurel::cli {
namespace {

constexpr std::int64_t kQuietUs = 300'000;
constexpr std::int64_t kBarPeriodUs = 100'000;
constexpr std::int64_t kLinePeriodUs = 2'000'000;
constexpr std::uint64_t kBarCells = 30;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

}  // namespace

LoadProgress::LoadProgress(std::ostream& out, std::string_view work)
    : out_(out),
      work_(work),
      terminal_(isatty(STDERR_FILENO) == 1),
      began_us_(base::MonotonicMicros()),
      shown_us_(began_us_) {}

void LoadProgress::Show(const storage::Progress& at) {
  const std::int64_t now_us = base::MonotonicMicros();
  if (now_us - began_us_ < kQuietUs) return;
  if (shown_ && now_us - shown_us_ < (terminal_ ? kBarPeriodUs : kLinePeriodUs)) return;
  shown_ = true;
  shown_us_ = now_us;
  const std::uint64_t total = std::max<std::uint64_t>(at.total_bytes, 1);
  const std::uint64_t done = std::min(at.done_bytes, total);
  const std::uint64_t rate =
      done * 1'000'000 / static_cast<std::uint64_t>(std::max<std::int64_t>(now_us - began_us_, 1));
  std::string line;
  if (terminal_) {
    const std::uint64_t cells = done * kBarCells / total;
    line = "\r[" + std::string(cells, '#') + std::string(kBarCells - cells, '.') + "] ";
  }
  line += std::string(work_) + ": " + std::to_string(done * 100 / total) + " %, " +
          std::to_string(done / kMiB) + " of " + std::to_string(total / kMiB) + " MiB, " +
          std::to_string(rate / kMiB) + " MiB/s";
  out_ << line << (terminal_ ? "  " : "\n") << std::flush;
}

storage::ProgressCallback LoadProgress::Callback() {
  return [this](const storage::Progress& at) {
    Show(at);
    return true;
  };
}

void LoadProgress::Finish() {
  if (shown_ && terminal_) out_ << "\r" << std::string(90, ' ') << "\r" << std::flush;
}

}  // namespace laurel::cli
