// Decides when to log that stamps are far ahead of the system clock, and when they no longer are.
//
// Stamps never go back. So if the clock was ahead and is corrected, new stamps lie in the future
// until the clock has caught up. The order of entries stays right, but stamps are wrong as times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time_text.h"

namespace laurel::engine {

class LeadWatch {
 public:
  static constexpr std::int64_t kMuchMicros = 60LL * 1'000'000;
  // The warning ends when the lead falls to half, so that a lead that varies around the limit does
  // not fill the log.
  static constexpr std::int64_t kOverMicros = kMuchMicros / 2;
  static constexpr std::int64_t kRepeatMicros = 600LL * 1'000'000;

  struct Line {
    bool warns = false;  // true: a warning; false: the lead is over
    std::string text;
  };
  // Returns the line to log now, or none. There is a line when a lead of more than kMuchMicros
  // begins, every kRepeatMicros while it lasts, and when it ends. `monotonic_us`: the monotonic
  // clock.
  std::optional<Line> Check(std::int64_t lead_us, std::int64_t monotonic_us) {
    if (leads_ && lead_us <= kOverMicros) {
      leads_ = false;
      return Line{false, "the system clock has caught up with the stamps"};
    }
    if (lead_us <= kMuchMicros) return std::nullopt;
    if (leads_ && monotonic_us - warned_us_ < kRepeatMicros) return std::nullopt;
    leads_ = true;
    warned_us_ = monotonic_us;
    constexpr std::int64_t kSecond = 1'000'000;
    return Line{true,
                "stamps lead the system clock by " +
                    base::FormatDuration(lead_us / kSecond * kSecond) +
                    ": the clock was ahead before and was set back; new entries are stamped in "
                    "the future until it has caught up"};
  }

 private:
  bool leads_ = false;
  std::int64_t warned_us_ = 0;
};

}  // namespace laurel::engine
