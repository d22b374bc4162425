// Reads of leaderboards: pages, neighbours, lists, rank kinds, statistics.
#include <string>

#include "server/leaderboard_fixture.h"

namespace laurel::black_box {
namespace {

class LeaderboardReads : public LeaderboardTest {
 protected:
  void SetUp() override {
    LeaderboardTest::SetUp();
    Ask("LB.CREATE lb");
    Ask("LB.MSUBMIT lb 6 ann 50 bob 40 cid 40 dan 30 eve 20 fay 20");
  }

  // "66.6666 worse 2 equal 0 count 4"
  std::string Percentile(const std::string& board, const std::string& member) {
    const Value reply = Command("LB.PERCENTILE " + board + " " + member);
    if (reply.IsNull() || reply.IsError()) return reply.ToString();
    return Named(reply, "percentile").text + " worse " + Named(reply, "worse").text + " equal " +
           Named(reply, "equal").text + " count " + Named(reply, "count").text;
  }

  // "[0,4) 2; [4,8) 1"
  std::string Histogram(const std::string& line) {
    const Value reply = Command(line);
    if (reply.type != '*' || reply.null) return reply.ToString();
    std::string text;
    for (const Value& bucket : reply.elements) {
      text += (text.empty() ? "[" : "; [") + Named(bucket, "from").text + "," +
              Named(bucket, "to").text + ") " + Named(bucket, "count").text;
    }
    return text;
  }

