// The memory and the CPU time of this process as the kernel reports them; and what malloc keeps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::server {

[[nodiscard]] std::size_t ResidentBytes();
// The largest resident memory so far.
[[nodiscard]] std::size_t PeakResidentBytes();
// The CPU time of all threads since the start, user and system.
[[nodiscard]] std::int64_t CpuMicros();

// Makes malloc map large blocks one by one, so that a freed one goes back to the kernel at once.
// By default malloc soon takes blocks of many MiB from its heaps: one small block that is in use
// then keeps the freed memory before it. Call it at the start, before threads.
void MapLargeBlocks();
// Gives the free memory of malloc's heaps back to the kernel. Takes about a tenth of a second per
// GiB, and threads that allocate may wait for it.
void ReturnFreeMemory();

}  // namespace laurel::server
