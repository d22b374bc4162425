// LB.CHANGES with -n: the last n events are the tail of a forward read.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/feed/feed_fixture.h"

namespace laurel::testing {
namespace {

class FeedLast : public FeedFixture {
 protected:
  FeedPage Page(const std::string& line) { return ToPage(engine_->Ask("LB.CHANGES " + line)); }
  FeedPage PageFor(const std::string& pattern, const std::string& line) {
    const engine::Access access("guest", pattern);
    return ToPage(engine_->Begin("LB.CHANGES " + line, access)->Answer());
  }
  // Writes events of `lb` in batches of one and of many events, among those of another board.
  void Fill() {
    engine_->Ask("LB.CREATE lb CAP 100 POLICY best");
    engine_->Ask("LB.CREATE neighbour");
    std::string many = "LB.MSUBMIT lb 60";
    for (int i = 0; i < 60; ++i) many += " m" + std::to_string(i) + " " + std::to_string(i);
    engine_->Ask({Split("ZADD lb 1 early"), Split("ZADD neighbour 1 a")});
    engine_->Ask({Split(many), Split("ZADD neighbour 2 a"), Split("LB.CLEAR lb"), Split(many)});
    for (int i = 0; i < 30; ++i) {
      engine_->Ask("ZADD neighbour " + std::to_string(10 + i) + " a");
      engine_->Ask("ZADD lb " + std::to_string(100 + i) + " m" + std::to_string(i));
    }
    engine_->Ask("LB.REMOVE lb m1 m2 m3");
    engine_->Ask("ZADD neighbour 3 a");
  }
  // Fills the log with events of another board until no event of `lb` is left in it.
  void CutOff() {
    Do(1000, "LB.CREATE neighbour");
    for (int i = 0; i < 1000; ++i) Do(1001 + i, "ZADD neighbour " + std::to_string(i) + " a");
    Do(3000, "SAVE");
    ASSERT_TRUE(engine_->All("lb").empty());
  }
  static EngineRig::Options KeepingNothing() {
    EngineRig::Options options = FeedEngine::Keeping();
    options.keeper.keep_log_bytes = 0;
    return options;
  }
};

TEST_F(FeedLast, EventsAreTheTailOfAForwardReadForEveryNumber) {
  Fill();
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const std::vector<FeedEvent> whole = engine_->All("lb", "0", 10'000);
    ASSERT_GT(whole.size(), 150U);
    for (std::size_t n = 1; n < whole.size() + 3; ++n) {
      const FeedPage page = Page("lb -" + std::to_string(n));
      const std::size_t count = std::min(n, whole.size());
      ASSERT_EQ(page.error, "");
      ASSERT_FALSE(page.gap) << n;
      ASSERT_EQ(page.events.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const FeedEvent& expected = whole[whole.size() - count + i];
        ASSERT_EQ(page.events[i].Text(), expected.Text()) << n;
        ASSERT_EQ(page.events[i].cursor, expected.cursor) << n;
      }
      ASSERT_TRUE(Page("lb " + page.next).events.empty());
    }
    EXPECT_EQ(Page("lb -10000").events.size(), whole.size());
  }
}

TEST_F(FeedLast, NextContinuesWithLaterEvents) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD lb 1 a 2 b 3 c");
  const FeedPage page = Page("lb -2");
  EXPECT_EQ(Texts(page.events), (Lines{"put b 2 @3", "put c 3 @4"}));
  Do(10, "ZADD lb 4 d");
  Restart();
  Do(20, "ZADD lb 5 e");
  EXPECT_EQ(Texts(engine_->All("lb", page.next)), (Lines{"put d 4 @10", "put e 5 @20"}));
}

TEST_F(FeedLast, CountReturnsTheFirstOfTheLastEvents) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD lb 1 a 2 b 3 c 4 d");
  const FeedPage page = Page("lb -3 COUNT 2");
  EXPECT_EQ(Texts(page.events), (Lines{"put b 2 @3", "put c 3 @4"}));
  EXPECT_EQ(Texts(engine_->All("lb", page.next)), (Lines{"put d 4 @5"}));
  EXPECT_EQ(Page("lb -3 COUNT 100").events.size(), 3U);
}

TEST_F(FeedLast, NumbersOutsideTheLimitAreRefused) {
  Do(1, "LB.CREATE lb");
  EXPECT_EQ(Page("lb -10000").error, "");
  for (const char* from : {"-0", "-10001", "-9223372036854775808", "-99999999999999999999"}) {
    EXPECT_EQ(Page(std::string("lb ") + from).error,
              "ERR -n is -1 to -10000, got '" + std::string(from) + "'");
  }
  EXPECT_TRUE(Page("none -5").error.starts_with("NOBOARD"));
  Do(2, "ZADD set 1 a");
  EXPECT_TRUE(Page("set -5").error.starts_with("WRONGTYPE"));
}

