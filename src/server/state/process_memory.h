// The memory of this process as the kernel reports it.
#pragma once

#include <cstddef>

namespace laurel::server {

[[nodiscard]] std::size_t ResidentBytes();
// The largest resident memory so far.
[[nodiscard]] std::size_t PeakResidentBytes();

}  // namespace laurel::server
