// CLIENT PAUSE: until when requests are held back, and which. Every method may be called from any
// thread. Times are monotonic milliseconds.
#pragma once

#include <atomic>
#include <cstdint>

namespace laurel::server {

class Pause {
 public:
  // A pause on top of another one that still lasts makes it longer and stricter, never less.
  void Extend(std::int64_t until_ms, bool writes_only, std::int64_t now_ms);
  void End() { until_ms_ = 0; }

  // False if there is certainly no pause. Asked before each batch.
  [[nodiscard]] bool possible() const { return until_ms_.load(std::memory_order_relaxed) != 0; }
  // 0 or less: requests pass.
  [[nodiscard]] std::int64_t LeftMs(std::int64_t now_ms) const { return until_ms_ - now_ms; }
  // Requests that only read pass.
  [[nodiscard]] bool writes_only() const { return writes_only_; }

 private:
  std::atomic<std::int64_t> until_ms_{0};
  std::atomic<bool> writes_only_{false};
};

}  // namespace laurel::server