TEST_F(FeedLast, FewerEventsThanAskedForAreAGapIfTheLogWasCutOff) {
  Restart(KeepingNothing());
  Do(1, "LB.CREATE lb");
  for (int i = 0; i < 1000; ++i) Do(10 + i, "ZADD lb " + std::to_string(i) + " a");
  EXPECT_FALSE(Page("lb -10000").gap);
  Do(2000, "SAVE");
  Do(2001, "ZADD lb -1 a");
  const std::vector<FeedEvent> whole = engine_->All("lb", "0", 10'000);
  ASSERT_GT(whole.size(), 0U);
  ASSERT_LT(whole.size(), 1000U);
  const FeedPage page = Page("lb -1000");
  EXPECT_EQ(page.error, "");
  EXPECT_TRUE(page.gap);
  EXPECT_EQ(Texts(page.events), Texts(whole));
  EXPECT_FALSE(Page("lb -1").gap);
  EXPECT_EQ(Texts(Page("lb -1").events), (Lines{"put a -1 @2001"}));
}

TEST_F(FeedLast, BoardWithoutEventsInTheLogIsAnEmptyPageWithAGap) {
  Restart(KeepingNothing());
  Do(1, "LB.CREATE lb");
  ASSERT_NO_FATAL_FAILURE(CutOff());
  const FeedPage page = Page("lb -5");
  EXPECT_EQ(page.error, "");
  EXPECT_TRUE(page.gap && page.events.empty());
  Do(4000, "ZADD lb 5 a");
  EXPECT_EQ(Texts(engine_->All("lb", page.next)), (Lines{"put a 5 @4000"}));
}

TEST_F(FeedLast, BoardThatIsNotDurableYetHasNoGapBeforeItsCreation) {
  Do(1, "LB.CREATE old");
  Do(2, "ZADD old 1 a");
  for (const storage::SyncMode sync : {storage::SyncMode::kEverySec, storage::SyncMode::kOff}) {
    EngineRig::Options options = FeedEngine::Keeping();
    options.log.sync = sync;
    Restart(options);
    const std::string lb = "lb" + std::to_string(static_cast<int>(sync));
    Do(100, "LB.CREATE " + lb);
    const auto waiting = engine_->Begin("LB.CHANGES " + lb + " -10 BLOCK 0");
    EXPECT_FALSE(Page(lb + " -10").gap);
    Do(101, "ZADD " + lb + " 1 a");
    EXPECT_FALSE(ToPage(waiting->Answer()).gap);
    EXPECT_FALSE(Page(lb + " -10").gap);
    EXPECT_FALSE(Page("old -10").gap) << "an older board";
    EXPECT_EQ(Page("old -10").events.size(), 2U);
  }
}

TEST_F(FeedLast, BlockWaitsOnlyIfThereIsNoEvent) {
  Restart(KeepingNothing());
  Do(1, "LB.CREATE lb");
  EXPECT_EQ(Page("lb -5 BLOCK 0").events.size(), 1U);
  ASSERT_NO_FATAL_FAILURE(CutOff());
  const auto waiting = engine_->Begin("LB.CHANGES lb -5 BLOCK 0");
  while (engine_->engine().Measure().blocked == 0) std::this_thread::yield();
  EXPECT_EQ(waiting->times_done(), 0);
  Do(4000, "ZADD lb 5 a");
  const FeedPage page = ToPage(waiting->Answer());
  EXPECT_EQ(Texts(page.events), (Lines{"put a 5 @4000"}));
  EXPECT_TRUE(page.gap);
}

TEST_F(FeedLast, EventsOfAnEarlierBoardOfTheNameAreNotAmongThem) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD lb 1 old");
  Do(3, "LB.DROP lb");
  Do(4, "LB.CREATE lb");
  Do(5, "ZADD lb 2 new");
  const FeedPage page = Page("lb -10");
  EXPECT_FALSE(page.gap);
  ASSERT_EQ(page.events.size(), 2U);
  EXPECT_EQ(page.events[0].cause, "created");
  EXPECT_EQ(page.events[1].Text(), "put new 2 @5");
  Exec(6, {"LB.DROP lb", "LB.CREATE lb"});
  EXPECT_EQ(Page("lb -10").events.size(), 1U);
  Do(7, "FLUSHALL");
  Do(8, "LB.CREATE lb");
  EXPECT_EQ(Page("lb -10").events.size(), 1U);
}

