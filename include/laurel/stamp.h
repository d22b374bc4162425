// Stamp: a point in time.
#pragma once

#include <cstdint>

namespace laurel {

// Microseconds since the epoch.
using Stamp = std::int64_t;

}  // namespace laurel
