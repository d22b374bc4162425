// Says when stamps have come to lead the system's clock by much, and when they do no longer.
//
// Stamps never go back, so a clock that was ahead and is set right leaves them in the future until
// it has caught up. That is harmless to the order and wrong for everybody who reads stamps as
// times.
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
    bool warns = false;  // or it is over
    std::string text;
  };
  // What to log now, if anything: when a lead of more than kMuchMicros begins, every kRepeatMicros
  // while it lasts, and when it ends. `monotonic_us` never goes back.
  std::optional<Line> Look(std::int64_t lead_us, std::int64_t monotonic_us);

 private:
  bool leads_ = false;
  std::int64_t warned_us_ = 0;
};

}  // namespace laurel::engine
