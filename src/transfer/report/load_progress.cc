#include "transfer/report/load_progress.h"

#include <algorithm>
#include <cmath>

#include <unistd.h>

#include "base/clock.h"
#include "base/count_text.h"

namespace laurel::transfer {
namespace {

constexpr std::int64_t kQuietUs = 300'000;
constexpr std::int64_t kBarPeriodUs = 100'000;
constexpr std::int64_t kLinePeriodUs = 2'000'000;
constexpr std::size_t kBarCells = 30;
constexpr double kMaxSecondsLeft = 999'999;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

}  // namespace

std::string DescribeProgress(std::string_view work, ProgressUnit unit, const storage::Progress& at,
                             std::int64_t elapsed_us) {
  const bool bytes = unit == ProgressUnit::kBytes;
  const auto amount = [&](std::uint64_t number) {
    return base::Grouped(bytes ? number / kMiB : number);
  };
  const std::string_view name = bytes ? " MiB" : " rows";
  const bool has_total = at.total_bytes > 0;
  const std::uint64_t done = has_total ? std::min(at.done_bytes, at.total_bytes) : at.done_bytes;
  const double seconds = static_cast<double>(std::max<std::int64_t>(elapsed_us, 1)) / 1e6;
  const double rate = static_cast<double>(done) / seconds;
  std::string text = std::string(work) + ": ";
  if (has_total) {
    const auto percent = static_cast<double>(done) * 100 / static_cast<double>(at.total_bytes);
    text += std::to_string(static_cast<int>(percent)) + " %, ";
  }
  text += amount(done);
  if (has_total) text += " of " + amount(at.total_bytes);
  text += std::string(name) + ", " + amount(static_cast<std::uint64_t>(rate)) + std::string(name) +
          "/s";
  if (has_total && rate > 0) {
    const double left = std::ceil(static_cast<double>(at.total_bytes - done) / rate);
    text += ", " + base::Grouped(static_cast<std::uint64_t>(std::min(left, kMaxSecondsLeft))) +
            " s left";
  }
  return text;
}

LoadProgress::LoadProgress(std::ostream& out, std::string_view work, ProgressUnit unit)
    : out_(out),
      work_(work),
      unit_(unit),
      terminal_(isatty(STDERR_FILENO) == 1),
      began_us_(base::MonotonicMicros()),
      shown_us_(began_us_) {}

void LoadProgress::Show(const storage::Progress& at) {
  const std::int64_t now_us = base::MonotonicMicros();
  if (now_us - began_us_ < kQuietUs) return;
  if (shown_ && now_us - shown_us_ < (terminal_ ? kBarPeriodUs : kLinePeriodUs)) return;
  shown_ = true;
  shown_us_ = now_us;
  std::string line;
  if (terminal_) {
    line = "\r";
    if (at.total_bytes > 0) {
      const double share = static_cast<double>(at.done_bytes) / static_cast<double>(at.total_bytes);
      const auto cells = static_cast<std::size_t>(std::min(share, 1.0) * kBarCells);
      line += "[" + std::string(cells, '#') + std::string(kBarCells - cells, '.') + "] ";
    }
  }
  line += DescribeProgress(work_, unit_, at, now_us - began_us_);
  const std::size_t width = std::max(line.size(), shown_width_);
  if (terminal_) line.resize(width, ' ');
  shown_width_ = width;
  out_ << line << (terminal_ ? "" : "\n") << std::flush;
}

storage::ProgressCallback LoadProgress::Callback() {
  return [this](const storage::Progress& at) {
    Show(at);
    return true;
  };
}

void LoadProgress::Finish() {
  if (shown_ && terminal_) out_ << "\r" << std::string(shown_width_, ' ') << "\r" << std::flush;
  shown_ = false;
}

}  // namespace laurel::transfer
