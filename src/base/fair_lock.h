// A mutual exclusion that serves in order of arrival.
//
// Several I/O threads take turns at the engine. std::mutex promises no order: a thread that
// releases it and takes it again right away may win time after time. A ticket makes the wait of
// each at most one hold per other thread. Uncontended it costs two atomic operations.
//
// Holds are short and waking a thread is not: it takes some 50 µs, in which nobody holds the lock,
// for it is the sleeper's turn. So whoever is next looks for its turn about as long before it
// sleeps. Those behind it sleep.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace laurel::base {

class FairLock {
 public:
  void lock() {
    const std::uint32_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t serving = serving_.load(std::memory_order_acquire);
      if (serving == ticket || (ticket - serving == 1 && Spin(ticket))) return;
      serving_.wait(serving, std::memory_order_acquire);
    }
  }
  void unlock() {
    // Sequentially consistent: notify_all looks whether anybody sleeps, and must not look before.
    serving_.store(serving_.load(std::memory_order_relaxed) + 1);
    serving_.notify_all();
  }
  // Whether somebody waits. A hint.
  [[nodiscard]] bool contended() const {
    return next_.load(std::memory_order_relaxed) - serving_.load(std::memory_order_relaxed) > 1;
  }

 private:
  static constexpr std::int64_t kSpinMicros = 50;
  static constexpr int kLooksPerClock = 16;

  // Tells the core that it spins.
  static void Relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  // True if its turn has come meanwhile.
  bool Spin(std::uint32_t ticket) const {
    const std::int64_t end = MonotonicMicros() + kSpinMicros;
    do {
      for (int i = 0; i < kLooksPerClock; ++i) {
        if (serving_.load(std::memory_order_acquire) == ticket) return true;
        Relax();
      }
    } while (MonotonicMicros() < end);
    return false;
  }

  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> serving_{0};
};

}  // namespace laurel::base
