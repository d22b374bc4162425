// Writes to leaderboards: policies, operators, verdicts, stamps, meta, many members at once.
#include <string>
#include <vector>

#include "server/leaderboard_fixture.h"

namespace laurel::black_box {
namespace {

class LeaderboardWrites : public LeaderboardTest {};
INSTANTIATE_TEST_SUITE_P(Protocol, LeaderboardWrites, testing::Values(2, 3),
                         testing::PrintToStringParamName());

// --- policies and operators ----------------------------------------------------------------------

TEST_P(LeaderboardWrites, PolicySetReplaces) {
  Ask("LB.CREATE lb");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 10"), "accepted rank nil->1 score nil->10");
  EXPECT_EQ(Verdict("LB.SUBMIT lb bob 20"), "accepted rank nil->1 score nil->20");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 30"), "accepted rank 2->1 score 10->30");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 5"), "accepted rank 1->2 score 30->5");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 5.0"), "unchanged rank 2->2 score 5->5");
}

TEST_P(LeaderboardWrites, PolicyBestKeepsTheBetterTuple) {
  Ask("LB.CREATE lb FIELDS 2 points time:int:asc POLICY best");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 10 60"), "accepted rank nil->1 score nil->10,60");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 10 61"), "not-best rank 1->1 score 10,60->10,60");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 9 1"), "not-best rank 1->1 score 10,60->10,60");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 10 60"), "unchanged rank 1->1 score 10,60->10,60");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 10 59"), "accepted rank 1->1 score 10,60->10,59");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 11 99"), "accepted rank 1->1 score 10,59->11,99");
}

TEST_P(LeaderboardWrites, PolicySumAdds) {
  Ask("LB.CREATE lb POLICY sum");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 10"), "accepted rank nil->1 score nil->10");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann -3"), "accepted rank 1->1 score 10->7");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 0"), "unchanged rank 1->1 score 7->7");
  EXPECT_EQ(Verdict("LB.SET lb ann 3"), "accepted rank 1->1 score 7->3");
}

TEST_P(LeaderboardWrites, OperatorsWorkOnEachFieldInOneSubmit) {
  Ask("LB.CREATE lb FIELDS 4 points:int:desc:sum deaths:int:asc:sum fastest:decimal2:asc:min "
      "level:int:desc:max");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 10 1 9.5 3"), "accepted rank nil->1 score nil->10,1,9.50,3");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 5 2 9.75 2"),
            "accepted rank 1->1 score 10,1,9.50,3->15,3,9.50,3");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 0 0 9.25 4"),
            "accepted rank 1->1 score 15,3,9.50,3->15,3,9.25,4");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 0 0 10 1"),
            "unchanged rank 1->1 score 15,3,9.25,4->15,3,9.25,4");
  EXPECT_EQ(Verdict("LB.SET lb ann 1 1 20 1"), "accepted rank 1->1 score 15,3,9.25,4->1,1,20.00,1");
  EXPECT_EQ(Verdict("LB.INCR lb ann 1 1 1 1"), "accepted rank 1->1 score 1,1,20.00,1->2,2,21.00,2");
}

TEST_P(LeaderboardWrites, OperatorsAreRefusedWithPolicyBestOrSum) {
  EXPECT_EQ(Command("LB.CREATE lb FIELDS 1 a:int:desc:sum POLICY best").type, '-');
  EXPECT_EQ(Command("LB.CREATE lb FIELDS 1 a:int:desc:max POLICY sum").type, '-');
  EXPECT_EQ(Code("LB.SIZE lb"), "NOBOARD");
}