TEST_F(FeedLast, EventsFromBeforeARenameAreShownIfTheClientMayAccessTheNameBefore) {
  Do(1, "LB.CREATE secret");
  Do(2, "ZADD secret 1 s1");
  Do(3, "RENAME secret lb");
  Do(4, "ZADD lb 2 l2 3 l3");
  const Lines puts = {"put l2 2 @4", "put l3 3 @5"};
  for (const char* pattern : {"*", "[ls]*"}) {
    const FeedPage all = PageFor(pattern, "lb -10");
    EXPECT_FALSE(all.gap);
    ASSERT_EQ(all.events.size(), 5U) << pattern;
    EXPECT_EQ(all.events[1].Text(), "put s1 1 @2");
    EXPECT_EQ(all.events[2].Text(), "renamed name=lb");
  }
  for (const char* n : {"-3", "-4", "-10"}) {
    const FeedPage page = PageFor("lb", std::string("lb ") + n);
    EXPECT_EQ(Texts(page.events), puts) << n;
    EXPECT_TRUE(page.gap) << n;
  }
  EXPECT_FALSE(PageFor("lb", "lb -2").gap);
  EXPECT_EQ(Texts(PageFor("lb", "lb -1").events), (Lines{puts[1]}));
}

TEST_F(FeedLast, BoardThatReturnedToItsNameShowsEventsSinceItLeftTheName) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD lb 1 a");
  Do(3, "RENAME lb other");
  Do(4, "ZADD other 2 b");
  Do(5, "RENAME other lb");
  Do(6, "ZADD lb 3 c");
  const FeedPage page = Page("lb -10");
  EXPECT_EQ(Texts(page.events), (Lines{"put b 2 @4", "renamed name=lb", "put c 3 @6"}));
  EXPECT_TRUE(page.gap);
  EXPECT_EQ(Texts(PageFor("lb", "lb -10").events), (Lines{"put c 3 @6"}));
  Exec(7, {"RENAME lb other", "ZADD other 4 d", "RENAME other lb", "ZADD lb 5 e"});
  Do(20, "ZADD lb 6 f");
  EXPECT_EQ(Texts(Page("lb -10").events), (Lines{"put f 6 @20"}));
  EXPECT_EQ(Texts(PageFor("lb", "lb -10").events), (Lines{"put f 6 @20"}));
}

TEST_F(FeedLast, PeriodLeavesOutEventsOfOtherInstances) {
  Do(1, "LB.CREATE lb PERIODS 2 day all KEEP 2");
  Do(10, "LB.SUBMIT lb a 5");
  Do(kDay, "LB.SUBMIT lb b 6");
  Do(kDay + 1, "LB.SUBMIT lb c 7");
  const Lines today = {"put lb@day:2026-11-16 b 6 @86400000000",
                       "put lb@day:2026-11-16 c 7 @86400000001"};
  EXPECT_EQ(Texts(Page("lb@day -2").events), today);
  EXPECT_EQ(Texts(Page("lb -2 PERIOD day").events), today);
  EXPECT_EQ(
      Texts(Page("lb@day:-1 -2").events),
      (Lines{"put lb@day:2026-11-15 a 5 @10", "closed lb@day:2026-11-15 count=1 top=[1 a 5 @10]"}));
  EXPECT_EQ(Texts(Page("lb@all -1").events), (Lines{"put lb@all c 7 @86400000001"}));
  for (const char* board : {"lb", "lb@day", "lb@day:-1", "lb@all"}) {
    EXPECT_EQ(Texts(Page(std::string(board) + " -100").events), Texts(engine_->All(board)));
  }
}

// Counts the bytes read: the search costs about as much as it returns.
TEST(FeedLastCost, TheLastEventOfABoardCostsNoReadOfTheLogBefore) {
  SimulatedFolder folder;
  TestClock clock(kNoon);
  EngineRig::Options options = FeedEngine::Keeping();
  options.log.segment_bytes = 256 << 10;
  options.log.fill_bytes = 16 << 10;
  FeedEngine engine(&folder, &clock, options);
  engine.Ask("LB.CREATE lb");
  const std::string padding(200, 'x');
  for (int i = 0; i < 8000; ++i) {
    engine.Begin("ZADD lb " + std::to_string(i) + " " + padding + std::to_string(i))->Await();
  }
  const std::uint64_t log_bytes = engine.engine().Measure().persistence.log.bytes;
  ASSERT_GT(log_bytes, std::uint64_t{1} << 20);
  ASSERT_EQ(engine.Changes("lb", "-1").events.size(), 1U);  // builds the index of the last segment
  std::atomic<std::uint64_t> bytes_read = 0;
  folder.before_call = [&](const Call& call) {
    if (call.kind == CallKind::kRead) bytes_read += call.bytes;
  };
  EXPECT_EQ(engine.Changes("lb", "-1").events.size(), 1U);
  folder.before_call = nullptr;
  EXPECT_LT(bytes_read, std::uint64_t{64} << 10);
}

}  // namespace
}  // namespace laurel::testing
