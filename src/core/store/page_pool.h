// Pages of 64 KiB for slabs.
//
// The first kLoosePages pages are allocated one by one, so that a board of a few hundred entries
// does not hold megabytes. Further pages come from extents of one huge page each, 2 MiB. A freed
// page returns to its extent. An empty extent returns to the memory resource only if an extent's
// worth of other pages stays free, or if no page is in use at all: otherwise a board at the limit
// could allocate and free an extent with every write.
//
// A *direct* pool takes every page from the memory resource and keeps no state. A Redis module
// needs that: another thread frees boards there, a fork would copy 2 MiB at a time of a huge page,
// and the server's allocator has no aligned allocation, so that an extent would cost twice its
// size.
//
// Threads: one owner at a time, as everything in core. Any number of threads may use a direct pool
// whose memory resource is thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/memory.h"

namespace laurel::core {

inline constexpr std::size_t kPageBytes = std::size_t{64} << 10;
inline constexpr std::size_t kExtentBytes = base::kHugePageBytes;
inline constexpr std::size_t kPagesPerExtent = kExtentBytes / kPageBytes;
static_assert(kPagesPerExtent == 32, "an extent's free pages are one 32-bit mask");

class PagePool {
 public:
  explicit PagePool(std::pmr::memory_resource* memory, bool direct = false)
      : memory_(memory), direct_(direct), extents_(memory) {}
  ~PagePool();  // REQUIRES: all pages were freed
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  [[nodiscard]] char* Allocate();
  void Free(char* page);

  // For smaller blocks, which callers take directly from the memory resource.
  [[nodiscard]] std::pmr::memory_resource* memory() const { return memory_; }

 private:
  void ReleaseEmptyExtents(std::size_t keep_spare);

  static constexpr std::size_t kLoosePages = 32;  // 2 MiB

  struct Extent {
    char* base = nullptr;
    std::uint32_t free = 0;  // bit i: page i is free
  };

  std::pmr::memory_resource* memory_;
  const bool direct_;
  std::pmr::vector<Extent> extents_;  // sorted by address
  std::size_t loose_ = 0;             // pages in use that belong to no extent
  std::size_t spare_ = 0;             // free pages in all extents
  std::size_t used_ = 0;              // all pages in use
};

}  // namespace laurel::core
