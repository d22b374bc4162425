// The feed publishes durable events only: every published event survives a power cut, and a disk
// fault loses no event without a gap.
//
// LAUREL_TEST_SEED   seed of the run; random if not set; always printed
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/feed/consumer.h"
#include "tests/feed/feed_engine.h"
#include "tests/storage/call_gate.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

constexpr int kPatience = 120'000;  // ms until the engine must accept writes on a healed disk
const std::vector<std::string> kMembers = {"m0", "m1", "m2", "m3", "m4", "m5"};

TEST(FeedDurable, WriteIsNotPublishedBeforeItIsDurable) {
  SimulatedFolder folder;
  CallGate syncs(IsSync);
  syncs.Guard(&folder);
  TestClock clock(kNoon);
  FeedEngine engine(&folder, &clock);
  engine.Ask("LB.CREATE lb");
  const std::unique_ptr<TestPipeline> waiting = engine.Begin("LB.CHANGES lb $ BLOCK 0");
  syncs.Close();
  const std::unique_ptr<TestPipeline> write = engine.Begin("ZADD lb 5 a");
  const std::string end = engine.End("lb");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(engine.All("lb").size(), 1U);
    EXPECT_TRUE(engine.Changes("lb", end).events.empty());
  }
  EXPECT_EQ(write->times_done() + waiting->times_done(), 0);
  syncs.Open();
  EXPECT_EQ(write->Answer().ToString(), "1");
  EXPECT_EQ(Texts(ToPage(waiting->Answer()).events), (std::vector<std::string>{"put a 5 @0"}));
  EXPECT_EQ(engine.All("lb").size(), 2U);
  EXPECT_EQ(Texts(engine.All("lb", end)), (std::vector<std::string>{"put a 5 @0"}));
}

// A client that may not see a board's former name gets none of its events, also while only the
// memory knows that the board was renamed.
TEST(FeedDurable, ARenameThatIsNotDurableHidesTheEventsBeforeIt) {
  SimulatedFolder folder;
  CallGate syncs(IsSync);
  syncs.Guard(&folder);
  TestClock clock(kNoon);
  FeedEngine engine(&folder, &clock);
  engine.Ask("LB.CREATE secret");
  engine.Ask("ZADD secret 5 hidden");
  const std::string cursor = engine.Changes("secret", "0", 1).next;
  syncs.Close();
  const auto rename = engine.Begin("RENAME secret lb");
  std::string next;
  for (const std::string& from : {std::string("0"), std::string("-5"), cursor}) {
    const auto asked = engine.Begin("LB.CHANGES lb " + from, engine::Access("guest", "lb"));
    const FeedPage page = ToPage(asked->Answer());
    EXPECT_EQ(Texts(page.events), std::vector<std::string>()) << from;
    EXPECT_TRUE(page.gap) << from;
    next = page.next;
  }
  syncs.Open();
  rename->Await();
  engine.Ask("ZADD lb 6 shown");
  const auto later = engine.Begin("LB.CHANGES lb " + next, engine::Access("guest", "lb"));
  EXPECT_EQ(Texts(ToPage(later->Answer()).events), (std::vector<std::string>{"put shown 6 @1"}));
}

class FeedOnDisk : public ::testing::TestWithParam<storage::SyncMode> {
 protected:
  static EngineRig::Options Options() {
    EngineRig::Options options = FeedEngine::Keeping();
    options.log.sync = GetParam();
    return options;
  }
};

