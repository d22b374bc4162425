// The updates that live readers get, and when they are notified.
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/store/score_key.h"
#include "engine/limits.h"
#include "leaderboard/effect_codec.h"
#include "tests/live/follower.h"
#include "tests/storage/call_gate.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

constexpr Stamp kHour = Stamp{3600} * 1'000'000;
constexpr std::uint64_t kRandomWrites = 3000;

class NoReader : public engine::LiveReader {
 public:
  void OnReady() override {}
};

// An engine in memory with a board `lb`.
class Live : public ::testing::Test {
 protected:
  Live() : rig_(nullptr, &clock_, EngineRig::Small()) {
    EXPECT_TRUE(rig_.Start().ok());
    rig_.AskBytes(Words{"LB.CREATE", "lb"});
  }

  void Submit(const std::string& member, std::int64_t score) {
    rig_.AskBytes(Words{"LB.SUBMIT", "lb", member, std::to_string(score)});
  }
  ErrorCode RefusalOf(const engine::LiveQuery& query) {
    const Result<engine::LiveHandle> handle = rig_.engine().Subscribe(query, &no_reader_);
    EXPECT_FALSE(handle.ok());
    return handle.ok() ? ErrorCode::kErr : handle.error().code;
  }

  TestClock clock_;
  EngineRig rig_;
  NoReader no_reader_;
};

// Random writes -----------------------------------------------------------------------------------

Words RandomCommand(base::Random* random) {
  const std::string member = "m" + std::to_string(random->Below(40));
  const std::string score = std::to_string(random->Below(100));
  switch (random->Below(40)) {
    case 0:
      return {"LB.HIDE", "lb", member};
    case 1:
      return {"LB.SHOW", "lb", member};
    case 2:
      return {"LB.POP", "lb", "2"};
    case 3:
      return {"LB.META", "lb", member, "about " + score};
    case 4:
      return {"LB.TRIM", "lb", score};
    case 5:
      return {"LB.CLEAR", "lb"};
    case 6:
      return {"RENAME", "other", "lb"};
    case 7:
      return {"LB.SUBMIT", "other", member, score};
    case 8:
    case 9:
    case 10:
      return {"LB.REMOVE", "lb", member};
    default:
      return {"LB.SUBMIT", "lb", member, score};
  }
}

// Expects every top that a reader assembles to be one that the board had, and the last one to be
// the present one.
void FollowRandomWrites(EngineRig* rig, std::uint64_t seed) {
  base::Random random(seed);
  for (const char* name : {"lb", "other"}) rig->AskBytes(Words{"LB.CREATE", name, "CAP", "30"});
  const std::vector<engine::LiveQuery> queries = {
      {"lb", 3, {}}, {"lb", 10, {"m1"}}, {"lb", 50, {}}, {"lb", 1, {"m2", "m3", "m2"}}};
  std::vector<std::unique_ptr<TestLiveReader>> followers;
  std::vector<std::set<std::string>> history(queries.size());
  const auto note = [&] {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      history[i].insert(
          rig->AskBytes(Words{"LB.TOP", "lb", std::to_string(queries[i].top), "WITHMETA"}));
    }
  };
  const auto take = [&](std::size_t i) {
    if (!followers[i]->Take()) return;
    EXPECT_TRUE(history[i].contains(followers[i]->Top())) << followers[i]->Top();
  };
  note();
  for (const engine::LiveQuery& query : queries) {
    followers.push_back(std::make_unique<TestLiveReader>(&rig->engine(), query));
  }
  for (std::uint64_t write = 0; write < kRandomWrites && !::testing::Test::HasFailure(); ++write) {
    rig->AskBytes(RandomCommand(&random));
    note();
    // The first reader takes after every write, each further one less often.
    for (std::size_t i = 0; i < followers.size(); ++i) {
      if (random.OneIn(1 + 20 * i)) take(i);
    }
    if (!random.OneIn(200)) continue;
    for (const auto& follower : followers) ASSERT_TRUE(follower->CatchUp(rig));
  }
  for (const auto& follower : followers) EXPECT_TRUE(follower->CatchUp(rig));
  EXPECT_GT(followers[0]->taken(), 10U);
}

// The engine looks for changes about as often as the test writes.
EngineRig::Options Hurried() {
  EngineRig::Options options = EngineRig::Small();
  options.live_interval_us = 20;
  return options;
}

