// CLIENT PAUSE: which requests are held back, and until when. Every method may be called from any
// thread. Times are monotonic milliseconds.
#pragma once

#include <atomic>
#include <cstdint>

namespace laurel::server {

class Pause {
 public:
  // Starts a pause. If one is in effect, makes it longer and stricter, never shorter or weaker.
  void Extend(std::int64_t until_ms, bool writes_only, std::int64_t now_ms);
  void End() { until_ms_ = 0; }

  // False if there is certainly no pause. Cheap: called before each batch.
  [[nodiscard]] bool possible() const { return until_ms_.load(std::memory_order_relaxed) != 0; }
  // The time left; 0 or less: requests pass.
  [[nodiscard]] std::int64_t LeftMs(std::int64_t now_ms) const { return until_ms_ - now_ms; }
  // Whether requests that only read pass.
  [[nodiscard]] bool writes_only() const { return writes_only_; }

 private:
  std::atomic<std::int64_t> until_ms_{0};
  std::atomic<bool> writes_only_{false};
};

}  // namespace laurel::server
