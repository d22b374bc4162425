// FairLock: a mutex that serves threads in order of arrival.
//
// Several I/O threads compete for the engine. std::mutex promises no order: a thread that unlocks
// it and locks it again at once may win every time. With tickets a thread waits for at most one
// hold of each other thread. An uncontended hold costs two atomic operations.
//
// Holds are short, but waking a thread takes some 50 µs, during which the lock is idle because the
// sleeping thread has the next ticket. So the thread with the next ticket spins for about that long
// before it sleeps. Threads with later tickets sleep at once.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/assert.h"
#include "base/clock.h"
#include "base/thread_annotations.h"

namespace laurel::base {

class LAUREL_CAPABILITY("mutex") FairLock {
 public:
  void lock() LAUREL_ACQUIRE() {
    const std::uint32_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t serving = serving_.load(std::memory_order_acquire);
      if (serving == ticket || (ticket - serving == 1 && Spin(ticket))) return;
      serving_.wait(serving, std::memory_order_acquire);
    }
  }
  void unlock() LAUREL_RELEASE() {
    const std::uint32_t serving = serving_.load(std::memory_order_relaxed);
    LAUREL_ASSERT(next_.load(std::memory_order_relaxed) != serving);  // the caller holds the lock
    // Sequentially consistent, so that notify_all does not check for sleeping threads before it.
    serving_.store(serving + 1);
    serving_.notify_all();
  }
  // Whether a thread waits for the lock. Only a hint: the answer may be stale at once.
  [[nodiscard]] bool contended() const {
    return next_.load(std::memory_order_relaxed) - serving_.load(std::memory_order_relaxed) > 1;
  }

 private:
  static constexpr std::int64_t kSpinMicros = 50;
  static constexpr int kChecksPerClockRead = 16;

  // Hints to the CPU that this is a spin loop.
  static void Relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  // Spins for about kSpinMicros. Returns true once the lock serves this ticket.
  bool Spin(std::uint32_t ticket) const {
    const std::int64_t end = MonotonicMicros() + kSpinMicros;
    do {
      for (int i = 0; i < kChecksPerClockRead; ++i) {
        if (serving_.load(std::memory_order_acquire) == ticket) return true;
        Relax();
      }
    } while (MonotonicMicros() < end);
    return false;
  }

  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> serving_{0};
};

// Holds a fair lock as long as it exists. The lock must outlive it.
class LAUREL_SCOPED_CAPABILITY FairLockGuard {
 public:
  explicit FairLockGuard(FairLock& lock) LAUREL_ACQUIRE(lock) : lock_(lock) { lock.lock(); }
  ~FairLockGuard() LAUREL_RELEASE() { lock_.unlock(); }
  FairLockGuard(const FairLockGuard&) = delete;
  FairLockGuard& operator=(const FairLockGuard&) = delete;

 private:
  FairLock& lock_;
};

}  // namespace laurel::base
