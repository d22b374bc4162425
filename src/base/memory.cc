#include "base/memory.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>

namespace laurel::base {
namespace {

// Sizes are rounded up for mmap and aligned_alloc.
std::size_t RoundUp(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

char* Map(std::size_t bytes) {
  void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? nullptr : static_cast<char*>(block);
}

// Maps whole huge pages, or returns null. Consecutive mappings are usually adjacent, so a plain
// mapping is usually aligned already.
//
// Rejected: aligned_alloc. The advice to use huge pages belongs to the addresses and outlives
// free(). malloc then places small blocks there, and its own 16 bytes before each aligned block,
// and each of them takes 2 MiB from the kernel: 80 resident bytes per entry instead of 55 in a
// process that had freed large boards. malloc also leaves 2 MiB between two such blocks.
char* MapAligned(std::size_t bytes, std::size_t alignment) {
  char* block = Map(bytes);
  if (block == nullptr) return nullptr;
  if (reinterpret_cast<std::uintptr_t>(block) % alignment == 0) return block;
  munmap(block, bytes);
  block = Map(bytes + alignment);
  if (block == nullptr) return nullptr;
  const std::size_t before =
      (alignment - reinterpret_cast<std::uintptr_t>(block) % alignment) % alignment;
  if (before > 0) munmap(block, before);
  munmap(block + before + bytes, alignment - before);
  return block + before;
}

class System : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* block = nullptr;
    if (alignment >= kHugePageBytes) {
      block = MapAligned(RoundUp(bytes, alignment), alignment);
      // The result does not matter: without huge pages access is only slower.
      if (block != nullptr) madvise(block, bytes, MADV_HUGEPAGE);
    } else if (alignment > alignof(std::max_align_t)) {
      block = std::aligned_alloc(alignment, RoundUp(bytes, alignment));
    } else {
      block = std::malloc(bytes);
    }
    if (block == nullptr) {
      std::fprintf(stderr, "laurel: out of memory: %zu bytes were not to be had\n", bytes);
      std::abort();
    }
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    if (alignment >= kHugePageBytes) {
      munmap(block, RoundUp(bytes, alignment));
    } else {
      std::free(block);
    }
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace

std::pmr::memory_resource* SystemMemory() {
  static System system;
  return &system;
}

}  // namespace laurel::base
