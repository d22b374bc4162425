// Counts the bytes in the buffers of all connections, bounded by --max-buffers. Methods may be
// called from any thread.
#pragma once

#include <atomic>
#include <cstddef>

namespace laurel::server {

class BufferBudget {
 public:
  explicit BufferBudget(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Adds a change of the buffers' size. False if they grew and now exceed the bound.
  bool Add(std::ptrdiff_t change) {
    const auto delta = static_cast<std::size_t>(change);
    const std::size_t bytes = bytes_.fetch_add(delta, std::memory_order_relaxed) + delta;
    return change <= 0 || bytes <= max_bytes_;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  const std::size_t max_bytes_;
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace laurel::server
