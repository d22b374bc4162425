#include "laurel/stamp_clock.h"

#include <algorithm>
#include <ctime>

#include "base/assert.h"

namespace laurel {

Stamp StampClock::Take(Stamp now, std::uint64_t count) {
  LAUREL_ASSERT(count > 0);
  const Stamp first = std::max(now, last_ + 1);
  last_ = first + static_cast<Stamp>(count) - 1;
  return first;
}

Stamp SystemNow() {
  // std::chrono's clock counts nanoseconds and wraps in 2262.
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  constexpr std::int64_t kMostSeconds = 1'000'000'000'000;  // leaves room to add an offset
  const std::int64_t seconds = std::clamp<std::int64_t>(now.tv_sec, -kMostSeconds, kMostSeconds);
  return seconds * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace laurel
