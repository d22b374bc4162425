// A declaration belongs to the name and outlives the entries. Laurel holds boards and nothing else.
#include <string>

#include <poll.h>

#include "server/leaderboard_fixture.h"

namespace laurel::black_box {
namespace {

class LeaderboardNames : public LeaderboardTest {
 protected:
  // True if ZADD to the name acts on a leaderboard: of two equal scores the first ranks ahead.
  bool IsLeaderboard(const std::string& name) {
    Ask("ZADD " + name + " 1 a");
    Ask("ZADD " + name + " 1 b");
    const bool first_come = Ask("ZREVRANK " + name + " a") == "0";
    const bool refuses_fractions = Code("ZADD " + name + " 1.5 c") == "BADSCORE";
    EXPECT_EQ(first_come, refuses_fractions) << name;
    return first_come;
  }

  void ExpectAbsent(const std::string& name) {
    EXPECT_EQ(Ask("EXISTS " + name), "0");
    EXPECT_EQ(Ask("TYPE " + name), "+none");
    EXPECT_EQ(Ask("TTL " + name), "-2");
    EXPECT_EQ(Ask("KEYS *"), "[]");
    EXPECT_EQ(Ask("SCAN 0"), R"(["0", []])");
    EXPECT_EQ(Ask("RANDOMKEY"), "nil");
    EXPECT_EQ(Ask("DBSIZE"), "0");
    EXPECT_EQ(Ask("ZCARD " + name), "0");
    EXPECT_NE(Ask("LB.LIST").find("\"" + name + "\""), std::string::npos);
  }
};
INSTANTIATE_TEST_SUITE_P(Protocol, LeaderboardNames, testing::Values(2, 3),
                         testing::PrintToStringParamName());

TEST_P(LeaderboardNames, DescribeShowsTheOptionsThatCreateAnEqualBoard) {
  for (const char* options :
       {"", "POLICY best CAP 10 TIE last DEDUP 5",
        "FIELDS 3 points:int:desc:sum deaths:int:asc:sum best:decimal3:asc:min",
        "START 2026-11-15T13:00:00Z END 2099-11-16T00:00:00.000001Z GRACE 90s EXPIRE 30d",
        "PERIODS 3 hour week all TZ Asia/Shanghai TURN 04:00 KEEP 3 GRACE 15m"}) {
    ASSERT_EQ(Ask(std::string("LB.CREATE a ") + options), "+OK") << options;
    const std::string create = Named(Command("LB.DESCRIBE a"), "create").text;
    ASSERT_FALSE(create.empty()) << options;
    EXPECT_EQ(Ask("LB.CREATE a " + create), "+OK") << "an equal spec changes nothing: " << create;
    ASSERT_EQ(Ask("LB.CREATE b " + create), "+OK") << create;
    EXPECT_EQ(Named(Command("LB.DESCRIBE b"), "create").text, create);
    Ask("LB.DROP a");
    Ask("LB.DROP b");
  }
}

TEST_P(LeaderboardNames, AnEmptyLeaderboardDoesNotExistAsAKey) {
  Ask("LB.CREATE lb");
  ExpectAbsent("lb");
  EXPECT_EQ(Ask("DEL lb"), "0");
  EXPECT_TRUE(IsLeaderboard("lb"));
  EXPECT_EQ(Ask("EXISTS lb"), "1");
  EXPECT_EQ(Ask("TYPE lb"), "+zset");
  EXPECT_EQ(Ask("TTL lb"), "-1");
  EXPECT_EQ(Ask("KEYS *"), R"(["lb"])");
  EXPECT_EQ(Ask("SCAN 0 TYPE zset"), R"(["0", ["lb"]])");
  EXPECT_EQ(Ask("RANDOMKEY"), R"("lb")");
  EXPECT_EQ(Ask("DBSIZE"), "1");
}

TEST_P(LeaderboardNames, TheDeclarationOutlivesTheEntries) {
  for (const std::string end : {"DEL lb", "UNLINK lb", "ZREM lb a b", "ZREMRANGEBYRANK lb 0 -1",
                                "ZPOPMAX lb 10", "EXPIRE lb 0", "PEXPIREAT lb 1", "LB.CLEAR lb",
                                "LB.REMOVE lb a b", "LB.TRIM lb 0", "LB.POP lb 10"}) {
    Ask("FLUSHALL");
    Ask("LB.CREATE lb");
    ASSERT_TRUE(IsLeaderboard("lb")) << end;
    EXPECT_NE(Command(end).type, '-') << end;
    ExpectAbsent("lb");
    EXPECT_TRUE(IsLeaderboard("lb")) << end;
  }
}

TEST_P(LeaderboardNames, TheDeclarationOutlivesRedisExpiry) {
  Ask("LB.CREATE lb");
  ASSERT_TRUE(IsLeaderboard("lb"));
  EXPECT_EQ(Ask("PEXPIRE lb 1"), "1");
  for (int i = 0; i < 5'000 && Ask("EXISTS lb") == "1"; ++i) poll(nullptr, 0, 1);
  ExpectAbsent("lb");
  EXPECT_TRUE(IsLeaderboard("lb"));
  EXPECT_EQ(Ask("TTL lb"), "-1");
}

TEST_P(LeaderboardNames, DropAndFlushEndTheDeclaration) {
  for (const std::string end : {"LB.DROP lb", "FLUSHALL", "FLUSHDB", "FLUSHALL ASYNC"}) {
    Ask("LB.CREATE lb");
    ASSERT_TRUE(IsLeaderboard("lb")) << end;
    EXPECT_NE(Command(end).type, '-') << end;
    EXPECT_EQ(Ask("LB.LIST").find("\"lb\""), std::string::npos) << end;
    EXPECT_FALSE(IsLeaderboard("lb")) << end;
    Ask("DEL lb");
  }
}

TEST_P(LeaderboardNames, RenameCarriesEverythingAndLeavesTheNameDeclared) {
  Ask("LB.CREATE lb POLICY best");
  Ask("LB.SUBMIT lb ann 5 META hat");
  Ask("LB.SUBMIT lb bob 5");
  Ask("LB.SUBMIT lb eve 9");
  Ask("LB.HIDE lb eve zoe");
  const std::int64_t stamp = Stamp("lb", "ann");
  EXPECT_EQ(Ask("RENAME lb old"), "+OK");
  EXPECT_EQ(Ask("EXISTS lb"), "0");
  EXPECT_EQ(Entries("LB.TOP old 10 WITHMETA").substr(0, 16), "1 ann 5 meta hat");
  EXPECT_EQ(Ask("ZREVRANGE old 0 -1"), R"(["ann", "bob"])");
  EXPECT_EQ(Stamp("old", "ann"), stamp);
  EXPECT_EQ(Verdict("LB.SUBMIT old ann 4"), "not-best rank 1->1 score 5->5");
  EXPECT_EQ(Verdict("LB.SUBMIT old zoe 7"), "accepted rank nil->nil score nil->7 hidden");
  EXPECT_EQ(Ask("LB.SHOW old eve"), "1");
  EXPECT_EQ(Ask("ZREVRANK old eve"), "0");
  // The old name is still declared, and empty.
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 5"), "accepted rank nil->1 score nil->5");
  EXPECT_EQ(Verdict("LB.SUBMIT lb ann 4"), "not-best rank 1->1 score 5->5");
}

TEST_P(LeaderboardNames, CopyCarriesEverything) {
  Ask("LB.CREATE lb TIE last");
  Ask("LB.SUBMIT lb ann 5 META hat");
  Ask("LB.SUBMIT lb bob 5");
  Ask("LB.HIDE lb eve");
  EXPECT_EQ(Ask("COPY lb twin"), "1");
  EXPECT_EQ(Ask("ZREVRANGE twin 0 -1"), R"(["bob", "ann"])");
  EXPECT_EQ(Stamp("twin", "ann"), Stamp("lb", "ann"));
  EXPECT_EQ(EntryText(Command("LB.GET twin ann WITHMETA")), "2 ann 5 meta hat");
  EXPECT_EQ(Verdict("LB.SUBMIT twin eve 9"), "accepted rank nil->nil score nil->9 hidden");
  Ask("LB.SUBMIT twin cid 5");
  EXPECT_EQ(Ask("ZREVRANGE twin 0 -1"), R"(["cid", "bob", "ann"])");
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["bob", "ann"])");
  EXPECT_EQ(Ask("COPY lb twin"), "0");
  EXPECT_EQ(Ask("COPY lb twin REPLACE"), "1");
  EXPECT_EQ(Ask("ZREVRANGE twin 0 -1"), R"(["bob", "ann"])");
}

TEST_P(LeaderboardNames, RenamedSortedSetsStaySortedSets) {
  Ask("ZADD set 1.5 a");
  EXPECT_EQ(Ask("RENAME set other"), "+OK");
  EXPECT_EQ(Ask("ZADD other 2.5 b"), "1");
  EXPECT_EQ(Ask("COPY other third"), "1");
  EXPECT_EQ(LowToHigh("third"), Scored({{"a", "1.5"}, {"b", "2.5"}}));
}

TEST_P(LeaderboardNames, CommandsOfOtherTypesAreRefused) {
  EXPECT_EQ(Ask("GET nothing"), "nil");
  Ask("LB.CREATE lb");
  EXPECT_EQ(Ask("GET lb"), "nil");
  Ask("ZADD lb 1 a");
  Ask("ZADD set 1 a");
  const std::string wrong = "-WRONGTYPE Operation against a key holding the wrong kind of value";
  EXPECT_EQ(Ask("GET lb"), wrong);
  EXPECT_EQ(Ask("GET set"), wrong);
  EXPECT_EQ(Ask("SET lb 1"), "-ERR unknown command 'SET', with args beginning with: 'lb' '1' ");
  EXPECT_EQ(Ask("SADD s 1"), "-ERR unknown command 'SADD', with args beginning with: 's' '1' ");
  EXPECT_EQ(Ask("HSET h f v"),
            "-ERR unknown command 'HSET', with args beginning with: 'h' 'f' 'v' ");
  const std::string no_scripts = "-ERR no scripts here: LB.INCR and LB.SUBMIT are atomic";
  EXPECT_EQ(Ask(Arguments{"EVAL", "return 1", "0"}), no_scripts);
  EXPECT_EQ(Ask("EVALSHA ffffffffffffffffffffffffffffffffffffffff 0"), no_scripts);
}

TEST_P(LeaderboardNames, ThereIsOneDatabase) {
  EXPECT_EQ(Ask("SELECT 0"), "+OK");
  EXPECT_EQ(Ask("SELECT 1"), "-ERR DB index is out of range");
  EXPECT_EQ(Ask("SELECT -1"), "-ERR DB index is out of range");
}

// --- templates -----------------------------------------------------------------------------------

TEST_P(LeaderboardNames, ATemplateMakesNewNamesLeaderboards) {
  EXPECT_EQ(Ask("LB.TEMPLATE SET t1:* POLICY best"), "+OK");
  EXPECT_TRUE(IsLeaderboard("t1:zadd"));
  EXPECT_EQ(Ask("ZINCRBY t1:zincrby 5 a"), Score("5"));
  EXPECT_EQ(Code("ZINCRBY t1:zincrby 0.5 a"), "BADSCORE");
  EXPECT_EQ(Verdict("LB.SUBMIT t1:submit a 5"), "accepted rank nil->1 score nil->5");
  EXPECT_EQ(Verdict("LB.SUBMIT t1:submit a 4"), "not-best rank 1->1 score 5->5");
  EXPECT_EQ(Verdict("LB.SET t1:set a 5"), "accepted rank nil->1 score nil->5");
  EXPECT_EQ(Verdict("LB.INCR t1:incr a 5"), "accepted rank nil->1 score nil->5");
  EXPECT_EQ(Command("LB.MSUBMIT t1:msubmit 1 a 5").elements.size(), 1U);
  EXPECT_EQ(Ask("ZREVRANK t1:msubmit a"), "0");
  EXPECT_FALSE(IsLeaderboard("u1:other"));
  EXPECT_NE(Ask("LB.TEMPLATE LIST").find("t1:*"), std::string::npos);
  EXPECT_NE(Command("LB.TEMPLATE DEL t1:*").type, '-');
  EXPECT_EQ(Ask("LB.TEMPLATE LIST").find("t1:*"), std::string::npos);
  EXPECT_FALSE(IsLeaderboard("t1:later"));
  EXPECT_TRUE(IsLeaderboard("t1:zadd"));
}

TEST_P(LeaderboardNames, AReadOrARefusedWriteUnderATemplateCreatesNothing) {
  Ask("LB.TEMPLATE SET t2:*");
  Ask("ZSCORE t2:a x");
  Ask("ZADD t2:a 1.5 x");
  Ask("ZADD t2:a XX 1 x");
  EXPECT_EQ(Ask("EXISTS t2:a"), "0");
  EXPECT_EQ(Ask("LB.LIST").find("t2:a"), std::string::npos);
  Ask("LB.TEMPLATE DEL t2:*");
}

TEST_P(LeaderboardNames, TheLongestPatternWins) {
  Ask("LB.TEMPLATE SET t3:* TIE first");
  Ask("LB.TEMPLATE SET t3:daily:* TIE last");
  Ask("LB.TEMPLATE SET t3:*:* TIE member");
  for (const std::string board : {"t3:x", "t3:daily:x", "t3:other:x"}) {
    Ask("ZADD " + board + " 1 b 1 c 1 a");
  }
  EXPECT_EQ(Ask("ZREVRANGE t3:x 0 -1"), R"(["b", "c", "a"])");
  EXPECT_EQ(Ask("ZREVRANGE t3:daily:x 0 -1"), R"(["a", "c", "b"])");
  EXPECT_EQ(Ask("ZREVRANGE t3:other:x 0 -1"), R"(["a", "b", "c"])");
  for (const std::string pattern : {"t3:*", "t3:daily:*", "t3:*:*"}) {
    Ask("LB.TEMPLATE DEL " + pattern);
  }
}

TEST_P(LeaderboardNames, TemplatesSurviveAFlush) {
  Ask("LB.TEMPLATE SET t4:*");
  Ask("FLUSHALL");
  EXPECT_TRUE(IsLeaderboard("t4:x"));
  Ask("LB.TEMPLATE DEL t4:*");
}

TEST_P(LeaderboardNames, DestinationsNeverMatchATemplate) {
  Ask("LB.TEMPLATE SET t5:*");
  Ask("ZADD set 1.5 a 1.5 b");
  EXPECT_EQ(Ask("ZUNIONSTORE t5:union 1 set"), "2");
  EXPECT_EQ(Ask("ZRANGESTORE t5:range set 0 -1"), "2");
  EXPECT_EQ(Ask("COPY set t5:copy"), "1");
  EXPECT_EQ(Ask("RENAME set t5:rename"), "+OK");
  for (const std::string board : {"t5:union", "t5:range", "t5:copy", "t5:rename"}) {
    EXPECT_EQ(LowToHigh(board), Scored({{"a", "1.5"}, {"b", "1.5"}})) << board;
    EXPECT_EQ(Ask("ZADD " + board + " 0.5 c"), "1") << board;
  }
  Ask("LB.TEMPLATE DEL t5:*");
}

TEST_P(LeaderboardNames, TheTemplateOptionCanMatchEveryName) {
  const ServerProcess server = ServerProcess::Laurel({"--template", "*"});
  RespClient other(server.port());
  if (resp3()) other.Command({"HELLO", "3"});
  other.Command({"ZADD", "anything", "5", "b"});
  other.Command({"ZADD", "anything", "5", "c", "5", "a"});
  EXPECT_EQ(other.Ask({"ZREVRANGE", "anything", "0", "-1"}), R"(["b", "c", "a"])");
  EXPECT_EQ(other.Command({"ZADD", "anything", "5.5", "d"}).text.substr(0, 8), "BADSCORE");
}

}  // namespace
}  // namespace laurel::black_box
