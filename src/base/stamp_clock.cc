#include "laurel/stamp_clock.h"

#include <algorithm>
#include <chrono>

namespace laurel {

Stamp StampClock::Take(Stamp now, std::uint64_t count) {
  const Stamp first = std::max(now, last_ + 1);
  last_ = first + static_cast<Stamp>(count) - 1;
  return first;
}

Stamp SystemNow() {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  return duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace laurel