TEST_P(LeaderboardWrites, SetReplacesAndIncrAddsWhateverThePolicy) {
  for (const std::string policy : {"set", "best", "sum"}) {
    const std::string board = "lb-" + policy;
    Ask("LB.CREATE " + board + " POLICY " + policy);
    EXPECT_EQ(Verdict("LB.INCR " + board + " ann 4"), "accepted rank nil->1 score nil->4");
    EXPECT_EQ(Verdict("LB.INCR " + board + " ann -1"), "accepted rank 1->1 score 4->3");
    EXPECT_EQ(Verdict("LB.SET " + board + " ann 1"), "accepted rank 1->1 score 3->1");
    EXPECT_EQ(Verdict("LB.SET " + board + " ann 1"), "unchanged rank 1->1 score 1->1");
    EXPECT_EQ(Verdict("LB.INCR " + board + " ann 0"), "unchanged rank 1->1 score 1->1");
  }
}

TEST_P(LeaderboardWrites, OverflowInAnyFieldLeavesTheWholeEntryUnchanged) {
  Ask("LB.CREATE lb FIELDS 2 a:int:desc:sum b:int:desc:sum");
  Ask("LB.SUBMIT lb ann 1 9223372036854775807");
  EXPECT_EQ(Code("LB.SUBMIT lb ann 1 1"), "OVERFLOW");
  EXPECT_EQ(Code("LB.INCR lb ann 1 1"), "OVERFLOW");
  EXPECT_EQ(Code("LB.SET lb ann 2 9223372036854775808"), "OVERFLOW");
  EXPECT_EQ(Code("LB.SUBMIT lb bob 2 -9223372036854775809"), "OVERFLOW");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 ann 1,9223372036854775807");
  EXPECT_EQ(Verdict("LB.INCR lb ann -2 -9223372036854775807"),
            "accepted rank 1->1 score 1,9223372036854775807->-1,0");
}

TEST_P(LeaderboardWrites, InvalidNumbersAreBadscore) {
  Ask("LB.CREATE lb FIELDS 2 a b:decimal2");
  for (const std::string values : {"1.5 1", "1 1.005", "x 1", "1 x", "inf 1", "1 nan"}) {
    EXPECT_EQ(Code("LB.SUBMIT lb ann " + values), "BADSCORE") << values;
  }
  EXPECT_EQ(Ask("LB.SIZE lb"), "0");
}

TEST_P(LeaderboardWrites, NxAndXxSkip) {
  Ask("LB.CREATE lb");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 5 XX"), "skipped rank nil->nil score nil->nil");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 5 NX"), "accepted rank nil->1 score nil->5");
  EXPECT_EQ(Verdict("LB.SET lb ann 6 NX"), "skipped rank 1->1 score 5->5");
  EXPECT_EQ(Verdict("LB.INCR lb ann 6 NX"), "skipped rank 1->1 score 5->5");
  EXPECT_EQ(Verdict("LB.INCR lb ann 6 XX"), "accepted rank 1->1 score 5->11");
}

TEST_P(LeaderboardWrites, AWrongNumberOfValuesIsAnErrorThatNamesTheFields) {
  Ask("LB.CREATE run FIELDS 3 points deaths:int:asc best:int:asc");
  EXPECT_EQ(Ask("LB.SUBMIT run ann 1 2"), "-ERR 'run' takes 3 values (points deaths best), got 2");
  EXPECT_EQ(Ask("LB.SET run ann 1 2"), "-ERR 'run' takes 3 values (points deaths best), got 2");
  EXPECT_EQ(Ask("LB.INCR run ann 1"), "-ERR 'run' takes 3 values (points deaths best), got 1");
  EXPECT_EQ(Command("LB.SUBMIT run ann 1 2 3 4").type, '-');
  EXPECT_EQ(Command("LB.RANKOF run 1 2").type, '-');
  EXPECT_EQ(Ask("LB.SIZE run"), "0");
}

TEST_P(LeaderboardWrites, CommandsOnAMissingBoardAreNoboard) {
  for (const std::string command :
       {"LB.SUBMIT none a 1", "LB.SET none a 1", "LB.INCR none a 1", "LB.MSUBMIT none 1 a 1",
        "LB.GET none a", "LB.TOP none 1", "LB.DROP none", "LB.DESCRIBE none", "LB.REMOVE none a",
        "LB.HIDE none a", "LB.CLEAR none", "LB.ALTER none CAP 3"}) {
    EXPECT_EQ(Code(command), "NOBOARD") << command;
  }
  EXPECT_EQ(Ask("DBSIZE"), "0");
}

