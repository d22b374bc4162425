// Time behind a seam: the system's clock, or one that a test moves by hand.
#pragma once

#include <chrono>
#include <cstdint>

#include "laurel/score.h"
#include "laurel/stamp_clock.h"

namespace laurel::base {

class Clock {
 public:
  virtual ~Clock() = default;
  // Microseconds since the epoch. From any thread.
  [[nodiscard]] virtual Stamp Now() const = 0;
};

class SystemClock : public Clock {
 public:
  explicit SystemClock(std::int64_t offset_us = 0) : offset_us_(offset_us) {}
  [[nodiscard]] Stamp Now() const override { return SystemNow() + offset_us_; }

 private:
  const std::int64_t offset_us_;
};

// For measuring how long something takes: never goes back.
inline std::int64_t MonotonicMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace laurel::base