TEST(LiveRandom, DifferencesAddUpToTheTopInMemory) {
  const TestClock clock;
  EngineRig rig(nullptr, &clock, Hurried());
  ASSERT_TRUE(rig.Start().ok());
  FollowRandomWrites(&rig, TestSeed());
}

TEST(LiveRandom, DifferencesAddUpToTheTopOnDisk) {
  const TestClock clock;
  SimulatedFolder folder;
  EngineRig rig(&folder, &clock, Hurried());
  ASSERT_TRUE(rig.Start().ok());
  FollowRandomWrites(&rig, TestSeed());
}

// Notifications -----------------------------------------------------------------------------------

TEST_F(Live, FirstUpdateIsWholeAndLaterOnesAreDifferences) {
  Submit("a", 3);
  Submit("b", 2);
  TestLiveReader follower(&rig_.engine(), {"lb", 10, {"b", "nobody"}});
  ASSERT_TRUE(follower.TakeNext());
  EXPECT_TRUE(follower.last()->whole);
  EXPECT_EQ(follower.last()->board, "lb");
  EXPECT_EQ(follower.last()->size, 2U);
  EXPECT_EQ(follower.places().at("b")->rank, 2U);
  EXPECT_EQ(follower.places().at("nobody"), std::nullopt);
  Submit("c", 1);
  ASSERT_TRUE(follower.TakeNext());
  EXPECT_FALSE(follower.last()->whole);
  ASSERT_EQ(follower.last()->top.size(), 1U);
  EXPECT_EQ(follower.last()->top[0]->member, "c");
  EXPECT_EQ(follower.last()->top_size, 3U);
  EXPECT_EQ(follower.last()->size, 3U);
  EXPECT_TRUE(follower.last()->places.empty());
}

TEST_F(Live, SlowReaderIsNotifiedOnceAndSkipsStatesInBetween) {
  TestLiveReader slow(&rig_.engine(), {"lb", 2, {}});
  TestLiveReader quick(&rig_.engine(), {"lb", 2, {}});
  ASSERT_TRUE(slow.CatchUp(&rig_));
  const std::uint64_t notified = slow.notified();
  for (int i = 1; i <= 20; ++i) {
    Submit("a", i);
    ASSERT_TRUE(quick.CatchUp(&rig_));
  }
  EXPECT_LE(slow.notified(), notified + 1);
  ASSERT_TRUE(slow.TakeNext());
  EXPECT_EQ(slow.notified(), notified + 1);
  EXPECT_EQ(slow.Top(), quick.Top());
  ASSERT_EQ(slow.last()->top.size(), 1U);
  EXPECT_FALSE(slow.Take());
}

TEST_F(Live, ReaderIsNotNotifiedOfChangesOutsideItsQuery) {
  for (int i = 0; i < 10; ++i) Submit("m" + std::to_string(i), 100 - i);
  TestLiveReader top(&rig_.engine(), {"lb", 2, {"m1"}});
  TestLiveReader low(&rig_.engine(), {"lb", 0, {"m9"}});
  ASSERT_TRUE(top.CatchUp(&rig_));
  ASSERT_TRUE(low.CatchUp(&rig_));
  const std::uint64_t notified = top.notified();
  for (int i = 0; i < 5; ++i) {
    Submit("m9", 10 + i);
    ASSERT_TRUE(low.CatchUp(&rig_));
  }
  EXPECT_EQ(top.notified(), notified);
  EXPECT_FALSE(top.Take());
  Submit("m9", 1000);
  ASSERT_TRUE(top.CatchUp(&rig_));
  EXPECT_EQ(top.last()->size, 10U);
}

TEST_F(Live, LoadThatReplacesABoardIsOneUpdate) {
  Submit("old", 5);
  TestLiveReader follower(&rig_.engine(), {"lb", 10, {"new0"}});
  ASSERT_TRUE(follower.CatchUp(&rig_));
  const std::uint64_t notified = follower.notified();
  const core::KeyLayout layout(Spec{});
  EXPECT_FALSE(rig_.Ask("LB.LOAD lb BEGIN load").IsError());
  for (int i = 0; i < 5; ++i) {
    core::Effect put;
    put.member = "new" + std::to_string(i);
    put.words = layout.Encode(Score{100 - i}, clock_.Now());
    put.stamp_not_from_clock = true;
    std::string chunk;
    leaderboard::EffectWriter(&chunk).Entry(put, layout.words());
    const Words words = {"LB.LOAD", "lb", "CHUNK", "load", std::to_string(i + 1), chunk};
    EXPECT_FALSE(rig_.Ask(words).IsError());
    rig_.Tick();
    EXPECT_FALSE(follower.Take());
  }
  EXPECT_FALSE(rig_.Ask("LB.LOAD lb COMMIT load REPLACE").IsError());
  ASSERT_TRUE(follower.CatchUp(&rig_));
  EXPECT_EQ(follower.notified(), notified + 1);
  EXPECT_EQ(follower.last()->size, 5U);
  EXPECT_EQ(follower.places().at("new0")->rank, 1U);
}

