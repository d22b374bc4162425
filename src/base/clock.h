// Clock: an interface to the time, so that tests can replace the system clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/stamp_clock.h"

namespace laurel::base {

class Clock {
 public:
  virtual ~Clock() = default;
  // Microseconds since the epoch. Thread-safe.
  [[nodiscard]] virtual Stamp Now() const = 0;
};

// The latest time that a clock may show, 2262-04-11, because timers and the log count nanoseconds
// in 64 bits.
inline constexpr Stamp kMaxClock = INT64_MAX / 1000;

// ERR if a server cannot start at this time: before 1970 or after kMaxClock.
[[nodiscard]] Status CheckClock(Stamp now);

class SystemClock : public Clock {
 public:
  explicit SystemClock(std::int64_t offset_us = 0) : offset_us_(offset_us) {}
  [[nodiscard]] Stamp Now() const override { return std::min(SystemNow(), kMaxClock) + offset_us_; }

 private:
  const std::int64_t offset_us_;
};

// For measuring durations: never goes back.
inline std::int64_t MonotonicMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace laurel::base
