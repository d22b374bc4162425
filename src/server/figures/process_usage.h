// The memory and CPU time of this process as reported by the kernel, and control of the memory that
// malloc keeps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::server {

[[nodiscard]] std::size_t ResidentBytes();
// Returns the largest resident memory so far.
[[nodiscard]] std::size_t PeakResidentBytes();
// Returns the CPU time of all threads since the start, user and system.
[[nodiscard]] std::int64_t CpuMicros();

// Makes malloc map large blocks separately, so that a freed block returns to the kernel at once. By
// default malloc soon takes blocks of many MiB from its heaps, where one small block in use keeps
// the freed memory below it. Must be called at the start, before threads exist.
void MapLargeBlocks();
// Returns the free memory of malloc's heaps to the kernel. Takes about a tenth of a second per GiB,
// and threads that allocate may have to wait.
void ReturnFreeMemory();

}  // namespace laurel::server