TEST_F(Live, NewSizeIsAnUpdateForReadersOfATopOnly) {
  for (int i = 0; i < 10; ++i) Submit("m" + std::to_string(i), 100 - i);
  TestLiveReader top(&rig_.engine(), {"lb", 2, {}});
  TestLiveReader member(&rig_.engine(), {"lb", 0, {"m0"}});
  ASSERT_TRUE(top.CatchUp(&rig_));
  ASSERT_TRUE(member.CatchUp(&rig_));
  const std::uint64_t notified = member.notified();
  for (const Words& command : {Words{"LB.SUBMIT", "lb", "below", "1"}, Words{"LB.TRIM", "lb", "5"},
                               Words{"LB.HIDE", "lb", "m4"}}) {
    rig_.AskBytes(command);
    ASSERT_TRUE(top.CatchUp(&rig_));
    EXPECT_TRUE(top.last()->top.empty());
    EXPECT_FALSE(top.last()->whole);
  }
  EXPECT_EQ(top.last()->size, 4U);
  EXPECT_EQ(member.notified(), notified);
}

TEST_F(Live, ShorterTopIsAnUpdate) {
  for (const char* member : {"a", "b", "c"}) Submit(member, 5);
  TestLiveReader follower(&rig_.engine(), {"lb", 10, {}});
  ASSERT_TRUE(follower.CatchUp(&rig_));
  rig_.AskBytes(Words{"LB.REMOVE", "lb", "c"});
  ASSERT_TRUE(follower.TakeNext());
  EXPECT_EQ(follower.last()->top_size, 2U);
  EXPECT_TRUE(follower.last()->top.empty());
}

TEST_F(Live, HiddenMemberHasNoRankAndIsNotInTheTop) {
  Submit("a", 3);
  Submit("b", 2);
  TestLiveReader follower(&rig_.engine(), {"lb", 10, {"a", "b"}});
  ASSERT_TRUE(follower.CatchUp(&rig_));
  rig_.AskBytes(Words{"LB.HIDE", "lb", "a"});
  ASSERT_TRUE(follower.CatchUp(&rig_));
  EXPECT_EQ(follower.places().at("a")->rank, std::nullopt);
  EXPECT_EQ(follower.places().at("b")->rank, 1U);
  EXPECT_EQ(follower.last()->top_size, 1U);
  rig_.AskBytes(Words{"LB.SHOW", "lb", "a"});
  ASSERT_TRUE(follower.CatchUp(&rig_));
  EXPECT_EQ(follower.places().at("a")->rank, 1U);
}

TEST_F(Live, LaterReaderWithALongerTopGetsAllOfIt) {
  for (int i = 0; i < 30; ++i) Submit("m" + std::to_string(i), i);
  TestLiveReader few(&rig_.engine(), {"lb", 3, {}});
  ASSERT_TRUE(few.CatchUp(&rig_));
  {
    TestLiveReader many(&rig_.engine(), {"lb", 20, {"m0"}});
    ASSERT_TRUE(many.TakeNext());
    EXPECT_EQ(many.last()->top.size(), 20U);
    EXPECT_EQ(many.places().at("m0")->rank, 30U);
  }
  Submit("m0", 100);
  ASSERT_TRUE(few.CatchUp(&rig_));
}

// Drops, clears and periods -----------------------------------------------------------------------

