// Commands that declare leaderboards or remove entries: CREATE, ALTER, DESCRIBE, LIST, DROP, ADOPT,
// REMOVE, POP, TRIM, CLEAR.
#include <cctype>
#include <string>

#include "server/leaderboard_fixture.h"

namespace laurel::black_box {
namespace {

class LeaderboardCommands : public LeaderboardTest {
 protected:
  bool Mentions(const std::string& command, const std::string& word) {
    return Ask(command).find(word) != std::string::npos;
  }
};
INSTANTIATE_TEST_SUITE_P(Protocol, LeaderboardCommands, testing::Values(2, 3),
                         testing::PrintToStringParamName());

TEST_P(LeaderboardCommands, CreateAgainWithAnEqualSpecChangesNothing) {
  EXPECT_EQ(Ask("LB.CREATE lb"), "+OK");
  Ask("LB.SUBMIT lb ann 5");
  EXPECT_EQ(Ask("LB.CREATE lb"), "+OK");
  EXPECT_EQ(Ask("LB.CREATE lb FIELDS 1 score:int:desc POLICY set TIE first"), "+OK");
  EXPECT_EQ(Ask("lb.create lb tie FIRST policy SET"), "+OK");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 ann 5");
  for (const std::string other : {"POLICY best", "TIE last", "CAP 3", "FIELDS 1 score:int:asc",
                                  "FIELDS 1 points", "FIELDS 2 score b"}) {
    EXPECT_EQ(Code("LB.CREATE lb " + other), "EXISTS") << other;
  }
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 ann 5");
}

TEST_P(LeaderboardCommands, BadSpecsAreRefused) {
  for (const std::string bad :
       {"FIELDS 0", "FIELDS 9 a b c d e f g h i", "FIELDS 2 a", "FIELDS 2 a a", "FIELDS 1 a:float",
        "FIELDS 1 a:decimal0", "FIELDS 1 a:decimal10", "FIELDS 1 a:int:up",
        "FIELDS 1 a:int:asc:avg", "POLICY worst", "TIE never", "CAP -1", "CAP x", "POLICY", "FOO 1",
        "PARTITIONS 2"}) {
    EXPECT_EQ(Command("LB.CREATE lb " + bad).type, '-') << bad;
  }
  EXPECT_EQ(Code("LB.SIZE lb"), "NOBOARD");
  EXPECT_EQ(Ask("LB.CREATE lb PARTITIONS 1"), "+OK");
  EXPECT_EQ(Ask("LB.CREATE eight FIELDS 8 a b c d e f g h:decimal9:asc:min"), "+OK");
}

TEST_P(LeaderboardCommands, BoardNamesAreLimited) {
  EXPECT_EQ(Command(Arguments{"LB.CREATE", std::string(512, 'n')}).ToString(), "+OK");
  EXPECT_EQ(Command(Arguments{"LB.CREATE", std::string(513, 'n')}).text.substr(0, 6), "LIMIT ");
  EXPECT_EQ(Command("LB.CREATE lb@day").type, '-');
}

TEST_P(LeaderboardCommands, CreateOverASortedSetNeedsAdopt) {
  Ask("ZADD set 1 a");
  EXPECT_EQ(Command("LB.CREATE set").type, '-');
  EXPECT_EQ(Ask("ZADD set 1.5 b"), "1");
}

TEST_P(LeaderboardCommands, AdoptKeepsTheOrder) {
  for (const std::string direction : {"desc", "asc"}) {
    Ask("FLUSHALL");
    Ask("ZADD lb 5 b 5 a 5 c 9007199254740992 top -3 low");
    const std::string order = Ask("ZREVRANGE lb 0 -1 WITHSCORES");
    EXPECT_EQ(Ask("LB.CREATE lb FIELDS 1 score:int:" + direction + " ADOPT"), "+OK");
    EXPECT_EQ(Ask("ZREVRANGE lb 0 -1 WITHSCORES"), order) << direction;
    EXPECT_EQ(Code("ZADD lb 1.5 x"), "BADSCORE");
    // Stamps rise in the order that Redis showed; a new entry ranks after its equals.
    Ask("ZADD lb 5 aaa");
    EXPECT_EQ(Ask("ZREVRANK lb aaa"), direction == "desc" ? "4" : "1") << direction;
  }
}

TEST_P(LeaderboardCommands, AdoptRefusesScoresThatDoNotFitTheField) {
  for (const std::string score : {"1.5", "inf", "-inf", "1e300", "9223372036854775808"}) {
    Ask("FLUSHALL");
    Ask("ZADD lb 1 a " + score + " b");
    const std::string before = LowToHigh("lb");
    const std::string code = Code("LB.CREATE lb ADOPT");
    EXPECT_TRUE(code == "BADSCORE") << score << ": " << code;
    EXPECT_EQ(LowToHigh("lb"), before);
    EXPECT_EQ(Ask("ZADD lb 0.25 still-a-sorted-set"), "1");
  }
  Ask("FLUSHALL");
  Ask("ZADD lb 1.5 a 0.25 b");
  EXPECT_EQ(Ask("LB.CREATE lb FIELDS 1 x:decimal2 ADOPT"), "+OK");
  EXPECT_EQ(LowToHigh("lb"), Scored({{"b", "0.25"}, {"a", "1.50"}}));
  Ask("ZADD two 1 a");
  EXPECT_EQ(Command("LB.CREATE two FIELDS 2 a b ADOPT").type, '-');
}

TEST_P(LeaderboardCommands, DescribeShowsTheSpec) {
  Ask("LB.CREATE lb FIELDS 2 points time:decimal3:asc POLICY best TIE last CAP 77");
  const Value reply = Command("LB.DESCRIBE lb");
  EXPECT_EQ(reply.type, resp3() ? '%' : '*');
  for (const std::string part : {"points", "time", "decimal3", "asc", "best", "last", "77"}) {
    EXPECT_TRUE(Mentions("LB.DESCRIBE lb", part)) << part << " in " << reply.ToString();
  }
}

TEST_P(LeaderboardCommands, AlterChangesTheCapAndThePolicy) {
  Ask("LB.CREATE lb");
  EXPECT_EQ(Ask("LB.ALTER lb CAP 4"), "+OK");
  EXPECT_TRUE(Mentions("LB.DESCRIBE lb", "4"));
  EXPECT_EQ(Ask("LB.ALTER lb POLICY best"), "+OK");
  Ask("LB.SUBMIT lb ann 5");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 4"), "not-best rank 1->1 score 5->5");
  for (const std::string refused : {"FIELDS 1 x", "TIE last", "PERIODS 1 day", "TURN 04:00",
                                    "TZ Asia/Shanghai", "PARTITIONS 2"}) {
    EXPECT_EQ(Command("LB.ALTER lb " + refused).type, '-') << refused;
  }
}

TEST_P(LeaderboardCommands, ListShowsDeclaredBoardsIncludingEmptyOnes) {
  Ask("LB.CREATE guild:1");
  Ask("LB.CREATE guild:2");
  Ask("LB.CREATE other");
  Ask("ZADD set 1 a");
  Ask("ZADD guild:1 1 a");
  EXPECT_TRUE(Mentions("LB.LIST", "\"guild:1\""));
  EXPECT_TRUE(Mentions("LB.LIST", "\"guild:2\""));
  EXPECT_TRUE(Mentions("LB.LIST", "\"other\""));
  EXPECT_FALSE(Mentions("LB.LIST", "\"set\""));
  EXPECT_TRUE(Mentions("LB.LIST MATCH guild:*", "\"guild:2\""));
  EXPECT_FALSE(Mentions("LB.LIST MATCH guild:*", "\"other\""));
  EXPECT_TRUE(Mentions("LB.LIST COUNT 100 MATCH o*", "\"other\""));
}

TEST_P(LeaderboardCommands, DropRemovesEntriesAndDeclaration) {
  Ask("LB.CREATE lb");
  Ask("LB.SUBMIT lb ann 5");
  EXPECT_NE(Command("LB.DROP lb").type, '-');
  EXPECT_EQ(Ask("EXISTS lb"), "0");
  EXPECT_EQ(Code("LB.DROP lb"), "NOBOARD");
  EXPECT_EQ(Ask("ZADD lb 1.5 a"), "1");
}

TEST_P(LeaderboardCommands, RemoveReturnsTheNumberOfRemovedMembers) {
  Ask("LB.CREATE lb");
  Ask("LB.MSUBMIT lb 3 ann 3 bob 2 cid 1");
  EXPECT_EQ(Ask("LB.REMOVE lb ann nobody cid"), "2");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 bob 2");
}

TEST_P(LeaderboardCommands, PopRemovesTheBestOrTheWorst) {
  Ask("LB.CREATE lb");
  Ask("LB.MSUBMIT lb 5 ann 5 bob 4 cid 3 dan 2 eve 1");
  EXPECT_EQ(Entries("LB.POP lb 2"), "1 ann 5; 2 bob 4");
  EXPECT_EQ(Ask("LB.SIZE lb"), "3");
  const std::string worst = Entries("LB.POP lb 2 BOTTOM");  // the worst comes first
  EXPECT_NE(worst.find("eve 1"), std::string::npos) << worst;
  EXPECT_LT(worst.find("eve 1"), worst.find("dan 2")) << worst;
  EXPECT_EQ(Entries("LB.POP lb 10"), "1 cid 3");
  EXPECT_EQ(Entries("LB.POP lb 10"), "");
}

TEST_P(LeaderboardCommands, TrimKeepsTheBest) {
  Ask("LB.CREATE lb FIELDS 1 t:int:asc");
  Ask("LB.MSUBMIT lb 4 ann 4 bob 3 cid 2 dan 1");
  EXPECT_EQ(Ask("LB.TRIM lb 10"), "0");
  EXPECT_EQ(Ask("LB.TRIM lb 2"), "2");
  EXPECT_EQ(Entries("LB.TOP lb 10"), "1 dan 1; 2 cid 2");
}

TEST_P(LeaderboardCommands, ClearRemovesAllEntriesAndKeepsTheDeclaration) {
  Ask("LB.CREATE lb POLICY best");
  Ask("LB.MSUBMIT lb 2 ann 4 bob 3");
  EXPECT_EQ(Ask("LB.CLEAR lb"), "2");
  EXPECT_EQ(Ask("LB.SIZE lb"), "0");
  Ask("LB.SUBMIT lb ann 1");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 0"), "not-best rank 1->1 score 1->1");
}

TEST_P(LeaderboardCommands, WrongArgumentsAreRefusedWithRedisErrorsAndTheUsage) {
  for (const std::string name : {"LB.CREATE", "LB.SUBMIT", "LB.TOP", "LB.GET", "LB.AMONG"}) {
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string expected =
        "-ERR wrong number of arguments for '" + lower + "' command: " + name;
    EXPECT_TRUE(Ask(name).starts_with(expected + " board ")) << Ask(name);
  }
  Ask("LB.CREATE lb");
  EXPECT_EQ(Command("LB.TOP lb 3 FOO").type, '-');
  EXPECT_EQ(Command("LB.SUBMIT lb ann 3 FOO").type, '-');
  EXPECT_EQ(Ask("LB.SIZE lb"), "0");
}

TEST_P(LeaderboardCommands, AnErrorIsOneLineEvenIfTheInputHasLineBreaks) {
  Ask("LB.CREATE lb");
  const Value reply = Command(Arguments{"LB.SUBMIT", "lb", "a", "1\r\n+OK\r\n"});
  EXPECT_TRUE(reply.IsError());
  EXPECT_EQ(reply.text.find_first_of("\r\n"), std::string::npos);
  EXPECT_EQ(Ask("PING"), "+PONG");
}

}  // namespace
}  // namespace laurel::black_box
