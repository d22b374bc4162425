#include "base/mutex.h"

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace laurel::base {
namespace {

TEST(Mutex, OnlyOneThreadHoldsTheMutex) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 10'000;
  Mutex mutex;
  std::int64_t count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const MutexLock lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, std::int64_t{kThreads} * kRounds);
}

TEST(MutexLock, UnlockReleasesTheMutexUntilLock) {
  Mutex mutex;
  int value = 0;
  MutexLock lock(mutex);
  lock.Unlock();
  std::thread([&] {
    const MutexLock other(mutex);
    value = 1;
  }).join();
  lock.Lock();
  EXPECT_EQ(value, 1);
}

TEST(CondVar, WaitReleasesTheMutexAndReturnsWithItHeld) {
  Mutex mutex;
  CondVar changed;
  bool asked = false;
  bool answered = false;
  std::thread other([&] {
    const MutexLock lock(mutex);
    while (!asked) changed.Wait(mutex);
    answered = true;
    changed.NotifyAll();
  });
  {
    const MutexLock lock(mutex);
    asked = true;
    changed.NotifyAll();
    while (!answered) changed.Wait(mutex);
    EXPECT_TRUE(answered);
  }
  other.join();
}

TEST(CondVar, WaitUntilReturnsFalseWhenTheTimeHasPassed) {
  Mutex mutex;
  CondVar changed;
  const MutexLock lock(mutex);
  EXPECT_FALSE(changed.WaitUntil(mutex, 0));
  const std::int64_t until_us = MonotonicMicros() + 2000;
  while (changed.WaitUntil(mutex, until_us)) continue;  // a wait may end early
  EXPECT_GE(MonotonicMicros(), until_us);
}

TEST(CondVar, WaitUntilReturnsTrueWhenNotified) {
  Mutex mutex;
  CondVar changed;
  bool done = false;
  std::thread other([&] {
    const MutexLock lock(mutex);
    done = true;
    changed.NotifyOne();
  });
  {
    const MutexLock lock(mutex);
    const std::int64_t until_us = MonotonicMicros() + 60'000'000;
    while (!done && changed.WaitUntil(mutex, until_us)) continue;
    EXPECT_TRUE(done);
    EXPECT_LT(MonotonicMicros(), until_us);
  }
  other.join();
}

}  // namespace
}  // namespace laurel::base