TEST_F(Live, DroppedBoardIsGoneAndTheNextOfItsNameIsSentWhole) {
  Submit("a", 3);
  TestLiveReader follower(&rig_.engine(), {"lb", 10, {"a"}});
  ASSERT_TRUE(follower.CatchUp(&rig_));
  rig_.AskBytes(Words{"LB.DROP", "lb"});
  ASSERT_TRUE(follower.TakeNext());
  EXPECT_TRUE(follower.last()->gone);
  EXPECT_EQ(follower.last()->top_size, 0U);
  EXPECT_EQ(follower.places().at("a"), std::nullopt);
  // The stored number is 3 again, under another spec.
  rig_.AskAllBytes(std::vector<Words>{{"LB.CREATE", "lb", "FIELDS", "1", "seconds:decimal2:asc"},
                                      {"LB.SUBMIT", "lb", "a", "0.03"}});
  ASSERT_TRUE(follower.CatchUp(&rig_));
  EXPECT_FALSE(follower.last()->gone);
  EXPECT_TRUE(follower.last()->whole);
}

TEST_F(Live, ClearedBoardHasAnEmptyTop) {
  Submit("a", 3);
  TestLiveReader follower(&rig_.engine(), {"lb", 10, {"a"}});
  for (const char* command : {"LB.CLEAR", "DEL", "UNLINK"}) {
    Submit("a", 4);
    ASSERT_TRUE(follower.CatchUp(&rig_));
    ASSERT_EQ(follower.last()->top_size, 1U);
    rig_.AskBytes(Words{command, "lb"});
    ASSERT_TRUE(follower.CatchUp(&rig_));
    EXPECT_EQ(follower.last()->top_size, 0U);
  }
  Submit("a", 4);
  ASSERT_TRUE(follower.CatchUp(&rig_));
  rig_.AskBytes(Words{"FLUSHALL"});
  ASSERT_TRUE(follower.TakeUntil([&] { return follower.last()->gone; }));
}

TEST_F(Live, SortedSetCanBeFollowed) {
  rig_.AskBytes(Words{"ZADD", "zset", "1.5", "a"});
  TestLiveReader follower(&rig_.engine(), {"zset", 10, {}});
  ASSERT_TRUE(follower.TakeNext());
  EXPECT_EQ(follower.last()->top[0]->score.AsDouble(), 1.5);
  rig_.AskBytes(Words{"ZREM", "zset", "a"});
  ASSERT_TRUE(follower.TakeNext());
  EXPECT_TRUE(follower.last()->gone);
}

TEST_F(Live, PeriodTurnIsAnUpdateWithoutAWrite) {
  rig_.AskBytes(Words{"LB.CREATE", "p", "PERIODS", "2", "day", "all"});
  TestLiveReader bare(&rig_.engine(), {"p", 10, {"a"}});
  TestLiveReader day(&rig_.engine(), {"p@day", 10, {"a"}});
  TestLiveReader all(&rig_.engine(), {"p@all", 10, {"a"}});
  for (TestLiveReader* follower : {&bare, &day, &all}) ASSERT_TRUE(follower->CatchUp(&rig_));
  const std::string before = day.last()->board;
  EXPECT_EQ(bare.last()->board, before);
  rig_.AskBytes(Words{"LB.SUBMIT", "p", "a", "3"});
  for (TestLiveReader* follower : {&bare, &day, &all}) {
    ASSERT_TRUE(follower->CatchUp(&rig_));
    EXPECT_EQ(follower->last()->top_size, 1U);
  }
  EXPECT_EQ(day.last()->board, before);
  clock_.Move(24 * kHour);
  for (TestLiveReader* follower : {&bare, &day}) {
    ASSERT_TRUE(follower->TakeUntil([&] { return follower->last()->board != before; }));
    EXPECT_TRUE(follower->last()->whole);
    EXPECT_EQ(follower->last()->top_size, 0U);
    EXPECT_EQ(follower->places().at("a"), std::nullopt);
  }
  EXPECT_EQ(bare.last()->board, day.last()->board);
  EXPECT_FALSE(all.Take());
  rig_.AskBytes(Words{"LB.SUBMIT", "p", "b", "1"});
  for (TestLiveReader* follower : {&bare, &day, &all}) ASSERT_TRUE(follower->CatchUp(&rig_));
  EXPECT_EQ(all.last()->top_size, 2U);
}

// Refusals ----------------------------------------------------------------------------------------

