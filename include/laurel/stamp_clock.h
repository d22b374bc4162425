// The clock of stamps.
#pragma once

#include <cstdint>

#include "laurel/score.h"

namespace laurel {

// Hands out stamps that never repeat and never go back, whatever the system clock does: each is
// max(now, last + 1) µs. First-to-arrive is therefore exact at any rate of writes. Not
// synchronised.
class StampClock {
 public:
  StampClock() = default;
  // Goes on after `last`: what a restart hands in so that stamps rise across it.
  explicit StampClock(Stamp last) : last_(last) {}

  // `count` consecutive stamps, one per write of a command; the moment holds the first of them.
  // REQUIRES: count > 0.
  Stamp Take(Stamp now, std::uint64_t count = 1);

  [[nodiscard]] Stamp last() const { return last_; }
  // How far the stamps run ahead of the system clock: high rates or a clock that stepped back.
  [[nodiscard]] std::int64_t Lead(Stamp now) const { return last_ > now ? last_ - now : 0; }

 private:
  Stamp last_ = 0;
};

// Microseconds since the epoch by the system's clock.
Stamp SystemNow();

}  // namespace laurel
