#include "base/fair_lock.h"

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

constexpr int kThreads = 4;

TEST(FairLock, OnlyOneThreadHoldsTheLock) {
  constexpr int kRounds = 5000;
  FairLock lock;
  std::int64_t plain = 0;  // not atomic: only the lock protects it
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const FairLockGuard hold(lock);
        ++plain;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(plain, kThreads * kRounds);
  EXPECT_FALSE(lock.contended());
}

TEST(FairLock, WaitingThreadComesBeforeAThreadThatLocksAgain) {
  for (int round = 0; round < 200; ++round) {
    FairLock lock;
    bool served = false;
    lock.lock();
    std::thread waiting([&] {
      const FairLockGuard hold(lock);
      served = true;
    });
    while (!lock.contended()) std::this_thread::yield();
    lock.unlock();
    lock.lock();
    EXPECT_TRUE(served);
    lock.unlock();
    waiting.join();
  }
}

TEST(FairLock, SleepingThreadsAreWoken) {
  FairLock lock;
  std::vector<std::thread> waiting;
  int served = 0;
  lock.lock();
  for (int i = 0; i < kThreads; ++i) {
    waiting.emplace_back([&] {
      const FairLockGuard hold(lock);
      ++served;
    });
  }
  while (!lock.contended()) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // far longer than a waiter spins
  lock.unlock();
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(served, kThreads);
}

TEST(FairLock, IsContendedOnlyWhileAThreadWaits) {
  FairLock lock;
  EXPECT_FALSE(lock.contended());
  lock.lock();
  EXPECT_FALSE(lock.contended());
  std::thread waiting([&] { const FairLockGuard hold(lock); });
  while (!lock.contended()) std::this_thread::yield();
  lock.unlock();
  waiting.join();
  EXPECT_FALSE(lock.contended());
}

}  // namespace
}  // namespace laurel::base
