// Memory resources for boards.
//
// The structures of core allocate through std::pmr::memory_resource, so that a host (a server, or
// later a Redis module) can supply the memory of its boards and count its bytes. A resource must
// not fail: the structures do not survive an allocation that throws.
//
// SystemMemory() is the default. It uses malloc for ordinary blocks. Large aligned blocks are
// mapped, and the kernel is asked to back them with 2 MiB pages: otherwise random access to a large
// board would miss the TLB as often as the cache (a random cache line of 60 MiB: 180 ns instead of
// 224).
#pragma once

#include <cstddef>
#include <memory_resource>

#include "base/assert.h"

namespace laurel::base {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
static_assert((kHugePageBytes & (kHugePageBytes - 1)) == 0, "it is an alignment");

// Never destroyed. Thread-safe. Aborts when the system is out of memory.
std::pmr::memory_resource* SystemMemory();

// Forwards to another resource and counts the bytes in use. Not thread-safe.
class CountingMemory : public std::pmr::memory_resource {
 public:
  explicit CountingMemory(std::pmr::memory_resource* upstream) : upstream_(upstream) {}
  [[nodiscard]] std::size_t bytes_in_use() const { return bytes_in_use_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* block = upstream_->allocate(bytes, alignment);
    bytes_in_use_ += bytes;
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    LAUREL_ASSERT(bytes <= bytes_in_use_);
    upstream_->deallocate(block, bytes, alignment);
    bytes_in_use_ -= bytes;
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::pmr::memory_resource* upstream_;
  std::size_t bytes_in_use_ = 0;
};

}  // namespace laurel::base
