// A mutual exclusion that serves in order of arrival.
//
// Several I/O threads take turns at the engine. std::mutex promises no order: a thread that
// releases it and takes it again right away may win time after time. A ticket makes the wait of
// each at most one hold per other thread. Uncontended it costs an atomic addition and a store.
#pragma once

#include <atomic>
#include <cstdint>

namespace laurel::base {

class FairLock {
 public:
  void lock() {
    const std::uint32_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t serving = serving_.load(std::memory_order_acquire);
      if (serving == ticket) return;
      serving_.wait(serving, std::memory_order_acquire);
    }
  }
  void unlock() {
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    serving_.notify_all();
  }
  // Whether somebody waits. A hint.
  [[nodiscard]] bool contended() const {
    return next_.load(std::memory_order_relaxed) - serving_.load(std::memory_order_relaxed) > 1;
  }

 private:
  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> serving_{0};
};

}  // namespace laurel::base
