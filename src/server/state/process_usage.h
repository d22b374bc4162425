// The memory and the CPU time of this process as the kernel reports them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::server {

[[nodiscard]] std::size_t ResidentBytes();
// The largest resident memory so far.
[[nodiscard]] std::size_t PeakResidentBytes();
// The CPU time of all threads since the start, user and system.
[[nodiscard]] std::int64_t CpuMicros();

}  // namespace laurel::server
