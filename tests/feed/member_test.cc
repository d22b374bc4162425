// LB.CHANGES with MEMBER: the events of one member are those of all members, filtered.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/feed/feed_fixture.h"

namespace laurel::testing {
namespace {

class FeedMember : public FeedFixture {
 protected:
  FeedPage Page(const std::string& line) { return ToPage(engine_->Ask("LB.CHANGES " + line)); }
  // All events about the member, in pages of `count`.
  std::vector<FeedEvent> All(const std::string& board, const std::string& member,
                             std::size_t count = 100, std::string from = "0") {
    std::vector<FeedEvent> all;
    for (;;) {
      const FeedPage page = ToPage(engine_->Ask(
          {{"LB.CHANGES", board, from, "MEMBER", member, "COUNT", std::to_string(count)}}));
      EXPECT_EQ(page.error, "");
      EXPECT_FALSE(page.gap);
      if (page.events.empty()) return all;
      all.insert(all.end(), page.events.begin(), page.events.end());
      from = page.next;
    }
  }
};

constexpr const char* kCreated = "created spec=FIELDS 1 score:int:desc POLICY best TIE first CAP 3";

TEST_F(FeedMember, ShowsTheEventsOfTheMemberAndThoseOfTheWholeBoard) {
  Do(1, "LB.CREATE lb POLICY best CAP 3");
  Do(10, "LB.MSUBMIT lb 3 a 5 b 4 c 3");
  Do(20, "LB.SUBMIT lb d 9");
  Do(30, "LB.HIDE lb a b");
  Do(40, "LB.SHOW lb b");
  Do(50, "LB.REMOVE lb b d");
  Do(60, "LB.CLEAR lb");
  Do(70, "LB.ALTER lb CAP 0");
  Do(75, "ZADD lb 1 z");
  Do(80, "RENAME lb other");
  const std::string altered = "altered spec=FIELDS 1 score:int:desc POLICY best TIE first";
  EXPECT_EQ(Texts(All("other", "c")), (Lines{kCreated, "put c 3 @12", "evicted c", "cleared",
                                             altered, "renamed name=other"}));
  EXPECT_EQ(Texts(All("other", "nobody")),
            (Lines{kCreated, "cleared", altered, "renamed name=other"}));
  EXPECT_EQ(Texts(All("other", "b")),
            (Lines{kCreated, "put b 4 @11", "hidden b", "shown b", "put b 4 @11", "removed b",
                   "cleared", altered, "renamed name=other"}));
}

TEST_F(FeedMember, ShowsRangesBecauseTheyMayHoldTheMember) {
  EngineRig::Options options = FeedEngine::Keeping();
  options.shape.listed_removals = 1;
  Restart(options);
  Do(1, "LB.CREATE lb");
  Do(10, "ZADD lb 1 a 2 b 3 c 4 d");
  Do(20, "LB.TRIM lb 2");
  const std::vector<FeedEvent> events = All("lb", "nobody");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].cause, "removed-range");
}

TEST_F(FeedMember, ShowsTheEndOfTheBoard) {
  Do(1, "LB.CREATE lb");
  const std::string end = engine_->End("lb");
  const auto waiting = engine_->Begin("LB.CHANGES lb " + end + " MEMBER a BLOCK 0");
  Do(2, "ZADD lb 1 b");
  Do(3, "LB.DROP lb");
  EXPECT_EQ(Texts(ToPage(waiting->Answer()).events), (Lines{"dropped"}));
}

TEST_F(FeedMember, GoesWithPeriods) {
  Do(1, "LB.CREATE lb PERIODS 2 day all");
  Do(10, "LB.MSUBMIT lb 2 a 5 b 6");
  Do(20, "LB.HIDE lb a b");
  const Lines expected = {"put lb@day:2026-11-15 a 5 @10", "hidden a"};
  Lines told = Texts(All("lb@day", "a"));
  ASSERT_EQ(told.size(), 3U);
  told.erase(told.begin());  // created
  EXPECT_EQ(told, expected);
  EXPECT_EQ(Texts(Page("lb -2 PERIOD day MEMBER a").events), expected);
}

TEST_F(FeedMember, EventsAreTheSameInPagesOfAnySizeFromAnyCursorAndAsTheLastEvents) {
  Do(1, "LB.CREATE lb");
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    if (i % 5 == 0) Exec(10 * i + 10, {"ZADD lb " + n + " a " + n + " b", "ZADD lb 1 c 2 a"});
    Do(10 * i + 15, "ZADD lb " + n + " m" + std::to_string(i % 3));
    if (i == 20) Do(10 * i + 16, "LB.CLEAR lb");
  }
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const std::vector<FeedEvent> everything = engine_->All("lb", "0", 10'000);
    for (const std::string member : {"a", "b", "m1", "nobody"}) {
      std::vector<FeedEvent> expected;
      std::copy_if(
          everything.begin(), everything.end(), std::back_inserter(expected),
          [&](const FeedEvent& event) { return event.member.empty() || event.member == member; });
      for (const std::size_t count : {1, 2, 3, 7, 1000}) {
        const std::vector<FeedEvent> paged = All("lb", member, count);
        ASSERT_EQ(Texts(paged), Texts(expected)) << member << " " << count;
        for (std::size_t i = 0; i < paged.size(); ++i) {
          ASSERT_EQ(paged[i].cursor, expected[i].cursor);
        }
      }
      const std::vector<std::string> texts = Texts(expected);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto rest = texts.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        ASSERT_EQ(Texts(All("lb", member, 3, expected[i].cursor)), Lines(rest, texts.end()));
        const std::string n = std::to_string(texts.size() - i);
        const FeedPage last = Page("lb -" + n + " MEMBER " + member);
        ASSERT_EQ(Texts(last.events), Lines(rest - 1, texts.end())) << member << " " << n;
        ASSERT_FALSE(last.gap);
      }
    }
  }
}

