// Pages and cursors of the feed: the events do not depend on the page size, and a cursor stays
// valid across restarts of the server.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/feed/feed_fixture.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

using FeedPages = FeedFixture;

// Writes one log batch with over 200 events of `lb`, and a few events before and after it.
void FillLargeBatch(FeedEngine* engine) {
  engine->Ask("LB.CREATE lb CAP 100 POLICY best");
  engine->Ask("LB.CREATE neighbour");
  std::string many = "LB.MSUBMIT lb 100";
  for (int i = 0; i < 100; ++i) many += " m" + std::to_string(i) + " " + std::to_string(i);
  engine->Ask({Split(many), Split("ZADD neighbour 1 a"), Split("LB.HIDE lb m99 m98 m97"),
               Split("LB.CLEAR lb"), Split(many), Split("LB.SHOW lb m98")});
  engine->Ask("ZADD neighbour 2 a");
  engine->Ask("LB.REMOVE lb m98 m96");
}

TEST_F(FeedPages, AnyPageSizeGivesTheSameEvents) {
  FillLargeBatch(engine_.get());
  const std::vector<FeedEvent> whole = engine_->All("lb", "0", 10'000);
  ASSERT_GT(whole.size(), 200U);
  for (const std::size_t count : {1, 2, 3, 7, 50, 99, 100, 101, 199, 200, 201, 1000}) {
    const std::vector<FeedEvent> paged = engine_->All("lb", "0", count);
    ASSERT_EQ(Texts(paged), Texts(whole)) << count;
    for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_EQ(paged[i].cursor, whole[i].cursor);
  }
}

TEST_F(FeedPages, ReadingContinuesAfterTheCursorOfAnyEventOrPage) {
  FillLargeBatch(engine_.get());
  const std::vector<FeedEvent> whole = engine_->All("lb", "0", 10'000);
  const std::vector<std::string> texts = Texts(whole);
  for (std::size_t i = 0; i < whole.size(); i += 1 + i % 3) {
    const std::vector<std::string> rest(texts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                        texts.end());
    ASSERT_EQ(Texts(engine_->All("lb", whole[i].cursor, 1000)), rest) << i;
    const FeedPage page = engine_->Changes("lb", "0", i + 1);
    ASSERT_EQ(page.events.size(), i + 1);
    ASSERT_EQ(Texts(engine_->All("lb", page.next, 17)), rest) << i;
  }
}

// The index of a segment is built in slices smaller than this segment, so a reader whose cursor is
// inside a batch waits for the index.
TEST_F(FeedPages, ReadingContinuesInsideABatchWhileTheIndexIsRebuilt) {
  EngineRig::Options large = FeedEngine::Keeping();
  large.log.segment_bytes = std::uint64_t{64} << 20;
  SimulatedFolder folder;
  auto engine = std::make_unique<FeedEngine>(&folder, &clock_, large);
  engine->Ask("LB.CREATE neighbour");
  engine->Ask("LB.SUBMIT neighbour a 1");
  const std::string meta(4000, 'x');
  for (int i = 0; i < 2500; ++i) engine->Ask("LB.META neighbour a " + meta + std::to_string(i));
  FillLargeBatch(engine.get());
  const std::vector<std::string> whole = Texts(engine->All("lb", "0", 10'000));
  const FeedPage first = engine->Changes("lb", "0", 100);
  engine.reset();
  engine = std::make_unique<FeedEngine>(&folder, &clock_, large);
  std::vector<std::string> told = Texts(first.events);
  for (const FeedEvent& event : engine->All("lb", first.next)) told.push_back(event.Text());
  EXPECT_EQ(told, whole);
}

TEST_F(FeedPages, EventsAreTheSameAfterRestartsSnapshotsAndPowerCuts) {
  FillLargeBatch(engine_.get());
  const std::vector<FeedEvent> whole = engine_->All("lb", "0", 10'000);
  const std::string end = engine_->End("lb");
  base::Random random(1);
  std::unique_ptr<SimulatedFolder> left;
  for (int i = 0; i < 4; ++i) {
    Do(1000 * (i + 1), "ZADD neighbour " + std::to_string(10 + i) + " a");
    if (i == 1) Do(1001 * (i + 1), "SAVE");
    if (i < 2) {
      Restart();
    } else {
      auto crashed = folder_.Crash(&random, {.survivors = CrashOptions::Survivors::kNone});
      engine_.reset();
      left = std::move(crashed);
      engine_ = std::make_unique<FeedEngine>(left.get(), &clock_);
    }
    EXPECT_EQ(Texts(engine_->All("lb", "0", 40)), Texts(whole));
    const std::vector<FeedEvent> rest = engine_->All("lb", whole[150].cursor, 9);
    EXPECT_EQ(rest.size(), whole.size() - 151);
    EXPECT_TRUE(engine_->All("lb", end).empty());
    EXPECT_FALSE(engine_->Changes("lb", end).gap);
  }
  engine_.reset();  // before its folder `left`
}

TEST_F(FeedPages, CursorOfARunWithoutWritesIsValidInTheNext) {
  Do(1, "LB.CREATE lb");
  Restart();
  const std::string end = engine_->End("lb");
  Restart();
  Do(10, "ZADD lb 5 a");
  const FeedPage page = engine_->Changes("lb", end);
  EXPECT_FALSE(page.gap);
  EXPECT_EQ(Texts(page.events), (Lines{"put a 5 @10"}));
}

TEST_F(FeedPages, EndCursorIsAfterPastEventsAndBeforeLaterOnes) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD lb 5 a");
  const FeedPage end = engine_->Changes("lb", "$");
  EXPECT_TRUE(end.events.empty() && !end.gap && !end.next.empty());
  EXPECT_TRUE(engine_->Changes("lb", end.next).events.empty());
  Do(3, "ZADD lb 6 a");
  EXPECT_EQ(Texts(engine_->All("lb", end.next)), (Lines{"put a 6 @3"}));
}

TEST_F(FeedPages, CursorBeforeTheStartOfTheLogIsAGapWithANextCursor) {
  EngineRig::Options options = FeedEngine::Keeping();
  options.keeper.keep_log_bytes = 0;
  Restart(options);
  Do(1, "LB.CREATE lb");
  const std::string early = engine_->End("lb");
  for (int i = 0; i < 1000; ++i) Do(10 + i, "ZADD lb " + std::to_string(i) + " a");
  Do(2000, "SAVE");
  Do(2001, "ZADD lb -1 a");
  FeedPage page = engine_->Changes("lb", early, 10'000);
  ASSERT_TRUE(page.gap);
  EXPECT_TRUE(page.events.empty());
  const std::vector<FeedEvent> rest = engine_->All("lb", page.next);
  ASSERT_FALSE(rest.empty());
  EXPECT_EQ(rest.back().Text(), "put a -1 @2001");
  EXPECT_EQ(Texts(engine_->All("lb", "0")), Texts(rest));
}

TEST_F(FeedPages, CursorOfAnotherServerIsAGap) {
  SimulatedFolder other_folder;
  FeedEngine other(&other_folder, &clock_);
  for (int i = 0; i < 5; ++i) {
    for (FeedEngine* engine : {&other, engine_.get()}) {
      engine->Ask(i == 0 ? "LB.CREATE lb" : "ZADD lb " + std::to_string(i) + " a");
    }
  }
  for (const FeedEvent& event : other.All("lb")) {
    const FeedPage page = engine_->Changes("lb", event.cursor);
    EXPECT_TRUE(page.gap) << event.cursor;
    EXPECT_TRUE(page.events.empty());
  }
}

TEST_F(FeedPages, CursorOfAnotherBoardRevealsNothingOfIt) {
  Do(1, "LB.CREATE mine");
  Do(2, "LB.CREATE secret");
  const std::string before = engine_->End("secret");
  Do(3, "ZADD secret 5 hidden");
  const auto expect_nothing = [&](const std::string& board) {
    for (const std::string& cursor : {before, engine_->End("secret")}) {
      const FeedPage page = engine_->Changes(board, cursor);
      EXPECT_TRUE(page.gap || !page.error.empty()) << board;
      EXPECT_TRUE(page.events.empty()) << board;
    }
  };
  expect_nothing("mine");
  expect_nothing("nobody");
  // Nor after the board was dropped.
  const std::string last = engine_->End("secret");
  Do(4, "LB.DROP secret");
  for (const char* board : {"mine", "nobody"}) {
    const FeedPage page = engine_->Changes(board, before);
    EXPECT_TRUE((page.gap || !page.error.empty()) && page.events.empty()) << board;
  }
  EXPECT_EQ(Texts(engine_->Changes("secret", last).events), (Lines{"dropped"}));
}

TEST_F(FeedPages, CursorOfADroppedBoardContinuesWithTheLatestBoardOfTheName) {
  Do(1, "LB.CREATE lb");
  Skip("lb");
  const std::string begin = engine_->End("lb");
  Lines expected;
  for (int i = 0; i < 4; ++i) {
    const Stamp at = 10 * (i + 1);
    Do(at, "ZADD lb " + std::to_string(i) + " m");
    expected.push_back("put m " + std::to_string(i) + " @" + std::to_string(at));
    if (i % 2 == 0) {
      Do(at + 1, "LB.DROP lb");
      Do(at + 2, "LB.CREATE lb");
    } else {
      Exec(at + 1, {"LB.DROP lb", "LB.CREATE lb"});
    }
    expected.push_back("dropped");
    expected.push_back("created spec=FIELDS 1 score:int:desc POLICY set TIE first");
  }
  // From a cursor of the first board: the rest of its events, then those of the last board. A
  // reader does not find boards that were created and dropped while it was away.
  const Lines told = {expected[0], expected[1], expected.back()};
  for (const std::size_t count : {1, 2, 3, 100}) {
    EXPECT_EQ(Texts(engine_->All("lb", begin, count)), told) << count;
  }
  EXPECT_EQ(Texts(engine_->All("lb")), (Lines{expected.back()}));
}

TEST_F(FeedPages, InvalidCursorsOptionsAndBoardsAreRefused) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD set 1 a");
  for (const char* line :
       {"LB.CHANGES lb 0 COUNT", "LB.CHANGES lb 0 COUNT 0", "LB.CHANGES lb 0 COUNT -1",
        "LB.CHANGES lb 0 COUNT x", "LB.CHANGES lb 0 BLOCK -1", "LB.CHANGES lb 0 BLOCK x",
        "LB.CHANGES lb 0 BLOCK", "LB.CHANGES lb 0 WITH", "LB.CHANGES lb 1", "LB.CHANGES lb -",
        "LB.CHANGES lb 0-0", "LB.CHANGES lb $$", "LB.CHANGES lb 1-2-3-4-5", "LB.CHANGES lb 1-2-3-g",
        "LB.CHANGES lb fffffffffffffffff-1-1-1"}) {
    const Value reply = Try(3, line);
    EXPECT_TRUE(reply.IsError() && reply.text.starts_with("ERR")) << line << reply.ToString();
  }
  EXPECT_TRUE(engine_->Changes("set", "0").error.starts_with("WRONGTYPE"));
  EXPECT_TRUE(engine_->Changes("none", "0").error.starts_with("NOBOARD"));
  EXPECT_TRUE(engine_->Changes("none", "$").error.starts_with("NOBOARD"));
}

TEST_F(FeedPages, ForgedCursorIsAnErrorAGapOrAPlaceInTheFeed) {
  FillLargeBatch(engine_.get());
  const std::vector<std::string> texts = Texts(engine_->All("lb", "0", 10'000));
  const std::string cursor = engine_->Changes("lb", "0", 120).next;
  base::Random random(TestSeed());
  for (int i = 0; i < 500; ++i) {
    std::string made_up = cursor;
    for (std::uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
      made_up[random.Below(made_up.size())] = "0123456789abcdef-"[random.Below(17)];
    }
    const FeedPage page = engine_->Changes("lb", made_up, 10'000);
    if (!page.error.empty() || page.gap) continue;
    const Lines told = Texts(page.events);
    ASSERT_LE(told.size(), texts.size()) << made_up;
    ASSERT_TRUE(std::equal(told.rbegin(), told.rend(), texts.rbegin())) << made_up;
  }
}

TEST_F(FeedPages, PagesAreFlatArraysInResp2) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD lb 5 a");
  const std::vector<Words> command = {{"LB.CHANGES", "lb", "0"}};
  const Value reply = engine_->Ask(command, wire::Protocol::kResp2);
  EXPECT_EQ(reply.type, '*');
  ASSERT_EQ(reply.elements.size(), 4U);
  const FeedPage page = ToPage(reply);
  EXPECT_EQ(Texts(page.events), Texts(engine_->All("lb")));
  EXPECT_EQ(page.events[1].value.type, '*');
  EXPECT_EQ(engine_->Ask(command).type, '%');
}

TEST(FeedInMemory, ChangesAreRefusedWithoutALog) {
  EngineRig rig{EngineRig::Options()};
  rig.client().protocol = wire::Protocol::kResp3;
  for (const char* line : {"LB.CREATE lb PERIODS 1 day", "LB.SUBMIT lb a 1", "LB.CHANGES lb 0",
                           "LB.CHANGES lb $ BLOCK 0", "LB.CHANGES lb -5",
                           "LB.CHANGES lb 0 MEMBER a", "LB.PERIODS lb"}) {
    const Value reply = rig.Ask(line);
    const bool feed = std::string(line).starts_with("LB.CHANGES");
    EXPECT_EQ(reply.IsError(), feed) << line << reply.ToString();
    EXPECT_TRUE(!feed || reply.text.starts_with("ERR")) << reply.text;
  }
}

// Counts the bytes read: a read of the feed costs about as much as it returns.
TEST(FeedCost, ReadingAQuietBoardSkipsTheLogOfABusyOne) {
  SimulatedFolder folder;
  TestClock clock(kNoon);
  EngineRig::Options options = FeedEngine::Keeping();
  options.log.segment_bytes = 256 << 10;
  options.log.fill_bytes = 16 << 10;
  FeedEngine engine(&folder, &clock, options);
  engine.Ask("LB.CREATE quiet");
  engine.Ask("LB.CREATE busy");
  std::string padding(200, 'x');
  for (int i = 0; i < 8000; ++i) {
    if (i % 2000 == 1000) engine.Ask("ZADD quiet " + std::to_string(i) + " m");
    engine.Begin("ZADD busy " + std::to_string(i) + " " + padding + std::to_string(i))->Await();
  }
  ASSERT_EQ(engine.All("quiet").size(), 5U);  // builds the index
  std::atomic<std::uint64_t> bytes_read = 0;
  const std::uint64_t log_bytes = engine.engine().Measure().persistence.log.bytes;
  folder.before_call = [&](const Call& call) {
    if (call.kind == CallKind::kRead) bytes_read += call.bytes;
  };
  EXPECT_EQ(engine.All("quiet").size(), 5U);
  folder.before_call = nullptr;
  ASSERT_GT(log_bytes, std::uint64_t{1} << 20);
  EXPECT_LT(bytes_read, log_bytes / 4);
}

}  // namespace
}  // namespace laurel::testing
