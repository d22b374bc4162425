// StampClock: unique, increasing stamps for writes.
#pragma once

#include <cstdint>

#include "laurel/score.h"

namespace laurel {

// Hands out stamps that never repeat and never decrease, even if the system clock steps back: each
// is max(now, last + 1) µs. The order of arrival is therefore exact at any rate of writes. Not
// thread-safe.
class StampClock {
 public:
  StampClock() = default;
  // Continues after `last`. Pass the last stamp before a restart, so that stamps keep rising.
  explicit StampClock(Stamp last) : last_(last) {}

  // Takes `count` consecutive stamps, one per write of a call, and returns the first (for
  // Moment::stamp). REQUIRES: count > 0.
  Stamp Take(Stamp now, std::uint64_t count = 1);

  [[nodiscard]] Stamp last() const { return last_; }
  // Returns how far the stamps are ahead of the system clock, after a high rate of writes or a step
  // back of the clock; 0 if they are not.
  [[nodiscard]] std::int64_t Lead(Stamp now) const { return last_ > now ? last_ - now : 0; }

 private:
  Stamp last_ = 0;
};

// The system clock, in microseconds since the epoch.
Stamp SystemNow();

}  // namespace laurel
