// Where the memory of boards comes from.
//
// The structures of core allocate through std::pmr::memory_resource, so that a host (a server, or
// later a Redis module) can supply and account for the bytes of its boards. A resource must not
// fail: structures are not made to survive an allocation that throws. SystemMemory() is the
// resource of a process that has no such wish: malloc for ordinary blocks and, for large aligned
// ones, pages that the kernel is asked to back with 2 MiB pages, since random access to a large
// board would miss the TLB as often as the cache otherwise (a random cache line of 60 MiB: 180 ns
// instead of 224).
#pragma once

#include <cstddef>
#include <memory_resource>

namespace laurel::base {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// Never destroyed, usable from any thread.
std::pmr::memory_resource* SystemMemory();

// Passes everything on and counts the bytes in use, for hosts and tests that want to know.
// Not synchronised.
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
