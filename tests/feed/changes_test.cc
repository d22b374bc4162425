// The events that each command emits to the change feed: every cause with its contents.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/feed/feed_fixture.h"

namespace laurel::testing {
namespace {

constexpr const char* kPlainSpec = "created spec=FIELDS 1 score:int:desc POLICY set TIE first";

class FeedCauses : public FeedFixture {
 protected:
  // Creates board `lb` with a 5, b 4, c 3, d 2, and skips these events.
  void FourMembers(const std::string& options = "") {
    Do(1, "LB.CREATE lb " + options);
    Do(2, "ZADD lb 5 a 4 b 3 c 2 d");
    Skip("lb");
  }
};

TEST_F(FeedCauses, EveryScoreWriteEmitsAPut) {
  Do(1, "LB.CREATE lb");
  EXPECT_EQ(News("lb"), (Lines{kPlainSpec}));
  Do(10, "ZADD lb 5 a 4 b");
  EXPECT_EQ(News("lb"), (Lines{"put a 5 @10", "put b 4 @11"}));
  Do(20, "ZADD lb XX CH 6 a 1 nobody");
  EXPECT_EQ(News("lb"), (Lines{"put a 6 @20"}));
  Do(30, "ZADD lb INCR 2 a");
  EXPECT_EQ(News("lb"), (Lines{"put a 8 @30"}));
  Do(40, "ZINCRBY lb -10 b");
  EXPECT_EQ(News("lb"), (Lines{"put b -6 @40"}));
  Do(50, "LB.SUBMIT lb a 7");
  EXPECT_EQ(News("lb"), (Lines{"put a 7 @50"}));
  Do(60, "LB.SET lb a 9223372036854775807");
  EXPECT_EQ(News("lb"), (Lines{"put a 9223372036854775807 @60"}));
  Do(70, "LB.INCR lb new -3");
  EXPECT_EQ(News("lb"), (Lines{"put new -3 @70"}));
  Do(80, "LB.MSUBMIT lb 3 x 1 a 2 y 3");
  EXPECT_EQ(News("lb"), (Lines{"put x 1 @80", "put a 2 @81", "put y 3 @82"}));
  Do(90, "LB.SUBMIT lb x 4 ID once");
  Do(91, "LB.SUBMIT lb x 4 ID once");
  EXPECT_EQ(News("lb"), (Lines{"put x 4 @90"}));
  Do(200, "LB.SET lb x 4 AT 1794744000000150us");
  EXPECT_EQ(News("lb"), (Lines{"put x 4 @150"}));
}

TEST_F(FeedCauses, PutHoldsEveryFieldExactly) {
  Do(1, "LB.CREATE run FIELDS 3 points:int:desc:sum deaths:int:asc:sum best:decimal3:asc:min");
  Do(10, "LB.SUBMIT run a 5 1 2.5");
  Do(20, "LB.SUBMIT run a 5 1 1.25");
  const Lines news = News("run");
  ASSERT_EQ(news.size(), 3U);
  EXPECT_EQ(news[1], "put a 5,1,2.500 @10");
  EXPECT_EQ(news[2], "put a 10,2,1.250 @20");
}

TEST_F(FeedCauses, EveryRemovalCommandEmitsARemoval) {
  FourMembers();
  Do(10, "ZREM lb b nobody");
  EXPECT_EQ(News("lb"), (Lines{"removed b"}));
  Do(20, "LB.REMOVE lb c d nobody");
  EXPECT_EQ(News("lb"), (Lines{"removed c", "removed d"}));
  Do(30, "ZADD lb 1 e 2 f 3 g 4 h 6 i 7 j 8 k");
  Skip("lb");
  Do(40, "ZPOPMIN lb");
  EXPECT_EQ(News("lb"), (Lines{"removed e"}));
  Do(41, "ZPOPMAX lb 1");
  EXPECT_EQ(News("lb"), (Lines{"removed k"}));
  Do(42, "ZMPOP 1 lb MIN COUNT 1");
  EXPECT_EQ(News("lb"), (Lines{"removed f"}));
  Do(43, "BZPOPMAX lb 0");
  EXPECT_EQ(News("lb"), (Lines{"removed j"}));
  Do(44, "LB.POP lb 1");
  EXPECT_EQ(News("lb"), (Lines{"removed i"}));
  Do(45, "LB.POP lb 1 BOTTOM");
  EXPECT_EQ(News("lb"), (Lines{"removed g"}));
  Do(50, "ZADD lb 1 e 2 f 3 g 6 i");
  Skip("lb");
  Do(60, "ZREMRANGEBYRANK lb 0 0");
  EXPECT_EQ(News("lb"), (Lines{"removed e"}));
  Do(61, "ZREMRANGEBYSCORE lb 2 2");
  EXPECT_EQ(News("lb"), (Lines{"removed f"}));
  Do(62, "LB.TRIM lb 3");
  EXPECT_EQ(News("lb"), (Lines{"removed g"}));
}

// Up to 1,000 removals are events of their own.
TEST_F(FeedCauses, RemovalOfOver1000EntriesIsOneRangeEvent) {
  Do(1, "LB.CREATE lb POLICY best");
  std::string many = "ZADD lb";
  for (int i = 0; i < 4'000; ++i) many += " " + std::to_string(i) + " m" + std::to_string(i);
  Do(2, many);
  Skip("lb");
  Do(5'000, "LB.TRIM lb 3000");
  EXPECT_EQ(News("lb").size(), 1'000U);
  Do(5'001, "LB.TRIM lb 1999");
  EXPECT_EQ(News("lb"),
            (Lines{R"(removed-range count=1001 first={"member": "m2000", "score": ["2000"], )"
                   R"("stamp": 1794744000002002} last={"member": "m1000", "score": ["1000"], )"
                   R"("stamp": 1794744000001002})"}));
  Do(5'002, "LB.ALTER lb CAP 10");
  const Lines evicted = News("lb");
  ASSERT_EQ(evicted.size(), 2U);
  EXPECT_TRUE(evicted[1].starts_with(R"(evicted-range count=1989 first={"member": "m3989")"))
      << evicted[1];
  Do(5'003, "LB.ALTER lb CAP 0");
  Do(5'004, many);
  for (const char* line :
       {"ZREMRANGEBYRANK lb 0 1500", "ZREMRANGEBYSCORE lb 1600 2900", "LB.POP lb 1001"}) {
    Skip("lb");
    Do(5'005, line);
    const Lines news = News("lb");
    ASSERT_EQ(news.size(), 1U) << line;
    EXPECT_TRUE(news[0].starts_with("removed-range count=1")) << news[0];
  }
  Restart();
  EXPECT_EQ(Try(6'000, "LB.SIZE lb").Integer(), 4'000 - 1'501 - 1'301 - 1'001);
}

TEST_F(FeedCauses, BlockedPopEmitsThePutAndTheRemoval) {
  Do(1, "LB.CREATE lb");
  Skip("lb");
  const std::unique_ptr<TestPipeline> pop = engine_->Begin("BZPOPMIN lb 0");
  Do(10, "ZADD lb 5 a");
  EXPECT_EQ(pop->Answer().elements.size(), 3U);
  EXPECT_EQ(News("lb"), (Lines{"put a 5 @10", "removed a"}));
}

TEST_F(FeedCauses, ClearDelUnlinkAndExpireEmitCleared) {
  FourMembers();
  Do(10, "LB.CLEAR lb");
  EXPECT_EQ(News("lb"), (Lines{"cleared"}));
  Do(20, "ZADD lb 5 a");
  Do(21, "DEL lb");
  EXPECT_EQ(News("lb"), (Lines{"put a 5 @20", "cleared"}));
  Do(30, "ZADD lb 5 a");
  Do(31, "UNLINK lb");
  EXPECT_EQ(News("lb"), (Lines{"put a 5 @30", "cleared"}));
  Do(40, "ZADD lb 5 a");
  Do(41, "PEXPIRE lb 10");
  EXPECT_EQ(News("lb"), (Lines{"put a 5 @40"}));
  TickAt(50'000);
  EXPECT_EQ(News("lb"), (Lines{"cleared"}));
  Do(50'010, "ZADD lb 5 a");
  Do(50'011, "PEXPIRE lb 10");
  Skip("lb");
  Do(99'000, "ZADD lb 6 b");  // this write finds the entries expired
  EXPECT_EQ(News("lb"), (Lines{"cleared", "put b 6 @99000"}));
}

TEST_F(FeedCauses, CapEmitsEvictions) {
  FourMembers("CAP 4 POLICY best");
  Do(10, "LB.SUBMIT lb e 9");
  EXPECT_EQ(News("lb"), (Lines{"put e 9 @10", "evicted d"}));
  Do(20, "LB.SUBMIT lb f 1");
  Do(21, "ZADD lb 2 f");
  EXPECT_EQ(News("lb"), Lines{});
  Do(30, "LB.ALTER lb CAP 2");
  Lines news = News("lb");
  std::sort(news.begin(), news.end());
  EXPECT_EQ(news, (Lines{"altered spec=FIELDS 1 score:int:desc POLICY best TIE first CAP 2",
                         "evicted b", "evicted c"}));
  Do(40, "LB.MSUBMIT lb 3 x 6 y 7 z 8");
  std::map<std::string, std::string> board{{"a", "5"}, {"e", "9"}};
  for (const FeedEvent& event : engine_->All("lb", cursors_["lb"])) {
    if (event.cause == "put") board[event.member] = event.score;
    if (event.cause == "evicted") {
      EXPECT_EQ(board.erase(event.member), 1U) << event.member;
    }
  }
  EXPECT_EQ(board, (std::map<std::string, std::string>{{"e", "9"}, {"z", "8"}}));
}

TEST_F(FeedCauses, HideAndShowEmitChangesOfTheHiddenMark) {
  FourMembers("CAP 4 POLICY best");
  Do(10, "LB.HIDE lb a nobody");
  EXPECT_EQ(News("lb"), (Lines{"hidden a", "hidden nobody"}));
  Do(11, "LB.HIDE lb a");
  EXPECT_EQ(News("lb"), Lines{});
  Do(20, "LB.SUBMIT lb a 7");
  Do(21, "LB.SUBMIT lb e 1");
  EXPECT_EQ(News("lb"), (Lines{"put a 7 @20", "put e 1 @21"}));
  Do(30, "LB.SHOW lb nobody");
  EXPECT_EQ(News("lb"), (Lines{"shown nobody"}));
  // The shown member takes a place under the cap again, which evicts the worst entry.
  Do(31, "LB.SHOW lb a");
  const Lines news = News("lb");
  ASSERT_GE(news.size(), 2U);
  EXPECT_EQ(news.front(), "shown a");
  EXPECT_EQ(news.back(), "evicted e");
  Do(32, "LB.SHOW lb a");
  EXPECT_EQ(News("lb"), Lines{});
  Do(40, "LB.HIDE lb b");
  Do(41, "LB.REMOVE lb b");
  EXPECT_EQ(News("lb"), (Lines{"hidden b", "removed b"}));
}

TEST_F(FeedCauses, CommandsThatChangeNothingEmitNothing) {
  FourMembers("POLICY best");
  const std::string before = engine_->End("lb");
  for (const char* line : {"LB.CREATE lb POLICY best",
                           "ZADD lb 5 a",
                           "ZADD lb NX 9 a",
                           "ZADD lb XX 9 nobody",
                           "ZINCRBY lb 0 a",
                           "LB.SUBMIT lb a 5",
                           "LB.SUBMIT lb a 1",
                           "LB.SET lb a 5",
                           "LB.INCR lb a 0",
                           "LB.SUBMIT lb nobody 1 XX",
                           "LB.SUBMIT lb a 9 NX",
                           "ZREM lb nobody",
                           "LB.REMOVE lb nobody",
                           "ZREMRANGEBYSCORE lb 100 200",
                           "LB.TRIM lb 10",
                           "LB.SHOW lb a",
                           "LB.TOP lb 3",
                           "ZCARD lb",
                           "EXPIRE lb 1000",
                           "PERSIST lb",
                           "SAVE",
                           "LB.POP lb 0",
                           "LB.META lb nobody x",
                           "LB.ALTER lb CAP 0"}) {
    Try(100, line);
    EXPECT_EQ(News("lb"), Lines{}) << line;
  }
  // Refused.
  for (const char* line :
       {"LB.SUBMIT lb a x", "LB.MSUBMIT lb 2 x 5 y z", "ZINTERSTORE lb 1 lb", "LB.CREATE lb CAP 2",
        "ZUNIONSTORE lb 1 lb", "ZRANGESTORE lb lb 0 -1", "LB.SUBMIT lb a 1 AT 2030-01-01T00:00:00Z",
        "ZADD lb 1.5 a", "ZADD lb 1 m 99999999999999999999 n"}) {
    EXPECT_TRUE(Try(200, line).IsError()) << line;
    EXPECT_EQ(News("lb"), Lines{}) << line;
  }
  Do(300, "ZADD other 1 a");
  Do(301, "LB.CREATE another");
  EXPECT_EQ(News("lb"), Lines{});
  EXPECT_TRUE(engine_->All("lb", before).empty());
}

TEST_F(FeedCauses, CreateTemplateAdoptAndCopyEmitCreated) {
  Do(1, "LB.TEMPLATE SET rank:* POLICY sum");
  Do(2, "ZADD rank:a 5 m");
  EXPECT_EQ(News("rank:a"),
            (Lines{"created spec=FIELDS 1 score:int:desc POLICY sum TIE first", "put m 5 @2"}));
  Do(3, "ZADD set 2 x 3 y 1 z");
  Do(10, "LB.CREATE set FIELDS 1 points:int ADOPT");
  Lines news = News("set");
  ASSERT_EQ(news.size(), 4U);
  EXPECT_EQ(news[0], "created spec=FIELDS 1 points:int:desc POLICY set TIE first");
  for (const char* member : {"x 2", "y 3", "z 1"}) {
    EXPECT_EQ(std::count_if(news.begin(), news.end(),
                            [&](const std::string& text) {
                              return text.starts_with(std::string("put ") + member + " @");
                            }),
              1)
        << member;
  }
  Do(19, "ZADD rank:a 1 seen");
  Do(20, "LB.HIDE rank:a m");
  Do(21, "LB.HIDE rank:a n");
  Do(22, "COPY rank:a copy");
  news = News("copy");
  ASSERT_FALSE(news.empty());
  EXPECT_EQ(news[0], "created spec=FIELDS 1 score:int:desc POLICY sum TIE first");
  std::sort(news.begin(), news.end());
  EXPECT_EQ(news, (Lines{news[0], "hidden m", "hidden n", "put m 5 @2", "put seen 1 @19"}));
  EXPECT_EQ(News("rank:a"), (Lines{"put seen 1 @19", "hidden m", "hidden n"}));
}

TEST_F(FeedCauses, AlterEmitsTheNewSpec) {
  FourMembers();
  Do(10, "LB.ALTER lb POLICY best END 2026-11-20T00:00:00Z GRACE 90s");
  EXPECT_EQ(News("lb"), (Lines{"altered spec=FIELDS 1 score:int:desc POLICY best TIE first END "
                               "2026-11-20T00:00:00.000000Z GRACE 90s"}));
}

TEST_F(FeedCauses, ExpireOptionOfTheBoardEmitsExpired) {
  Do(1, "LB.CREATE w END 2026-11-16T12:00:00Z EXPIRE 1d");
  Do(2, "LB.SUBMIT w a 1");
  Skip("w");
  TickAt(kDay);
  EXPECT_EQ(News("w"), Lines{});
  TickAt(2 * kDay);
  EXPECT_EQ(News("w"), (Lines{"expired"}));
  // Without END, EXPIRE counts from the last write.
  Do(3 * kDay, "LB.CREATE v EXPIRE 1d");
  Do(3 * kDay + kHour, "LB.SUBMIT v a 1");
  Skip("v");
  TickAt(4 * kDay);
  EXPECT_EQ(News("v"), Lines{});
  Try(4 * kDay + 2 * kHour, "LB.TOP v 1");  // this read may be the first to find it expired
  engine_->Tick();
  EXPECT_EQ(News("v"), (Lines{"expired"}));
}

TEST_F(FeedCauses, DropEmitsDropped) {
  FourMembers();
  Do(10, "LB.DROP lb");
  EXPECT_EQ(News("lb"), (Lines{"dropped"}));
  Do(20, "LB.CREATE lb");
  Do(21, "ZADD lb 1 a");
  EXPECT_EQ(News("lb"), (Lines{kPlainSpec, "put a 1 @21"}));
}

// The log record of a flush names no boards, so a reader that asks later gets no event for it: the
// name is absent, or belongs to another board, which is a gap.
TEST_F(FeedCauses, FlushallEmitsDroppedToBlockedReadersAndIsAGapForOthers) {
  FourMembers();
  const std::unique_ptr<TestPipeline> waiting =
      engine_->Begin("LB.CHANGES lb " + cursors_["lb"] + " BLOCK 0");
  const std::unique_ptr<TestPipeline> late = engine_->Begin("LB.CHANGES lb $ BLOCK 0");
  Do(30, "FLUSHALL");
  EXPECT_EQ(Texts(ToPage(waiting->Answer()).events), (Lines{"dropped"}));
  EXPECT_EQ(Texts(ToPage(late->Answer()).events), (Lines{"dropped"}));
  EXPECT_TRUE(engine_->Changes("lb", cursors_["lb"]).error.starts_with("NOBOARD"));
  Do(31, "LB.CREATE lb");
  const FeedPage page = engine_->Changes("lb", cursors_["lb"]);
  EXPECT_TRUE(page.gap);
  EXPECT_EQ(Texts(engine_->All("lb", page.next)), (Lines{kPlainSpec}));
}

TEST_F(FeedCauses, RenameEmitsTheNewNameAndTheOldNameStaysDeclared) {
  FourMembers();
  Do(10, "RENAME lb other");
  Do(11, "ZADD lb 7 z");
  Do(12, "ZADD other 8 y");
  EXPECT_EQ(News("lb"), (Lines{"renamed name=other", kPlainSpec, "put z 7 @11"}));
  EXPECT_EQ(News("other"), (Lines{kPlainSpec, "put a 5 @2", "put b 4 @3", "put c 3 @4",
                                  "put d 2 @5", "renamed name=other", "put y 8 @12"}));
}

TEST_F(FeedCauses, RenameOntoABoardDropsThatBoard) {
  FourMembers();
  Do(5, "LB.CREATE target");
  Do(6, "ZADD target 1 old");
  EXPECT_EQ(News("target"), (Lines{kPlainSpec, "put old 1 @6"}));
  Do(10, "RENAME lb target");
  EXPECT_EQ(News("target"), (Lines{"dropped"}));
  // The history of the renamed board under its old name is not shown here: it is a gap.
  const FeedPage page = engine_->Changes("target", cursors_["target"]);
  EXPECT_TRUE(page.gap);
  EXPECT_EQ(Texts(page.events), Lines{});
  Do(11, "ZADD target 8 y");
  EXPECT_EQ(Texts(engine_->All("target", page.next)), (Lines{"put y 8 @11"}));
}

TEST_F(FeedCauses, BoardThatReturnsToItsNameIsAGap) {
  FourMembers();
  Do(10, "RENAME lb other");
  Do(11, "ZADD other 8 y");
  Do(12, "RENAME other lb");
  EXPECT_EQ(News("lb"), (Lines{"renamed name=other"}));
  const FeedPage page = engine_->Changes("lb", cursors_["lb"]);
  EXPECT_TRUE(page.gap);
  Do(20, "ZADD lb 9 y");
  EXPECT_EQ(Texts(engine_->All("lb", page.next)), (Lines{"put y 9 @20"}));
}

TEST_F(FeedCauses, TransactionEmitsTheEventsOfEachBoardInOrder) {
  FourMembers();
  Do(5, "LB.CREATE second");
  Skip("second");
  Exec(10, {"ZADD lb 9 a", "ZADD second 1 a", "ZREM lb b", "LB.SUBMIT lb x y", "LB.CLEAR second",
            "ZADD lb 9 a", "ZADD second 2 b"});
  EXPECT_EQ(News("lb"), (Lines{"put a 9 @10", "removed b"}));
  const Lines second = News("second");
  ASSERT_EQ(second.size(), 3U);
  EXPECT_EQ(second[0].substr(0, 7), "put a 1");
  EXPECT_EQ(second[1], "cleared");
  EXPECT_EQ(second[2].substr(0, 7), "put b 2");
}

using FeedPeriods = FeedFixture;

TEST_F(FeedPeriods, SubmitEmitsAPutForEachInstance) {
  Do(1, "LB.CREATE lb PERIODS 4 day all week month");
  Skip("lb");
  Do(10, "LB.SUBMIT lb a 5");
  EXPECT_EQ(News("lb"), (Lines{"put lb@day:2026-11-15 a 5 @10", "put lb@all a 5 @10",
                               "put lb@week:2026-W46 a 5 @10", "put lb@month:2026-11 a 5 @10"}));
  Do(20, "LB.POP lb@day 1");
  EXPECT_EQ(News("lb"), (Lines{"removed lb@day:2026-11-15 a"}));
  Do(30, "LB.SUBMIT lb a 5");
  EXPECT_EQ(News("lb"), (Lines{"put lb@day:2026-11-15 a 5 @30"}));
  Do(40, "LB.HIDE lb a");
  EXPECT_EQ(News("lb"), (Lines{"hidden a"}));
}

TEST_F(FeedPeriods, CapAndPolicyApplyToEachInstance) {
  Do(1, "LB.CREATE lb POLICY best CAP 1 PERIODS 2 hour day");
  Do(10, "LB.SUBMIT lb a 5");
  Skip("lb");
  Do(kHour, "LB.SUBMIT lb b 3");
  EXPECT_EQ(News("lb"), (Lines{"closed lb@hour:2026-11-15T12+0000 count=1 top=[1 a 5 @10]",
                               "put lb@hour:2026-11-15T13+0000 b 3 @3600000000"}));
  Do(kHour + 10, "LB.SUBMIT lb c 4");
  EXPECT_EQ(News("lb"), (Lines{"put lb@hour:2026-11-15T13+0000 c 4 @3600000010",
                               "evicted lb@hour:2026-11-15T13+0000 b"}));
}

TEST_F(FeedPeriods, CloseIsEmittedOnceAtTheEndPlusGrace) {
  Do(1, "LB.CREATE lb PERIODS 1 day GRACE 1h");
  Do(10, "LB.MSUBMIT lb 3 a 5 b 7 c 6");
  Do(20, "LB.HIDE lb c");
  Skip("lb");
  TickAt(kDay / 2);
  Do(kDay / 2 + 1, "LB.SUBMIT lb late 9 AT 2026-11-15T23:59:59Z");
  Do(kDay / 2 + 2, "LB.SUBMIT lb next 1");
  EXPECT_EQ(News("lb"), (Lines{"put lb@day:2026-11-15 late 9 @43199000000",
                               "put lb@day:2026-11-16 next 1 @43200000002"}));
  TickAt(kDay / 2 + kHour + 1);
  const Lines closed = {
      "closed lb@day:2026-11-15 count=3 top=[1 late 9 @43199000000; 2 b 7 @11; 3 a 5 @10]"};
  EXPECT_EQ(News("lb"), closed);
  EXPECT_TRUE(Try(kDay / 2 + kHour, "LB.SUBMIT lb x 1 AT 2026-11-15T23:59:59Z").IsError());
  TickAt(kDay / 2 + 2 * kHour);
  Restart();
  engine_->Tick();
  EXPECT_EQ(News("lb"), Lines{});
}

TEST_F(FeedPeriods, CloseDuringDowntimeIsEmittedAfterTheStart) {
  Do(1, "LB.CREATE lb PERIODS 1 day KEEP 3");
  Do(10, "LB.SUBMIT lb a 5");
  Skip("lb");
  engine_.reset();
  clock_.Set(kNoon + 2 * kDay);
  engine_ = std::make_unique<FeedEngine>(&folder_, &clock_);
  engine_->Tick();
  EXPECT_EQ(News("lb"), (Lines{"closed lb@day:2026-11-15 count=1 top=[1 a 5 @10]"}));
}

TEST_F(FeedPeriods, CloseHoldsTheBest100) {
  Do(1, "LB.CREATE lb PERIODS 1 day");
  for (int i = 0; i < 150; ++i) Do(10 + i, "LB.SUBMIT lb m" + std::to_string(i) + " 1");
  Skip("lb");
  TickAt(kDay);
  const FeedPage page = engine_->Changes("lb", cursors_["lb"]);
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_EQ(page.events[0].value.Find("count")->Integer(), 150);
  const Value* top = page.events[0].value.Find("top");
  ASSERT_EQ(top->elements.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(top->elements[i].Find("member")->text, "m" + std::to_string(i));
    EXPECT_EQ(top->elements[i].Find("rank")->Integer(), static_cast<std::int64_t>(i + 1));
    EXPECT_EQ(top->elements[i].Find("stamp")->Integer(), kNoon + 10 + static_cast<Stamp>(i));
    EXPECT_EQ(top->elements[i].Find("score")->ToString(), "[\"1\"]");
  }
}

TEST_F(FeedPeriods, RemovalOnTheBareNameEmitsAnEventForEachInstance) {
  Do(1, "LB.CREATE lb PERIODS 2 day all KEEP 2");
  Do(10, "LB.SUBMIT lb a 5");
  Do(kDay, "LB.SUBMIT lb a 6");
  Skip("lb");
  Do(kDay + 10, "LB.REMOVE lb a");
  Lines news = News("lb");
  std::sort(news.begin(), news.end());
  EXPECT_EQ(news, (Lines{"removed lb@all a", "removed lb@day:2026-11-15 a",
                         "removed lb@day:2026-11-16 a"}));
  Do(kDay + 20, "LB.SUBMIT lb b 6");
  Skip("lb");
  Do(kDay + 30, "DEL lb");
  Do(kDay + 40, "LB.SUBMIT lb b 7");
  std::map<std::string, std::string> replica{{"lb@day:2026-11-16", "b"}, {"lb@all", "b"}};
  for (const FeedEvent& event : engine_->All("lb", cursors_["lb"])) {
    if (event.cause == "cleared" && event.board.empty()) replica.clear();
    if (event.cause == "cleared") replica.erase(event.board);
    if (event.cause != "put") continue;
    EXPECT_TRUE(replica.try_emplace(event.board, event.member).second) << event.board;
  }
  EXPECT_EQ(replica.size(), 2U);
}

TEST_F(FeedPeriods, InstanceNameShowsEventsOfThatInstanceAndOfTheWholeBoard) {
  Do(1, "LB.CREATE lb PERIODS 2 day all KEEP 2");
  Do(10, "LB.SUBMIT lb a 5");
  Do(20, "LB.HIDE lb a");
  Do(kDay, "LB.SUBMIT lb b 6");
  const std::string created =
      "created spec=FIELDS 1 score:int:desc POLICY set TIE first PERIODS 2 day all TZ UTC KEEP 2";
  const std::string closed = "closed lb@day:2026-11-15 count=0 top=[]";
  const std::string put15 = "put lb@day:2026-11-15 a 5 @10";
  const std::string put16 = "put lb@day:2026-11-16 b 6 @86400000000";
  EXPECT_EQ(Texts(engine_->All("lb@day")), (Lines{created, put15, "hidden a", closed, put16}));
  const Lines before = {created, put15, "hidden a", closed};
  EXPECT_EQ(Texts(engine_->All("lb@day:-1")), before);
  EXPECT_EQ(Texts(engine_->All("lb@day:2026-11-15")), before);
  EXPECT_EQ(Texts(engine_->All("lb@day:2026-11-16")), (Lines{created, "hidden a", put16}));
  EXPECT_EQ(Texts(engine_->All("lb@all")),
            (Lines{created, "put lb@all a 5 @10", "hidden a", "put lb@all b 6 @86400000000"}));
  for (std::size_t count = 1; count < 5; ++count) {
    EXPECT_EQ(Texts(engine_->All("lb@day:-1", "0", count)), before) << count;
  }
  EXPECT_NE(engine_->Changes("lb@month", "0").error, "");
  EXPECT_NE(engine_->Changes("other@day", "0").error, "");
}

TEST_F(FeedPeriods, LbPeriodsListsKeptInstancesWithTheCursorOfTheirClose) {
  Do(1, "LB.CREATE lb PERIODS 2 day all KEEP 2");
  for (int day = 0; day < 5; ++day) {
    Do(day * kDay, "LB.SUBMIT lb a " + std::to_string(day));
    Do(day * kDay + 1, "LB.SUBMIT lb b " + std::to_string(day));
    engine_->Tick();
  }
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const Value periods = engine_->Ask("LB.PERIODS lb");
    std::vector<std::string> names;
    for (const Value& instance : periods.elements) {
      const std::string name = instance.Find("board")->text;
      names.push_back(name);
      EXPECT_EQ(instance.Find("size")->Integer(), 2);
      const bool open = name == "lb@all" || name == "lb@day:2026-11-19";
      EXPECT_EQ(instance.Find("present")->text, open ? "t" : "f") << name;
      EXPECT_EQ(instance.Find("closed")->IsNull(), open) << name;
      EXPECT_EQ(instance.Find("period")->text, name == "lb@all" ? "all" : "day");
      if (name == "lb@all") {
        EXPECT_TRUE(instance.Find("begin")->IsNull() && instance.Find("end")->IsNull());
        continue;
      }
      EXPECT_EQ(instance.Find("end")->Integer() - instance.Find("begin")->Integer(), kDay);
      if (open) continue;
      const FeedPage page = engine_->Changes("lb", instance.Find("closed")->text, 1);
      EXPECT_EQ(page.error, "");
      EXPECT_FALSE(page.gap);
      ASSERT_EQ(page.events.size(), 1U);
      EXPECT_TRUE(page.events[0].Text().starts_with("closed " + name + " count=2")) << name;
    }
    EXPECT_EQ(names,
              (Lines{"lb@day:2026-11-19", "lb@day:2026-11-18", "lb@day:2026-11-17", "lb@all"}));
  }
}

TEST_F(FeedPeriods, LbPeriodsIsEmptyForAPlainBoardAndRefusedForOthers) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD set 1 a");
  const Value plain = Try(3, "LB.PERIODS lb");
  EXPECT_TRUE(plain.IsError() || plain.elements.empty()) << plain.ToString();
  EXPECT_TRUE(Try(4, "LB.PERIODS set").text.starts_with("WRONGTYPE"));
  EXPECT_TRUE(Try(5, "LB.PERIODS none").text.starts_with("NOBOARD"));
}

}  // namespace
}  // namespace laurel::testing
