// StampClock: unique, rising stamps for writes.
#pragma once

#include <cstdint>

#include "laurel/score.h"

namespace laurel {

// Hands out stamps that never repeat and never go back, whatever the system clock does: each is
// max(now, last + 1) µs. The order of arrival is therefore exact at any rate of writes. Not
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
  // How far the stamps are ahead of the system clock, after a high rate of writes or because the
  // clock stepped back; 0 if they are not.
  [[nodiscard]] std::int64_t Lead(Stamp now) const { return last_ > now ? last_ - now : 0; }

 private:
  Stamp last_ = 0;
};

// The system clock, in microseconds since the epoch.
Stamp SystemNow();

}  // namespace laurel
