// Decides when to log that stamps are far ahead of the system clock, and when they no longer are.
//
// Stamps never go back. So if the clock was ahead and is corrected, new stamps lie in the future
// until the clock has caught up. The order of entries stays right, but stamps are wrong as times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
  std::optional<Line> Check(std::int64_t lead_us, std::int64_t monotonic_us);

 private:
  bool leads_ = false;
  std::int64_t warned_us_ = 0;
};

}  // namespace laurel::engine
