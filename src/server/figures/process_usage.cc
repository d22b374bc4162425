#include "server/figures/process_usage.h"

#include <fstream>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace laurel::server {
namespace {

// Smaller buffers are often reused, so they stay in the heaps. Malloc also keeps this much free
// memory at the end of its main heap.
constexpr int kMappedBytes = 256 << 10;
constexpr int kKeptAtEndBytes = 8 << 20;

}  // namespace

std::size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t PeakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::int64_t CpuMicros() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto micros = [](const timeval& time) {
    return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
  };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

void MapLargeBlocks() {
  mallopt(M_MMAP_THRESHOLD, kMappedBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptAtEndBytes);
}

void ReturnFreeMemory() { malloc_trim(0); }

}  // namespace laurel::server