TEST_P(LeaderboardWrites, LbWritesToSortedSetsAreWrongtype) {
  Ask("ZADD set 1.5 a");
  for (const std::string command :
       {"LB.SUBMIT set a 1", "LB.SET set a 1", "LB.INCR set a 1", "LB.MSUBMIT set 1 a 1"}) {
    EXPECT_EQ(Code(command), "WRONGTYPE") << command;
  }
  EXPECT_EQ(LowToHigh("set"), Scored({{"a", "1.5"}}));
}

TEST_P(LeaderboardWrites, MembersAreBytesUpToOneKibibyte) {
  Ask("LB.CREATE lb");
  const std::string binary("\0\r\n\xff", 4);
  EXPECT_EQ(Command(Arguments{"LB.SUBMIT", "lb", binary, "1"}).Find("rank")->text, "1");
  EXPECT_EQ(Command("LB.TOP lb 1").elements[0].Find("member")->text, binary);
  const std::string longest(1024, 'x');
  EXPECT_EQ(VerdictText(Command(Arguments{"LB.SUBMIT", "lb", longest, "2"})),
            "accepted rank nil->1 score nil->2");
  EXPECT_EQ(Command(Arguments{"LB.SUBMIT", "lb", longest + "x", "2"}).text.substr(0, 6), "LIMIT ");
  EXPECT_EQ(Command(Arguments{"ZADD", "lb", "2", longest + "x"}).text.substr(0, 6), "LIMIT ");
  EXPECT_EQ(Ask("LB.SIZE lb"), "2");
}

TEST_P(LeaderboardWrites, MembersMayLookLikeOptions) {
  Ask("LB.CREATE lb");
  Ask("LB.SUBMIT lb NX 3");
  Ask("LB.SUBMIT lb KIND 2");
  Ask("LB.SUBMIT lb WITHMETA 1");
  EXPECT_EQ(Entries("LB.AMONG lb 2 KIND WITHMETA"), "2 KIND 2 place 1; 3 WITHMETA 1 place 2");
  EXPECT_EQ(Ask("LB.REMOVE lb NX KIND WITHMETA"), "3");
}

// --- stamps --------------------------------------------------------------------------------------