// The events published before a power cut are a prefix of the events after it, and their cursors
// stay valid.
TEST_P(FeedOnDisk, PublishedEventsSurviveAPowerCut) {
  base::Random random(TestSeed());
  TestClock clock(kNoon);
  for (int episode = 0; episode < 5; ++episode) {
    SimulatedFolder folder;
    FeedEngine engine(&folder, &clock, Options());
    engine.Ask("LB.CREATE lb");
    for (int i = 0; i < 60; ++i) {
      clock.Set(clock.Now() + 1000);
      const std::unique_ptr<TestPipeline> write = engine.Begin(
          "ZADD lb " + std::to_string(i) + " " + kMembers[random.Below(kMembers.size())]);
      if (random.OneIn(20)) std::this_thread::sleep_for(std::chrono::milliseconds(30));
      const std::vector<FeedEvent> told = engine.All("lb");
      const std::string next = engine.Changes("lb", "$").next;
      if (random.OneIn(3)) {
        const auto left =
            folder.Crash(&random, {.survivors = CrashOptions::Survivors(random.Below(4))});
        FeedEngine after(left.get(), &clock, Options());
        const FeedPage whole = after.Changes("lb", "0", 10'000);
        if (told.empty() && !whole.error.empty()) continue;  // the board itself may be lost
        ASSERT_EQ(whole.error, "");
        ASSERT_GE(whole.events.size(), told.size());
        for (std::size_t k = 0; k < told.size(); ++k) {
          ASSERT_EQ(whole.events[k].Text(), told[k].Text());
          ASSERT_EQ(whole.events[k].cursor, told[k].cursor);
        }
        for (const std::string& cursor : {told.empty() ? next : told.back().cursor, next}) {
          const FeedPage rest = after.Changes("lb", cursor, 10'000);
          EXPECT_EQ(rest.error, "");
          EXPECT_FALSE(rest.gap) << cursor;
        }
      }
      write->Await();
    }
  }
}

// In every sync mode a blocked reader gets every event in the end, without another client that
// causes a sync.
TEST_P(FeedOnDisk, EveryWriteIsPublishedEventually) {
  SimulatedFolder folder;
  TestClock clock(kNoon);
  FeedEngine engine(&folder, &clock, Options());
  engine.Ask("LB.CREATE lb");
  std::vector<std::string> told;
  std::unique_ptr<TestPipeline> waiting = engine.Begin("LB.CHANGES lb $ BLOCK 0");
  for (const std::string score : {"1", "2", "3"}) engine.Ask("ZADD lb " + score + " a");
  while (told.size() < 3) {
    const FeedPage page = ToPage(waiting->Answer());
    for (const FeedEvent& event : page.events) {
      // Where replies do not wait for the disk, earlier events may be published after the request.
      if (event.cause != "created") told.push_back(event.Text());
    }
    if (told.size() < 3) waiting = engine.Begin("LB.CHANGES lb " + page.next + " BLOCK 0");
  }
  EXPECT_EQ(told, (std::vector<std::string>{"put a 1 @0", "put a 2 @1", "put a 3 @2"}));
}

INSTANTIATE_TEST_SUITE_P(Sync, FeedOnDisk,
                         ::testing::Values(storage::SyncMode::kAlways, storage::SyncMode::kEverySec,
                                           storage::SyncMode::kOff));

// Writes while calls to the disk fail, heals the disk, and continues reading.
class TroubledDisk : public ::testing::TestWithParam<Fault> {};

TEST_P(TroubledDisk, LosesNoEventWithoutAGap) {
  base::Random random(TestSeed());
  TestClock clock(kNoon);
  std::uint64_t gaps = 0;
  for (int episode = 0; episode < 20 && !HasFailure(); ++episode) {
    SCOPED_TRACE("episode " + std::to_string(episode));
    SimulatedFolder folder;
    FeedEngine engine(&folder, &clock);
    Consumer consumer("lb", kMembers);
    consumer.ForgetPlace();  // the log from "0" on may be incomplete after a fault
    engine.Ask("LB.CREATE lb");
    int marks = 0;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 30; ++i) {
        if (i == 10) {
          const std::uint64_t number = folder.calls() + random.Below(20);
          random.OneIn(2) ? folder.FailFrom(number, GetParam())
                          : folder.FailCall(number, GetParam());
        }
        clock.Set(clock.Now() + 1000);
        engine.Ask("ZADD lb " + std::to_string(random.Below(100)) + " " +
                   kMembers[random.Below(kMembers.size())]);
        // A read may fail while the disk fails, so the consumer reads before the fault only.
        if (i < 10 && random.OneIn(4)) consumer.Step(&engine, 1 + random.Below(5));
      }
      folder.Heal();
      const std::string mark = "mark" + std::to_string(++marks);
      bool marked = false;
      for (int i = 0; i < kPatience && !marked; ++i) {
        marked = !engine.Ask("LB.HIDE lb " + mark).IsError();
        if (!marked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      ASSERT_TRUE(marked) << engine.rig().callbacks().notices();
      while (consumer.Step(&engine, 1 + random.Below(50))) {
      }
      consumer.ExpectEqual(&engine);
      // The copy also equals the board after a power cut.
      const auto left = folder.Crash(&random, {.survivors = CrashOptions::Survivors::kNone});
      FeedEngine after(left.get(), &clock);
      consumer.ExpectEqual(&after);
    }
    gaps += consumer.gaps();
  }
  std::printf("%llu gaps\n", static_cast<unsigned long long>(gaps));
}

INSTANTIATE_TEST_SUITE_P(All, TroubledDisk,
                         ::testing::Values(Fault::kError, Fault::kNoSpace, Fault::kShortWrite));

}  // namespace
}  // namespace laurel::testing
