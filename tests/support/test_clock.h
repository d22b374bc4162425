// A clock that stands still until a test sets it.
#pragma once

#include <atomic>

#include "base/clock.h"

namespace laurel::testing {

class TestClock : public base::Clock {
 public:
  static constexpr Stamp kStart = 1'700'000'000'000'000;  // 2023-11-14T22:13:20Z

  explicit TestClock(Stamp now = kStart) : now_(now) {}
  [[nodiscard]] Stamp Now() const override { return now_; }
  void Set(Stamp now) { now_ = now; }
  void Move(Stamp micros) { now_ += micros; }

 private:
  std::atomic<Stamp> now_;
};

}  // namespace laurel::testing