  // A score, its numbers separated by commas.
  std::string Quantile(const std::string& board, const std::string& p) {
    const Value reply = Command("LB.QUANTILE " + board + " " + p);
    if (reply.type != '*' || reply.null) return reply.ToString();
    std::string text;
    for (const Value& number : reply.elements) text += (text.empty() ? "" : ",") + number.text;
    return text;
  }
};
INSTANTIATE_TEST_SUITE_P(Protocol, LeaderboardReads, testing::Values(2, 3),
                         testing::PrintToStringParamName());

TEST_P(LeaderboardReads, TopReturnsTheBestEntriesAndSizeTheirNumber) {
  EXPECT_EQ(Entries("LB.TOP lb 3"), "1 ann 50; 2 bob 40; 3 cid 40");
  EXPECT_EQ(Entries("LB.TOP lb 0"), "");
  EXPECT_EQ(Entries("LB.TOP lb 100").substr(0, 8), "1 ann 50");
  EXPECT_EQ(Ask("LB.SIZE lb"), "6");
  EXPECT_EQ(Command("LB.TOP lb -1").type, '-');
  EXPECT_EQ(Command("LB.TOP lb x").type, '-');
}

TEST_P(LeaderboardReads, GetReturnsOneMemberWithTheCount) {
  const Value entry = Command("LB.GET lb cid");
  EXPECT_EQ(EntryText(entry), "3 cid 40");
  EXPECT_EQ(Named(entry, "count").Integer(), 6);
  EXPECT_EQ(Ask("LB.GET lb nobody"), "nil");
}

TEST_P(LeaderboardReads, RangeIncludesBothRanks) {
  EXPECT_EQ(Entries("LB.RANGE lb 2 3"), "2 bob 40; 3 cid 40");
  EXPECT_EQ(Entries("LB.RANGE lb -2 -1"), "5 eve 20; 6 fay 20");
  EXPECT_EQ(Entries("LB.RANGE lb 5 100"), "5 eve 20; 6 fay 20");
  EXPECT_EQ(Entries("LB.RANGE lb 4 2"), "");
  EXPECT_EQ(Entries("LB.RANGE lb 7 9"), "");
  EXPECT_EQ(Entries("LB.RANGE lb -100 1"), "1 ann 50");
  EXPECT_EQ(Command("LB.RANGE lb 0 3").type, '-');
  EXPECT_EQ(Command("LB.RANGE lb 1 0").type, '-');
}

TEST_P(LeaderboardReads, AroundIsCutOffAtTheEnds) {
  EXPECT_EQ(Entries("LB.AROUND lb cid 1"), "2 bob 40; 3 cid 40; 4 dan 30");
  EXPECT_EQ(Entries("LB.AROUND lb ann 2"), "1 ann 50; 2 bob 40; 3 cid 40");
  EXPECT_EQ(Entries("LB.AROUND lb fay 1"), "5 eve 20; 6 fay 20");
  EXPECT_EQ(Entries("LB.AROUND lb cid 0"), "3 cid 40");
  EXPECT_TRUE(Command("LB.AROUND lb nobody 1").IsNull());
}

TEST_P(LeaderboardReads, AmongIsBestFirstWithGlobalRankAndPlace) {
  EXPECT_EQ(Entries("LB.AMONG lb 5 fay zed ann nobody dan"),
            "1 ann 50 place 1; 4 dan 30 place 2; 6 fay 20 place 3; nil zed nil place nil; "
            "nil nobody nil place nil");
  EXPECT_EQ(Command("LB.AMONG lb 3 ann").type, '-');
}

TEST_P(LeaderboardReads, RankKindsChangeOnlyTheNumberShown) {
  EXPECT_EQ(Entries("LB.TOP lb 6 KIND ordinal"),
            "1 ann 50; 2 bob 40; 3 cid 40; 4 dan 30; 5 eve 20; 6 fay 20");
  EXPECT_EQ(Entries("LB.TOP lb 6 KIND competition"),
            "1 ann 50; 2 bob 40; 2 cid 40; 4 dan 30; 5 eve 20; 5 fay 20");
  EXPECT_EQ(Entries("LB.TOP lb 6 KIND dense"),
            "1 ann 50; 2 bob 40; 2 cid 40; 3 dan 30; 4 eve 20; 4 fay 20");
  // KIND never changes which entries a page holds.
  EXPECT_EQ(Entries("LB.RANGE lb 3 4 KIND dense"), "2 cid 40; 3 dan 30");
  EXPECT_EQ(Entries("LB.AROUND lb dan 1 KIND competition"), "2 cid 40; 4 dan 30; 5 eve 20");
  EXPECT_EQ(EntryText(Command("LB.GET lb fay KIND dense")), "4 fay 20");
  EXPECT_EQ(Entries("LB.AMONG lb 2 fay cid KIND dense"), "2 cid 40 place 1; 4 fay 20 place 2");
  EXPECT_EQ(Entries("LB.BETWEEN lb 20 30 KIND dense"), "3 dan 30; 4 eve 20; 4 fay 20");
  EXPECT_EQ(Command("LB.TOP lb 6 KIND silly").type, '-');
}

TEST_P(LeaderboardReads, RankofIsTheRankANewMemberWouldGet) {
  EXPECT_EQ(Ask("LB.RANKOF lb 60"), "1");
  EXPECT_EQ(Ask("LB.RANKOF lb 40"), "4");  // after its equals
  EXPECT_EQ(Ask("LB.RANKOF lb 0"), "7");
  Ask("LB.CREATE last TIE last");
  Ask("LB.MSUBMIT last 3 a 2 b 1 c 1");
  EXPECT_EQ(Ask("LB.RANKOF last 1"), "2");  // before its equals
  Ask("LB.CREATE two FIELDS 2 a b:int:asc");
  Ask("LB.MSUBMIT two 2 x 5 5 y 5 7");
  EXPECT_EQ(Ask("LB.RANKOF two 5 6"), "2");
}

TEST_P(LeaderboardReads, CountAndBetweenTakeBoundsOnFieldOne) {
  EXPECT_EQ(Ask("LB.COUNT lb 20 40"), "5");
  EXPECT_EQ(Ask("LB.COUNT lb (20 (40"), "1");
  EXPECT_EQ(Ask("LB.COUNT lb -inf +inf"), "6");
  EXPECT_EQ(Ask("LB.COUNT lb 20.5 39.5"), "1");
  // Bounds are given low before high; the entries come in the order of the board.
  EXPECT_EQ(Entries("LB.BETWEEN lb 30 40"), "2 bob 40; 3 cid 40; 4 dan 30");
  EXPECT_EQ(Entries("LB.BETWEEN lb (30 +inf"), "1 ann 50; 2 bob 40; 3 cid 40");
  EXPECT_EQ(Entries("LB.BETWEEN lb -inf +inf LIMIT 1 2"), "2 bob 40; 3 cid 40");
  EXPECT_EQ(Entries("LB.BETWEEN lb 60 70"), "");
  EXPECT_EQ(Command("LB.BETWEEN lb x 40").type, '-');
  Ask("LB.CREATE asc FIELDS 1 t:int:asc");
  Ask("LB.MSUBMIT asc 3 a 2 b 1 c 3");
  EXPECT_EQ(Entries("LB.BETWEEN asc 1 2"), "1 b 1; 2 a 2");
}

TEST_P(LeaderboardReads, PercentileIsTheShareOfOtherMembersWithWorseScores) {
  EXPECT_EQ(Percentile("lb", "ann"), "100 worse 5 equal 0 count 6");
  EXPECT_EQ(Percentile("lb", "bob"), "60 worse 3 equal 1 count 6");
  EXPECT_EQ(Percentile("lb", "cid"), "60 worse 3 equal 1 count 6");
  EXPECT_EQ(Percentile("lb", "fay"), "0 worse 0 equal 1 count 6");
  EXPECT_EQ(Percentile("lb", "nobody"), "nil");
  Ask("LB.CREATE four");
  Ask("LB.MSUBMIT four 4 a 4 b 3 c 2 d 1");
  EXPECT_EQ(Percentile("four", "b"), "66.6666 worse 2 equal 0 count 4");  // rounded down
  Ask("LB.CREATE one");
  Ask("LB.SUBMIT one a 4");
  EXPECT_EQ(Percentile("one", "a"), "100 worse 0 equal 0 count 1");
}

TEST_P(LeaderboardReads, QuantilesAreScoresOfEntries) {
  EXPECT_EQ(Quantile("lb", "0"), "20");
  EXPECT_EQ(Quantile("lb", "33.3"), "20");
  EXPECT_EQ(Quantile("lb", "33.4"), "30");
  EXPECT_EQ(Quantile("lb", "50"), "30");
  EXPECT_EQ(Quantile("lb", "50.0001"), "40");
  EXPECT_EQ(Quantile("lb", "100"), "50");
  Ask("LB.CREATE two FIELDS 2 a b:decimal1:asc");
  EXPECT_TRUE(Command("LB.QUANTILE two 50").IsNull());
  Ask("LB.MSUBMIT two 2 x 5 5 y 5 7.5");
  EXPECT_EQ(Quantile("two", "50"), "5,7.5");
  EXPECT_EQ(Quantile("two", "51"), "5,5.0");
  for (const std::string bad : {"-1", "100.1", "x"}) {
    EXPECT_EQ(Command("LB.QUANTILE lb " + bad).type, '-') << bad;
  }
}

TEST_P(LeaderboardReads, HistogramBucketsHaveEqualWidth) {
  // w = ceil((50 - 20 + 1) / 4) = 8
  EXPECT_EQ(Histogram("LB.HISTOGRAM lb 4"), "[20,28) 2; [28,36) 1; [36,44) 2; [44,52) 1");
  EXPECT_EQ(Histogram("LB.HISTOGRAM lb 1"), "[20,51) 6");
  EXPECT_EQ(Histogram("LB.HISTOGRAM lb 3"), "[20,31) 3; [31,42) 2; [42,53) 1");
  Ask("LB.CREATE gap");
  Ask("LB.MSUBMIT gap 2 a 0 b 8");
  EXPECT_EQ(Histogram("LB.HISTOGRAM gap 3"), "[0,3) 1; [3,6) 0; [6,9) 1");
  Ask("LB.CREATE cents FIELDS 1 x:decimal2");
  Ask("LB.MSUBMIT cents 2 a 0.1 b 0.2");
  EXPECT_EQ(Histogram("LB.HISTOGRAM cents 2"), "[0.10,0.16) 1; [0.16,0.22) 1");
  Ask("LB.CREATE wide");
  Ask("LB.MSUBMIT wide 2 a -9223372036854775808 b 9223372036854775807");
  EXPECT_EQ(Histogram("LB.HISTOGRAM wide 2"),
            "[-9223372036854775808,0) 1; [0,9223372036854775808) 1");
  EXPECT_EQ(Command("LB.HISTOGRAM lb 0").type, '-');
  EXPECT_EQ(Command("LB.HISTOGRAM lb 1001").type, '-');
  EXPECT_EQ(Command("LB.HISTOGRAM lb 1000").elements.size(), 1000U);
}

TEST_P(LeaderboardReads, ReadsOfEntriesTakeWithMeta) {
  Ask("LB.META lb bob hat");
  for (const std::string command :
       {"LB.TOP lb 2 WITHMETA", "LB.RANGE lb 1 2 WITHMETA", "LB.AROUND lb ann 1 WITHMETA",
        "LB.AMONG lb 2 ann bob WITHMETA", "LB.TOP lb 2 KIND dense WITHMETA",
        "LB.TOP lb 2 WITHMETA KIND dense", "LB.BETWEEN lb 40 40 LIMIT 0 5 WITHMETA"}) {
    const std::string text = Entries(command);
    EXPECT_NE(text.find(" meta hat"), std::string::npos) << command << ": " << text;
  }
}

TEST_P(LeaderboardReads, FieldsAreComparedInTheirOrder) {
  Ask("LB.CREATE run FIELDS 3 points deaths:int:asc best:decimal1:asc");
  Ask("LB.MSUBMIT run 4 ann 10 3 1.5 bob 10 2 9 cid 20 9 9 dan 10 2 8.5");
  EXPECT_EQ(Entries("LB.TOP run 10"),
            "1 cid 20,9,9.0; 2 dan 10,2,8.5; 3 bob 10,2,9.0; 4 ann 10,3,1.5");
}

}  // namespace
}  // namespace laurel::black_box
