// Mutex, MutexLock and CondVar: std::mutex, std::unique_lock and std::condition_variable with
// thread-safety annotations (thread_annotations.h), which those of libstdc++ do not have. All
// functions are inline and cost what the standard types cost.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/assert.h"
#include "base/thread_annotations.h"

namespace laurel::base {

// This lock is neither recursive nor fair (see FairLock).
class LAUREL_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() LAUREL_ACQUIRE() { mutex_.lock(); }
  // REQUIRES: the calling thread holds the mutex.
  void Unlock() LAUREL_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;

  std::mutex mutex_;
};

// Holds a mutex as long as it exists, except between Unlock and Lock. The mutex must outlive it. A
// function that gets the mutex locked (LAUREL_REQUIRES) and releases it for a while calls
// Mutex::Unlock and Mutex::Lock instead.
class LAUREL_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) LAUREL_ACQUIRE(mutex) : mutex_(mutex) { mutex.Lock(); }
  ~MutexLock() LAUREL_RELEASE() {
    if (held_) mutex_.Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  // REQUIRES: held.
  void Unlock() LAUREL_RELEASE() {
    LAUREL_ASSERT(held_);
    held_ = false;
    mutex_.Unlock();
  }
  // REQUIRES: not held.
  void Lock() LAUREL_ACQUIRE() {
    LAUREL_ASSERT(!held_);
    mutex_.Lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;  // constant folded where Unlock is not called
};

// Each wait releases the mutex while it blocks, and returns with it held. A wait may end without a
// notification, so the caller checks in a loop what it waits for:
//
//   while (!done_) changed_.Wait(mutex_);
//   while (!done_ && changed_.WaitUntil(mutex_, until_us)) continue;
//
// There are no waits with a predicate: the analysis would not know that the mutex is held when a
// wait calls it.
class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void Wait(Mutex& mutex) LAUREL_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }
  // Waits no longer than until MonotonicMicros() reaches `until_us`. Returns false if it has.
  bool WaitUntil(Mutex& mutex, std::int64_t until_us) LAUREL_REQUIRES(mutex) {
    // MonotonicMicros reads the same clock.
    const std::chrono::steady_clock::time_point until{std::chrono::microseconds(until_us)};
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status = changed_.wait_until(lock, until);
    lock.release();
    return status == std::cv_status::no_timeout;
  }

  // With or without the mutex held.
  void NotifyOne() { changed_.notify_one(); }
  void NotifyAll() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

}  // namespace laurel::base