TEST_F(FeedMember, CursorAdvancesOverEventsOfOthers) {
  Do(1, "LB.CREATE lb");
  const std::string begin = engine_->End("lb");
  for (int i = 0; i < 50; ++i) Do(10 + i, "ZADD lb " + std::to_string(i) + " busy");
  const FeedPage page = Page("lb " + begin + " MEMBER quiet COUNT 1");
  EXPECT_TRUE(page.events.empty() && !page.gap);
  EXPECT_TRUE(engine_->All("lb", page.next).empty());
  Do(100, "ZADD lb 1 quiet");
  EXPECT_EQ(Texts(Page("lb " + page.next + " MEMBER quiet").events), (Lines{"put quiet 1 @100"}));
}

TEST_F(FeedMember, EventOfAnotherMemberDoesNotEndAWait) {
  Do(1, "LB.CREATE lb");
  const auto waiting = engine_->Begin("LB.CHANGES lb $ MEMBER a BLOCK 0");
  const auto unlucky = engine_->Begin("LB.CHANGES lb $ MEMBER nobody BLOCK 0");
  for (int i = 0; i < 200; ++i) {
    Do(10 + i, "ZADD lb " + std::to_string(i) + " b");
    ASSERT_EQ(waiting->times_done(), 0);
  }
  Do(1000, "ZADD lb 1 c 2 a 3 d");
  EXPECT_EQ(Texts(ToPage(waiting->Answer()).events), (Lines{"put a 2 @1001"}));
  // A wait that times out ends with a cursor after the events that were left out.
  const std::string before = engine_->Changes("lb", "0", 1).next;
  const auto late = engine_->Begin("LB.CHANGES lb " + before + " MEMBER nobody BLOCK 0");
  while (engine_->engine().Measure().blocked < 2) std::this_thread::yield();
  for (const auto* pipeline : {&late, &unlucky}) {
    ASSERT_TRUE(engine_->engine().Cancel(pipeline->get(), engine::Wakeup::kTimeout));
    const FeedPage page = ToPage((*pipeline)->Answer());
    EXPECT_TRUE(page.events.empty() && !page.gap);
    if (pipeline == &late) {
      EXPECT_TRUE(engine_->All("lb", page.next).empty());
    }
  }
}

TEST_F(FeedMember, NameOutsideThePatternStaysHidden) {
  Do(1, "LB.CREATE secret");
  Do(2, "ZADD secret 1 a");
  Do(3, "RENAME secret lb");
  Do(4, "ZADD lb 2 b 3 a");
  const engine::Access guest("guest", "lb");
  FeedPage page = ToPage(engine_->Begin("LB.CHANGES lb 0 MEMBER a", guest)->Answer());
  EXPECT_TRUE(page.gap && page.events.empty());
  const std::string line = "LB.CHANGES lb " + page.next + " MEMBER a";
  EXPECT_EQ(Texts(ToPage(engine_->Begin(line, guest)->Answer()).events), (Lines{"put a 3 @5"}));
  page = ToPage(engine_->Begin("LB.CHANGES lb -10 MEMBER a", guest)->Answer());
  EXPECT_EQ(Texts(page.events), (Lines{"put a 3 @5"}));
  EXPECT_TRUE(page.gap);
}

// Counts the bytes read: small pages do not make the search for a quiet member read blocks of the
// log again and again.
TEST(FeedMemberCost, TheLogIsReadOnceWhateverTheCount) {
  SimulatedFolder folder;
  TestClock clock(kNoon);
  EngineRig::Options options = FeedEngine::Keeping();
  options.log.segment_bytes = 256 << 10;
  options.log.fill_bytes = 16 << 10;
  FeedEngine engine(&folder, &clock, options);
  engine.Ask("LB.CREATE lb");
  const std::string begin = engine.End("lb");
  for (int i = 0; i < 8000; ++i) engine.Begin("ZADD lb " + std::to_string(i) + " busy")->Await();
  engine.All("lb", begin);  // builds the indexes
  std::atomic<std::uint64_t> bytes_read = 0;
  folder.before_call = [&](const Call& call) {
    if (call.kind == CallKind::kRead) bytes_read += call.bytes;
  };
  engine.Ask("LB.CHANGES lb " + begin + " MEMBER quiet COUNT 1");
  folder.before_call = nullptr;
  EXPECT_LT(bytes_read, 3 * engine.engine().Measure().persistence.log.bytes);
}

}  // namespace
}  // namespace laurel::testing