// The pattern `arena` admits arena@all while that is an instance of arena, and not while it is a
// sorted set of its own.
TEST_F(Live, ReaderGetsNothingOfABoardOutsideItsPattern) {
  const auto ask = [&](const Words& command) { rig_.AskBytes(command); };
  ask({"LB.CREATE", "arena", "PERIODS", "1", "all"});
  ask({"LB.SUBMIT", "arena", "ann", "5"});
  const engine::Access access("guest", "arena");
  EXPECT_EQ(RefusalOf({"lb", 3, {}, access}), ErrorCode::kNoPerm);
  TestLiveReader all(&rig_.engine(), {"arena@all", 3, {"ann"}});
  TestLiveReader guest(&rig_.engine(), {"arena@all", 3, {"ann"}, access});
  ASSERT_TRUE(guest.TakeUntil([&] { return guest.last() && guest.last()->size == 1; }));
  ask({"LB.DROP", "arena"});
  ask({"ZADD", "arena@all", "7", "secret"});
  ASSERT_TRUE(all.TakeUntil([&] {
    return all.last() && all.last()->size == 1 && !all.last()->top.empty() &&
           all.last()->top[0]->member == "secret";
  }));
  ASSERT_TRUE(guest.TakeUntil([&] { return guest.last()->gone; }));
  const std::uint64_t notified = guest.notified();
  ask({"ZADD", "arena@all", "8", "more"});
  ASSERT_TRUE(all.TakeUntil([&] { return all.last()->size == 2; }));
  EXPECT_EQ(guest.notified(), notified);
  EXPECT_FALSE(guest.Take());
  EXPECT_EQ(guest.Top(), "gone");
  ask({"DEL", "arena@all"});
  ask({"LB.CREATE", "arena", "PERIODS", "1", "all"});
  ask({"LB.SUBMIT", "arena", "bob", "6"});
  ASSERT_TRUE(guest.TakeUntil([&] { return !guest.last()->gone && guest.last()->size == 1; }));
}

TEST_F(Live, UnknownBoardsAndQueriesBeyondTheLimitsAreRefused) {
  rig_.AskBytes(Words{"LB.CREATE", "p", "PERIODS", "1", "day"});
  EXPECT_EQ(RefusalOf({"nothing", 10, {}}), ErrorCode::kNoBoard);
  EXPECT_EQ(RefusalOf({"p@week", 10, {}}), ErrorCode::kNoBoard);
  EXPECT_EQ(RefusalOf({"lb", 0, {}}), ErrorCode::kErr);
  EXPECT_EQ(RefusalOf({"lb", engine::kMaxLiveTop + 1, {}}), ErrorCode::kLimit);
  std::vector<std::string> members;
  for (std::size_t i = 0; i < engine::kMaxLiveMembers; ++i) members.push_back(std::to_string(i));
  std::vector<engine::LiveHandle> handles;
  for (std::size_t i = 0; i < engine::kMaxLiveMembersOfAll; i += members.size()) {
    handles.push_back(*rig_.engine().Subscribe({"lb", engine::kMaxLiveTop, members}, &no_reader_));
  }
  EXPECT_EQ(RefusalOf({"lb", 1, {"more"}}), ErrorCode::kLimit);
  while (handles.size() < engine::kMaxLiveReaders) {
    handles.push_back(*rig_.engine().Subscribe({"lb", 1, {}}, &no_reader_));
  }
  EXPECT_EQ(RefusalOf({"lb", 1, {}}), ErrorCode::kLimit);
  for (const engine::LiveHandle handle : handles) rig_.engine().Unsubscribe(handle);
  members.push_back("more");
  EXPECT_EQ(RefusalOf({"lb", 1, members}), ErrorCode::kLimit);
  const TestLiveReader again(&rig_.engine(), {"lb", 1, {"more"}});
  rig_.engine().Close(false);
  EXPECT_EQ(RefusalOf({"lb", 1, {}}), ErrorCode::kErr);
}

TEST_F(Live, TakeAfterUnsubscribeReturnsNothing) {
  const engine::LiveHandle handle = *rig_.engine().Subscribe({"lb", 1, {}}, &no_reader_);
  rig_.engine().Unsubscribe(handle);
  rig_.engine().Unsubscribe(handle);
  EXPECT_EQ(rig_.engine().Take(handle), std::nullopt);
}

TEST(LiveOnDisk, SubscribeIsRefusedWhileBoardsAreLoading) {
  const TestClock clock;
  SimulatedFolder folder;
  NoReader reader;
  EngineRig rig(&folder, &clock, EngineRig::Small());
  const Result<engine::LiveHandle> handle = rig.engine().Subscribe({"lb", 1, {}}, &reader);
  ASSERT_FALSE(handle.ok());
  EXPECT_EQ(handle.error().code, ErrorCode::kLoading);
  ASSERT_TRUE(rig.Start().ok());
}