TEST_P(LeaderboardWrites, StampsRiseAndAnUnchangedScoreKeepsItsStamp) {
  Ask("LB.CREATE lb POLICY best");
  Ask("LB.SUBMIT lb ann 5");
  Ask("LB.SUBMIT lb bob 5");
  const std::int64_t ann = Stamp("lb", "ann");
  const std::int64_t bob = Stamp("lb", "bob");
  EXPECT_LT(ann, bob);
  EXPECT_GT(ann, 1'600'000'000'000'000);  // microseconds since the epoch
  for (const std::string command : {"LB.SUBMIT lb ann 5", "LB.SUBMIT lb ann 4", "LB.SET lb ann 5",
                                    "LB.INCR lb ann 0", "ZADD lb 5 ann", "ZINCRBY lb 0 ann"}) {
    EXPECT_NE(Command(command).type, '-') << command;
    EXPECT_EQ(Stamp("lb", "ann"), ann) << command;
  }
  Ask("LB.SET lb ann 6");
  EXPECT_GT(Stamp("lb", "ann"), bob);
}

TEST_P(LeaderboardWrites, AtSetsTheStampOfAWrite) {
  Ask("LB.CREATE lb");
  const std::vector<std::pair<std::string, std::int64_t>> times = {
      {"1700000000", 1'700'000'000'000'000},
      {"1700000000.25", 1'700'000'000'250'000},
      {"1700000000.000001", 1'700'000'000'000'001},
      {"1700000000500ms", 1'700'000'000'500'000},
      {"1700000000500001us", 1'700'000'000'500'001},
      {"2023-11-14T22:13:20Z", 1'700'000'000'000'000},
      {"2023-11-15T06:13:20+08:00", 1'700'000'000'000'000},
      {"2023-11-14T22:13:20.125Z", 1'700'000'000'125'000},
  };
  int score = 0;
  for (const auto& [text, stamp] : times) {
    Ask("LB.SUBMIT lb ann " + std::to_string(++score) + " AT " + text);
    EXPECT_EQ(Stamp("lb", "ann"), stamp) << text;
  }
  for (const std::string bad :
       {"1700000000000", "100000000001", "yesterday", "1.0000001", "2023-11-14T22:13:20", "5s"}) {
    EXPECT_EQ(Command("LB.SUBMIT lb ann 1000 AT " + bad).type, '-') << bad;
  }
  EXPECT_EQ(Code("LB.SUBMIT lb ann 1000 AT 99999999999"), "BADTIME");
  EXPECT_EQ(Entries("LB.TOP lb 1"), "1 ann " + std::to_string(score));
}

TEST_P(LeaderboardWrites, AtDecidesTies) {
  Ask("LB.CREATE lb");
  Ask("LB.SUBMIT lb late 5 AT 1700000200");
  Ask("LB.SUBMIT lb early 5 AT 1700000100");
  Ask("LB.SUBMIT lb now 5");
  EXPECT_EQ(Entries("LB.TOP lb 3"), "1 early 5; 2 late 5; 3 now 5");
  // Writes apply in order of arrival whatever their AT.
  Ask("LB.SUBMIT lb late 9 AT 1700000000");
  EXPECT_EQ(Entries("LB.TOP lb 1"), "1 late 9");
  EXPECT_EQ(Stamp("lb", "late"), 1'700'000'000'000'000);
}

TEST_P(LeaderboardWrites, SumsAndIncrementsAreNeverStampedBeforeTheOldScore) {
  Ask("LB.CREATE lb POLICY sum");
  Ask("LB.SUBMIT lb ann 5 AT 1700000200");
  Ask("LB.SUBMIT lb ann 5 AT 1700000100");
  EXPECT_EQ(Stamp("lb", "ann"), 1'700'000'200'000'000);
  Ask("LB.INCR lb ann 5 AT 1700000150");
  EXPECT_EQ(Stamp("lb", "ann"), 1'700'000'200'000'000);
  Ask("LB.INCR lb ann 5 AT 1700000300");
  EXPECT_EQ(Stamp("lb", "ann"), 1'700'000'300'000'000);
  EXPECT_EQ(Entries("LB.TOP lb 1"), "1 ann 20");
}

TEST_P(LeaderboardWrites, OnlySetWithAtChangesTheStampOfAnUnchangedScore) {
  Ask("LB.CREATE lb");
  Ask("LB.SUBMIT lb ann 5 AT 1700000200");
  Ask("LB.SUBMIT lb ann 5 AT 1700000100");
  Ask("LB.INCR lb ann 0 AT 1700000300");
  EXPECT_EQ(Stamp("lb", "ann"), 1'700'000'200'000'000);
  Ask("LB.SET lb ann 5 AT 1700000100");
  EXPECT_EQ(Stamp("lb", "ann"), 1'700'000'100'000'000);
}

// --- meta ----------------------------------------------------------------------------------------

TEST_P(LeaderboardWrites, MetaChangesOnlyWithTheScoreOrByLbMeta) {
  Ask("LB.CREATE lb POLICY best");
  Ask("LB.SUBMIT lb ann 5 META hat");
  EXPECT_EQ(EntryText(Command("LB.GET lb ann WITHMETA")), "1 ann 5 meta hat");
  EXPECT_EQ(Entries("LB.TOP lb 1 WITHMETA"), "1 ann 5 meta hat");
  EXPECT_EQ(Entries("LB.TOP lb 1"), "1 ann 5");
  Ask("LB.SUBMIT lb ann 4 META cap");  // not best
  Ask("LB.SUBMIT lb ann 5 META cap");  // unchanged
  Ask("LB.SUBMIT lb ann 6");           // no META given
  EXPECT_EQ(EntryText(Command("LB.GET lb ann WITHMETA")), "1 ann 6 meta hat");
  Ask("LB.SUBMIT lb ann 7 META cap");
  EXPECT_EQ(EntryText(Command("LB.GET lb ann WITHMETA")), "1 ann 7 meta cap");
  const std::int64_t stamp = Stamp("lb", "ann");
  EXPECT_NE(Command("LB.META lb ann wig").type, '-');
  EXPECT_EQ(EntryText(Command("LB.GET lb ann WITHMETA")), "1 ann 7 meta wig");
  EXPECT_EQ(Stamp("lb", "ann"), stamp);
  EXPECT_NE(Command(Arguments{"LB.META", "lb", "ann", ""}).type, '-');
  EXPECT_EQ(Ask("LB.GET lb ann WITHMETA").find("wig"), std::string::npos);
}

TEST_P(LeaderboardWrites, MetaIsBytesUpToFourKibibytes) {
  Ask("LB.CREATE lb");
  const std::string most = std::string("\0\r\n\xff", 4) + std::string(4092, 'm');
  EXPECT_NE(Command(Arguments{"LB.SUBMIT", "lb", "ann", "5", "META", most}).type, '-');
  EXPECT_EQ(Command("LB.GET lb ann WITHMETA").Find("meta")->text, most);
  const Value refused = Command(Arguments{"LB.SUBMIT", "lb", "ann", "6", "META", most + "m"});
  EXPECT_EQ(refused.text.substr(0, 6), "LIMIT ") << refused.ToString();
  EXPECT_EQ(Command(Arguments{"LB.META", "lb", "ann", most + "m"}).text.substr(0, 6), "LIMIT ");
  EXPECT_EQ(Entries("LB.TOP lb 1"), "1 ann 5");
}

// --- many members --------------------------------------------------------------------------------

TEST_P(LeaderboardWrites, MsubmitIsAllOrNothing) {
  Ask("LB.CREATE lb POLICY sum");
  Ask("LB.SUBMIT lb ann 9223372036854775807");
  EXPECT_EQ(Code("LB.MSUBMIT lb 2 bob 5 ann 1"), "OVERFLOW");
  EXPECT_EQ(Code("LB.MSUBMIT lb 2 bob 5 cid 1.5"), "BADSCORE");
  EXPECT_EQ(Command("LB.MSUBMIT lb 3 bob 5 cid 1").type, '-');
  EXPECT_EQ(Command("LB.MSUBMIT lb 0").type, '-');
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 ann 9223372036854775807");
  const Value verdicts = Command("LB.MSUBMIT lb 3 bob 5 cid 7 bob 1");
  ASSERT_EQ(verdicts.elements.size(), 3U) << verdicts.ToString();
  // Ranks are those before and after the whole command.
  EXPECT_EQ(VerdictText(verdicts.elements[1]), "accepted rank nil->2 score nil->7");
  EXPECT_EQ(Named(verdicts.elements[2], "rank").text, "3");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 ann 9223372036854775807; 2 cid 7; 3 bob 6");
}

TEST_P(LeaderboardWrites, MsubmitStampsMembersInTheOrderGiven) {
  Ask("LB.CREATE lb FIELDS 2 a b");
  Ask("LB.MSUBMIT lb 3 zoe 1 2 bob 1 2 ann 1 2");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 zoe 1,2; 2 bob 1,2; 3 ann 1,2");
  Ask("LB.MSUBMIT lb 1 ann 1 3 AT 1700000000");
  EXPECT_EQ(Stamp("lb", "ann"), 1'700'000'000'000'000);
}

}  // namespace
}  // namespace laurel::black_box
