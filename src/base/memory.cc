#include "base/memory.h"

#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>

namespace laurel::base {
namespace {

class System : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* block = nullptr;
    if (alignment > alignof(std::max_align_t)) {  // aligned_alloc takes multiples only
      bytes = (bytes + alignment - 1) / alignment * alignment;
    }
    if (alignment >= kHugePageBytes) {
      block = std::aligned_alloc(alignment, bytes);
      // Advice only: without huge pages everything works, slower.
      if (block != nullptr) madvise(block, bytes, MADV_HUGEPAGE);
    } else if (alignment > alignof(std::max_align_t)) {
      block = std::aligned_alloc(alignment, bytes);
    } else {
      block = std::malloc(bytes);
    }
    if (block == nullptr) {
      std::fprintf(stderr, "laurel: out of memory: %zu bytes were not to be had\n", bytes);
      std::abort();
    }
    return block;
  }
  void do_deallocate(void* block, std::size_t, std::size_t) override { std::free(block); }
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
