// Live readers that subscribe, take and unsubscribe on several threads while the board is written
// to. Most useful under TSan.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/live/follower.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

constexpr int kThreads = 3;
constexpr int kComings = 300;  // subscriptions on each thread
constexpr std::size_t kMany = 2000;

std::string Member(std::uint64_t i) { return "m" + std::to_string(i); }

// Destroyed right after Unsubscribe, so that a later call is a use after free.
class Passerby : public engine::LiveReader {
 public:
  void OnReady() override { ++*calls_; }
  [[nodiscard]] int calls() const { return *calls_; }

 private:
  std::unique_ptr<std::atomic<int>> calls_ = std::make_unique<std::atomic<int>>(0);
};

TEST(LiveThreads, NoReaderIsCalledAfterUnsubscribe) {
  const TestClock clock;
  SimulatedFolder folder;
  EngineRig::Options options = EngineRig::Small();
  options.live_interval_us = 100;
  EngineRig rig(&folder, &clock, options);
  ASSERT_TRUE(rig.Start().ok());
  for (const char* board : {"lb0", "lb1"}) rig.AskBytes(Words{"LB.CREATE", board});
  std::atomic<int> busy = kThreads;
  std::atomic<int> calls = 0;
  std::vector<std::thread> threads;
  const std::uint64_t seed = TestSeed();
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      base::Random random(seed + static_cast<std::uint64_t>(t));
      for (int i = 0; i < kComings; ++i) {
        auto reader = std::make_unique<Passerby>();
        const Result<engine::LiveHandle> handle =
            rig.engine().Subscribe({"lb" + std::to_string(random.Below(2)),
                                    static_cast<std::uint32_t>(random.Below(5)),
                                    {Member(random.Below(5))}},
                                   reader.get());
        ASSERT_TRUE(handle.ok());
        for (std::uint64_t takes = random.Below(4); takes > 0; --takes) {
          std::this_thread::yield();
          rig.engine().Take(*handle);
        }
        rig.engine().Unsubscribe(*handle);
        calls += reader->calls();
      }
      --busy;
    });
  }
  base::Random random(seed);
  while (busy > 0) {
    rig.AskBytes(Words{"LB.SUBMIT", "lb" + std::to_string(random.Below(2)),
                       Member(random.Below(20)), std::to_string(random.Below(1000))});
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(calls, 0);
}

TEST(LiveThreads, ManyReadersOfOneBoardAllReachItsState) {
  const TestClock clock;
  SimulatedFolder folder;
  EngineRig rig(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig.Start().ok());
  rig.AskBytes(Words{"LB.CREATE", "lb"});
  std::vector<std::unique_ptr<TestLiveReader>> followers;
  for (std::size_t i = 0; i < kMany; ++i) {
    engine::LiveQuery query{"lb", static_cast<std::uint32_t>(i % 20), {}};
    if (i % 2 == 0) query.members.push_back(Member(i / 2));
    if (query.top == 0 && query.members.empty()) query.top = 1;
    followers.push_back(std::make_unique<TestLiveReader>(&rig.engine(), query));
  }
  // Readers take on their own threads while the board is written to.
  std::atomic<bool> writes = true;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      while (writes) {
        for (std::size_t i = t; i < kMany; i += kThreads) followers[i]->Take();
      }
    });
  }
  base::Random random(TestSeed());
  for (int i = 0; i < 1000; ++i) {
    rig.AskBytes(
        Words{"LB.SUBMIT", "lb", Member(random.Below(kMany)), std::to_string(random.Below(5000))});
  }
  writes = false;
  for (std::thread& thread : threads) thread.join();
  for (const auto& follower : followers) ASSERT_TRUE(follower->CatchUp(&rig));
}

}  // namespace
}  // namespace laurel::testing