// On disk -----------------------------------------------------------------------------------------

TEST(LiveOnDisk, LoadedBoardAndItsChangesArePublished) {
  const TestClock clock;
  SimulatedFolder folder;
  {
    EngineRig rig(&folder, &clock, EngineRig::Small());
    ASSERT_TRUE(rig.Start().ok());
    rig.AskBytes(Words{"LB.CREATE", "lb"});
    rig.AskBytes(Words{"LB.SUBMIT", "lb", "a", "1"});
  }
  EngineRig rig(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig.Start().ok());
  TestLiveReader follower(&rig.engine(), {"lb", 10, {"a"}});
  ASSERT_TRUE(follower.CatchUp(&rig));
  EXPECT_EQ(follower.last()->top_size, 1U);
  rig.AskBytes(Words{"DEL", "lb"});
  ASSERT_TRUE(follower.CatchUp(&rig));
  EXPECT_EQ(follower.last()->top_size, 0U);
}

// Submits an entry while syncs are blocked. Expects the update with it at once if `told_before`,
// and otherwise only after the syncs.
void ExpectUpdateAroundSync(storage::SyncMode sync, bool told_before) {
  const TestClock clock;
  SimulatedFolder folder;
  CallGate syncs(IsSync);
  syncs.Guard(&folder);
  EngineRig::Options options = EngineRig::Small();
  options.log.sync = sync;
  EngineRig rig(&folder, &clock, options);
  ASSERT_TRUE(rig.Start().ok());
  rig.AskBytes(Words{"LB.CREATE", "lb"});
  TestLiveReader follower(&rig.engine(), {"lb", 10, {}});
  ASSERT_TRUE(follower.CatchUp(&rig));
  syncs.Close();
  rig.AskAllBytes(std::vector<Words>{{"LB.SUBMIT", "lb", "a", "1"}}, [&] {
    if (told_before) {
      EXPECT_TRUE(follower.TakeNext());
    } else {
      // Time enough for a feed that does not wait for the disk to publish the entry.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      EXPECT_FALSE(follower.Take());
      EXPECT_EQ(follower.last()->top_size, 0U);
    }
    syncs.Open();
  });
  ASSERT_TRUE(follower.CatchUp(&rig));
  EXPECT_EQ(follower.last()->top_size, 1U);
}

TEST(LiveOnDisk, NothingIsPublishedBeforeItIsDurable) {
  ExpectUpdateAroundSync(storage::SyncMode::kAlways, false);
}

TEST(LiveOnDisk, ReadersDoNotWaitForTheDiskIfWritesDoNot) {
  ExpectUpdateAroundSync(storage::SyncMode::kOff, true);
}

TEST(LiveOnDisk, EngineClosesWhileAnUpdateWaitsForABrokenDisk) {
  const TestClock clock;
  SimulatedFolder folder;
  EngineRig rig(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig.Start().ok());
  rig.AskBytes(Words{"LB.CREATE", "lb"});
  TestLiveReader follower(&rig.engine(), {"lb", 10, {}});
  ASSERT_TRUE(follower.CatchUp(&rig));
  folder.FailFrom(folder.calls() + 1, Fault::kError);
  EXPECT_NE(rig.AskBytes(Words{"LB.SUBMIT", "lb", "a", "1"}).find("UNKNOWN"), std::string::npos);
  // Gives the feed time to begin waiting for the disk.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(follower.Take());
  rig.engine().Close(false);
  EXPECT_FALSE(follower.Take());
}

TEST(LiveOnDisk, HeldBackUpdateIsPublishedOnceTheDiskIsHealed) {
  const TestClock clock;
  SimulatedFolder folder;
  EngineRig rig(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig.Start().ok());
  rig.AskBytes(Words{"LB.CREATE", "lb"});
  TestLiveReader follower(&rig.engine(), {"lb", 10, {}});
  ASSERT_TRUE(follower.CatchUp(&rig));
  folder.FailFrom(folder.calls() + 1, Fault::kError);
  EXPECT_NE(rig.AskBytes(Words{"LB.SUBMIT", "lb", "a", "1"}).find("UNKNOWN"), std::string::npos);
  EXPECT_FALSE(follower.Take());
  folder.Heal();
  ASSERT_TRUE(follower.TakeNext());
  EXPECT_EQ(follower.last()->top_size, 1U);
}

}  // namespace
}  // namespace laurel::testing
