// The cap, which a board never exceeds, and hidden members, which have no rank and take no place
// under the cap.
#include <algorithm>
#include <string>

#include "server/leaderboard_fixture.h"

namespace laurel::black_box {
namespace {

class LeaderboardCap : public LeaderboardTest {};
INSTANTIATE_TEST_SUITE_P(Protocol, LeaderboardCap, testing::Values(2, 3),
                         testing::PrintToStringParamName());

class LeaderboardHide : public LeaderboardTest {
 protected:
  void SetUp() override {
    LeaderboardTest::SetUp();
    Ask("LB.CREATE lb");
    Ask("LB.MSUBMIT lb 4 ann 40 bob 30 cid 20 dan 10");
  }
};
INSTANTIATE_TEST_SUITE_P(Protocol, LeaderboardHide, testing::Values(2, 3),
                         testing::PrintToStringParamName());

TEST_P(LeaderboardCap, KeepsTheBestEntries) {
  Ask("LB.CREATE lb CAP 3");
  for (int i = 0; i < 50; ++i) {
    Ask("LB.SUBMIT lb m" + std::to_string(i) + " " + std::to_string(i * 7 % 50));
    EXPECT_EQ(Ask("ZCARD lb"), std::to_string(std::min(i + 1, 3)));
  }
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 m7 49; 2 m14 48; 3 m21 47");
}

TEST_P(LeaderboardCap, AWriteBelowTheCapIsNotRankedAndGetsTheNeededScore) {
  Ask("LB.CREATE lb CAP 2");
  Ask("LB.SUBMIT lb ann 20");
  Ask("LB.SUBMIT lb bob 10");
  const std::string worse = Verdict("LB.SUBMIT lb cid 9");
  EXPECT_TRUE(worse.starts_with("not-ranked rank nil->nil ")) << worse;
  EXPECT_TRUE(worse.ends_with(" needs 11")) << worse;
  const std::string equal = Verdict("LB.SUBMIT lb cid 10");  // an equal newcomer stays out
  EXPECT_TRUE(equal.starts_with("not-ranked rank nil->nil ")) << equal;
  EXPECT_EQ(EntryText(Command("LB.GET lb cid")), "nil");
  EXPECT_EQ(Verdict("LB.SUBMIT lb cid 11"), "accepted rank nil->2 score nil->11");
  EXPECT_EQ(EntryText(Command("LB.GET lb bob")), "nil");  // evicted
  Ask("LB.REMOVE lb ann");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 cid 11");
}

TEST_P(LeaderboardCap, UnderTieLastANewcomerWithAnEqualScoreEnters) {
  Ask("LB.CREATE lb CAP 2 TIE last");
  Ask("LB.SUBMIT lb ann 20");
  Ask("LB.SUBMIT lb bob 10");
  EXPECT_EQ(Verdict("LB.SUBMIT lb cid 10"), "accepted rank nil->2 score nil->10");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 ann 20; 2 cid 10");
}

TEST_P(LeaderboardCap, ZaddOfAnEntryBelowTheCapCountsAsNotAdded) {
  Ask("LB.CREATE lb CAP 2");
  EXPECT_EQ(Ask("ZADD lb 20 ann 10 bob"), "2");
  EXPECT_EQ(Ask("ZADD lb 5 cid"), "0");
  EXPECT_EQ(Ask("ZADD lb CH 5 cid"), "0");
  EXPECT_EQ(Ask("ZADD lb 30 dan 1 eve"), "1");
  EXPECT_EQ(LowToHigh("lb"), Scored({{"ann", "20"}, {"dan", "30"}}));
}

TEST_P(LeaderboardCap, IncrementsOnACappedBoardAreRefused) {
  Ask("LB.CREATE lb CAP 2");
  Ask("LB.SUBMIT lb ann 20");
  for (const std::string command :
       {"LB.INCR lb ann 1", "ZINCRBY lb 1 ann", "ZADD lb INCR 1 ann", "LB.INCR lb bob 1"}) {
    EXPECT_EQ(Command(command).type, '-') << command;
  }
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 ann 20");
}

TEST_P(LeaderboardCap, CapIsRefusedUnlessThePolicyIsSetOrBest) {
  EXPECT_EQ(Command("LB.CREATE lb CAP 5 POLICY sum").type, '-');
  EXPECT_EQ(Command("LB.CREATE lb CAP 5 FIELDS 1 a:int:desc:max").type, '-');
  EXPECT_EQ(Ask("LB.CREATE lb CAP 5 POLICY best"), "+OK");
  Ask("LB.CREATE sum POLICY sum");
  EXPECT_EQ(Command("LB.ALTER sum CAP 5").type, '-');
}

TEST_P(LeaderboardCap, LoweringTheCapEvictsAtOnce) {
  Ask("LB.CREATE lb CAP 5");
  Ask("ZADD lb 1 a 2 b 3 c 4 d 5 e 6 f");
  EXPECT_EQ(Ask("ZCARD lb"), "5");
  EXPECT_EQ(Ask("LB.ALTER lb CAP 2"), "+OK");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 f 6; 2 e 5");
  EXPECT_EQ(Ask("LB.ALTER lb CAP 3"), "+OK");
  EXPECT_EQ(Ask("ZADD lb 1 a"), "1");
  EXPECT_EQ(Ask("ZADD lb 1 z"), "0");
}

TEST_P(LeaderboardCap, CapIsAppliedAfterTheWholeCommand) {
  Ask("LB.CREATE lb CAP 2");
  const Value verdicts = Command("LB.MSUBMIT lb 4 a 1 b 4 c 2 d 3");
  ASSERT_EQ(verdicts.elements.size(), 4U) << verdicts.ToString();
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 b 4; 2 d 3");
  EXPECT_TRUE(VerdictText(verdicts.elements[0]).starts_with("not-ranked rank nil->nil "));
  EXPECT_EQ(VerdictText(verdicts.elements[1]), "accepted rank nil->1 score nil->4");
  EXPECT_EQ(VerdictText(verdicts.elements[3]), "accepted rank nil->2 score nil->3");
}

// --- hidden members ------------------------------------------------------------------------------

TEST_P(LeaderboardHide, ReadsLeaveAHiddenMemberOut) {
  EXPECT_EQ(Ask("LB.HIDE lb bob"), "1");
  EXPECT_EQ(Ask("LB.HIDE lb bob"), "0");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 ann 40; 2 cid 20; 3 dan 10");
  EXPECT_EQ(Entries("LB.RANGE lb 2 2"), "2 cid 20");
  EXPECT_EQ(Entries("LB.AROUND lb cid 1"), "1 ann 40; 2 cid 20; 3 dan 10");
  EXPECT_EQ(Ask("LB.SIZE lb"), "3");
  EXPECT_EQ(Ask("ZCARD lb"), "3");
  EXPECT_EQ(Ask("ZCOUNT lb -inf +inf"), "3");
  EXPECT_EQ(Ask("LB.COUNT lb 25 35"), "0");
  EXPECT_EQ(Entries("LB.BETWEEN lb 20 40"), "1 ann 40; 2 cid 20");
  EXPECT_EQ(Ask("ZREVRANK lb cid"), "1");
  EXPECT_EQ(Ask("ZREVRANK lb bob"), "nil");
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["ann", "cid", "dan"])");
  EXPECT_EQ(Ask("LB.RANKOF lb 25"), "2");
  EXPECT_EQ(Ask("ZSCAN lb 0 MATCH b*"), R"(["0", []])");
  EXPECT_EQ(Ask("LB.PERCENTILE lb bob"), "nil");
  EXPECT_EQ(Command("LB.AROUND lb bob 1").IsNull(), true);
}

TEST_P(LeaderboardHide, TheScoreOfAHiddenMemberCanStillBeRead) {
  Ask("LB.HIDE lb bob");
  EXPECT_EQ(EntryText(Command("LB.GET lb bob")), "nil bob 30");
  EXPECT_EQ(Ask("ZSCORE lb bob"), Score("30"));
  EXPECT_EQ(Ask("ZMSCORE lb bob ann"), "[" + Score("30") + ", " + Score("40") + "]");
  EXPECT_EQ(Entries("LB.AMONG lb 3 nobody bob dan"),
            "3 dan 10 place 1; nil nobody nil place nil; nil bob 30 place nil");
}

TEST_P(LeaderboardHide, WritesToAHiddenMemberApply) {
  Ask("LB.HIDE lb bob");
  EXPECT_EQ(Verdict("LB.SUBMIT lb bob 100"), "accepted rank nil->nil score 30->100 hidden");
  EXPECT_EQ(Ask("ZINCRBY lb 1 bob"), Score("101"));
  EXPECT_EQ(Entries("LB.TOP lb 1"), "1 ann 40");
  EXPECT_EQ(Ask("LB.SHOW lb bob nobody"), "1");
  EXPECT_EQ(Entries("LB.TOP lb 2"), "1 bob 101; 2 ann 40");
}

TEST_P(LeaderboardHide, ShowRestoresTheRankByScoreAndStamp) {
  Ask("LB.SUBMIT lb eve 30");
  Ask("LB.HIDE lb bob");
  Ask("LB.SUBMIT lb fay 30");
  Ask("LB.SHOW lb bob");
  EXPECT_EQ(Entries("LB.RANGE lb 2 4"), "2 bob 30; 3 eve 30; 4 fay 30");
}

// A board with hidden entries only does not exist as a key, but DEL still counts it.
TEST_P(LeaderboardHide, DelOfABoardWithHiddenEntriesOnlyReturnsOne) {
  ASSERT_EQ(Ask("LB.CREATE days PERIODS 2 day all"), "+OK");
  for (const std::string name : {"lb", "days"}) {
    for (const std::string del : {"DEL ", "UNLINK "}) {
      Ask("LB.SUBMIT " + name + " bob 30");
      Ask("LB.HIDE " + name + " ann bob cid dan");
      EXPECT_EQ(Ask("EXISTS " + name), "0");
      EXPECT_EQ(Ask("TYPE " + name), "+none");
      EXPECT_EQ(Ask("KEYS " + name), "[]");
      EXPECT_EQ(Ask("DBSIZE"), name == "lb" ? "0" : "1");
      EXPECT_EQ(Ask(del + name + " nobody"), "1");
      EXPECT_EQ(Ask(del + name), "0") << "only the marks are left";
      EXPECT_EQ(Ask("LB.GET " + name + " bob"), "nil");
    }
    Ask("LB.SHOW " + name + " ann bob cid dan");
    Ask("LB.SUBMIT " + name + " bob 30");
  }
}

TEST_P(LeaderboardHide, DeletingHiddenEntriesOfAWatchedBoardAbortsExec) {
  Ask("LB.HIDE lb ann bob cid dan");
  ASSERT_EQ(Ask("WATCH lb"), "+OK");
  EXPECT_EQ(NewClient().Ask({"DEL", "lb"}), "1");
  ASSERT_EQ(Ask("MULTI"), "+OK");
  EXPECT_TRUE(Command("EXEC").IsNull());
}

TEST_P(LeaderboardHide, BytesInDescribeFollowEveryChangeOfHiddenMembers) {
  const auto bytes = [&] { return Named(Command("LB.DESCRIBE lb"), "bytes").Integer(); };
  const std::int64_t before = bytes();
  const std::string meta(4000, 'm');
  Ask("LB.HIDE lb bob zoe");
  const std::int64_t marked = bytes();
  EXPECT_GT(marked, before);
  Ask("LB.SUBMIT lb zoe 5 META " + meta);
  EXPECT_GE(bytes(), marked + 4000);
  Ask("LB.META lb zoe x");
  EXPECT_LT(bytes(), marked + 1000);
  Ask("LB.META lb zoe " + meta);
  Ask("LB.REMOVE lb zoe");
  EXPECT_EQ(bytes(), marked);
  Ask("LB.SHOW lb bob zoe");
  EXPECT_EQ(bytes(), before);
}

// An earlier version refused more than about 32,700 members in one command.
TEST_P(LeaderboardHide, OneCommandWritesHidesOrShowsManyThousandMembers) {
  constexpr int kMembers = 34'000;
  Arguments add = {"ZADD", "lb"};
  Arguments hide = {"LB.HIDE", "lb"};
  for (int i = 0; i < kMembers; ++i) {
    const std::string member = "member:" + std::to_string(i);
    add.insert(add.end(), {std::to_string(i), member});
    hide.push_back(member);
  }
  Arguments first(add.begin(), add.begin() + 402);  // so that the board has left the packed form
  EXPECT_EQ(Ask(first), "200");
  EXPECT_EQ(Ask(add), std::to_string(kMembers - 200));
  EXPECT_EQ(Ask(hide), std::to_string(kMembers));
  Arguments show = hide;
  show[0] = "LB.SHOW";
  EXPECT_EQ(Ask(show), std::to_string(kMembers));
  EXPECT_EQ(Ask("ZCARD lb"), std::to_string(kMembers + 4));
  add[1] = first[1] = "sorted-set";
  EXPECT_EQ(Ask(first), "200");
  EXPECT_EQ(Ask(add), std::to_string(kMembers - 200));
}

TEST_P(LeaderboardHide, TheHiddenMarkMayPrecedeTheFirstEntryAndOutlivesTheLast) {
  EXPECT_EQ(Ask("LB.HIDE lb zoe"), "1");
  EXPECT_EQ(Verdict("LB.SUBMIT lb zoe 99"), "accepted rank nil->nil score nil->99 hidden");
  EXPECT_EQ(Ask("ZREM lb zoe"), "1");
  EXPECT_EQ(Verdict("LB.SUBMIT lb zoe 98"), "accepted rank nil->nil score nil->98 hidden");
  Ask("DEL lb");
  EXPECT_EQ(Verdict("LB.SUBMIT lb zoe 97"), "accepted rank nil->nil score nil->97 hidden");
  Ask("LB.DROP lb");
  Ask("LB.CREATE lb");
  EXPECT_EQ(Verdict("LB.SUBMIT lb zoe 96"), "accepted rank nil->1 score nil->96");
}

TEST_P(LeaderboardHide, ACapDoesNotCountHiddenMembers) {
  Ask("LB.CREATE capped CAP 2");
  Ask("LB.MSUBMIT capped 2 ann 30 bob 20");
  Ask("LB.HIDE capped ann");
  EXPECT_EQ(Verdict("LB.SUBMIT capped cid 10"), "accepted rank nil->2 score nil->10");
  EXPECT_EQ(Ask("ZCARD capped"), "2");
  EXPECT_EQ(Ask("LB.SHOW capped ann"), "1");  // and the cap evicts the worst
  EXPECT_EQ(Entries("LB.TOP capped 10"), "1 ann 30; 2 bob 20");
  EXPECT_EQ(EntryText(Command("LB.GET capped cid")), "nil");
}

}  // namespace
}  // namespace laurel::black_box
