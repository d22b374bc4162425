// LB.CHANGES for clients with a name pattern, on boards that also had names outside the pattern.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/feed/feed_fixture.h"

namespace laurel::testing {
namespace {

constexpr int kHistories = 6;
constexpr int kSteps = 25;

// Put names a member after the board's name at the time of the write, so that an event shows under
// which name it happened.
class FeedAccess : public FeedFixture {
 protected:
  FeedPage ChangesFor(const std::string& pattern, const std::string& board, const std::string& from,
                      int count) {
    const std::string line = "LB.CHANGES " + board + " " + from + " COUNT " + std::to_string(count);
    return ToPage(engine_->Begin(line, engine::Access("guest", pattern))->Answer());
  }
  // All events that a client with the pattern gets from the cursor on; a gap is the line "gap".
  Lines Told(const std::string& pattern, const std::string& board, std::string from,
             int count = 100) {
    Lines told;
    for (;;) {
      const FeedPage page = ChangesFor(pattern, board, from, count);
      if (!page.error.empty()) told.push_back(page.error.substr(0, page.error.find(' ')));
      for (const FeedEvent& event : page.events) told.push_back(event.Text());
      if (page.gap) told.emplace_back("gap");
      if (page.events.empty() && !page.gap) return told;
      from = page.next;
    }
  }
  void Put(const std::string& board) {
    ++now_;
    Try(now_, "ZADD " + board + " " + std::to_string(now_) + " " + board + "-member");
  }

  Stamp now_ = 0;
};

TEST_F(FeedAccess, RenameToANameOutsideThePatternOmitsTheNewName) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD lb 1 a");
  Skip("lb");
  Do(3, "RENAME lb secret");
  EXPECT_EQ(Told("*", "lb", cursors_["lb"])[0], "renamed name=secret");
  EXPECT_EQ(Told("lb", "lb", cursors_["lb"])[0], "renamed name=");
  EXPECT_EQ(Told("[ls]*", "lb", cursors_["lb"])[0], "renamed name=secret");
}

TEST_F(FeedAccess, EventsUnderANameOutsideThePatternAreAGap) {
  Do(1, "LB.CREATE secret");
  Do(2, "ZADD secret 1 s1");
  const std::string before = engine_->End("secret");
  Do(3, "ZADD secret 2 s2");
  Do(4, "RENAME secret lb");
  Do(5, "ZADD lb 3 l3");
  EXPECT_EQ(Told("*", "lb", before), (Lines{"put s2 2 @3", "renamed name=lb", "put l3 3 @5"}));
  for (const int count : {1, 2, 100}) {
    EXPECT_EQ(Told("lb", "lb", before, count), (Lines{"gap", "put l3 3 @5"}));
    EXPECT_EQ(Told("lb", "lb", "0", count), (Lines{"gap", "put l3 3 @5"}));
  }
}

TEST_F(FeedAccess, BlockedReaderGetsNoEventsFromUnderAnotherName) {
  Do(1, "LB.CREATE lb");
  const auto waiting = engine_->Begin("LB.CHANGES lb $ BLOCK 0", engine::Access("guest", "lb"));
  Exec(2, {"ZADD lb 1 l1", "RENAME lb secret", "ZADD secret 2 s2", "RENAME secret lb",
           "ZADD lb 3 l3"});
  const FeedPage page = ToPage(waiting->Answer());
  EXPECT_EQ(Texts(page.events), (Lines{"put l1 1 @2", "renamed name="}));
  EXPECT_EQ(Told("lb", "lb", page.next), Lines{"gap"});
}

TEST_F(FeedAccess, ReaderContinuesWithTheNextBoardOfTheNameWithoutAGap) {
  Do(1, "LB.CREATE lb");
  Do(2, "ZADD lb 1 l1");
  Skip("lb");
  Do(3, "RENAME lb secret");
  Do(4, "ZADD lb 2 l2");
  Do(5, "RENAME secret other");
  Do(6, "ZADD lb 3 l3");
  for (const int count : {1, 2, 100}) {
    const Lines told = Told("lb", "lb", cursors_["lb"], count);
    ASSERT_EQ(told.size(), 4U);
    EXPECT_EQ(told[0], "renamed name=");
    EXPECT_TRUE(told[1].starts_with("created"));
    EXPECT_EQ(told[2], "put l2 2 @4");
    EXPECT_EQ(told[3], "put l3 3 @6");
  }
}

// Random histories, with every cursor that they produced and every name within the pattern.
TEST_F(FeedAccess, NoCursorRevealsEventsUnderANameOutsideThePattern) {
  const std::vector<std::string> names = {"lb", "lb2", "secret", "other"};
  int foreign_lines = 0;  // lines with such names that a client with access to all boards gets
  for (int history = 0; history < kHistories; ++history) {
    SCOPED_TRACE(history);
    base::Random random(static_cast<std::uint64_t>(history) + 1);
    const auto name = [&] { return names[random.Below(names.size())]; };
    Do(++now_, "FLUSHALL");
    std::set<std::string> cursors = {"0"};
    for (int step = 0; step < kSteps; ++step) {
      const std::string from = name();
      const std::string to = name();
      switch (random.Below(6)) {
        case 0:
          Try(++now_, "RENAME " + from + " " + to);
          break;
        case 1:
          Exec(++now_, {"ZADD " + from + " 1 " + from + "-member", "RENAME " + from + " " + to,
                        "ZADD " + to + " 2 " + to + "-member2"});
          break;
        case 2:
          Try(++now_, "LB.DROP " + from);
          break;
        default:
          Try(++now_, "LB.CREATE " + from);
          Put(from);
      }
      for (const std::string& board : names) {
        const FeedPage end = engine_->Changes(board, "$");
        if (end.error.empty()) cursors.insert(end.next);
        for (const FeedEvent& event : engine_->Changes(board, "0").events) {
          cursors.insert(event.cursor);
        }
      }
    }
    const auto is_foreign = [](const std::string& line) {
      return line.find("secret") != std::string::npos || line.find("other") != std::string::npos;
    };
    cursors.insert({"-1", "-3", "-1000", "0 MEMBER nobody", "-2 MEMBER lb-member"});
    for (const std::string& cursor : cursors) {
      const Lines all = Told("*", "lb", cursor);
      foreign_lines += static_cast<int>(std::count_if(all.begin(), all.end(), is_foreign));
      for (const std::string board : {"lb", "lb2"}) {
        for (const std::string& line : Told("lb*", board, cursor, random.Below(4) == 0 ? 1 : 100)) {
          EXPECT_FALSE(is_foreign(line)) << board << " from " << cursor << ": " << line;
        }
      }
    }
  }
  EXPECT_GT(foreign_lines, 0);
}

}  // namespace
}  // namespace laurel::testing
