// Redis' sorted-set commands on leaderboards: they work as in Redis, except that numbers are exact
// and ties follow the tie rule.
#include <string>
#include <vector>

#include "server/leaderboard_fixture.h"

namespace laurel::black_box {
namespace {

class RedisCommandsOnLeaderboards : public LeaderboardTest {};
INSTANTIATE_TEST_SUITE_P(Protocol, RedisCommandsOnLeaderboards, testing::Values(2, 3),
                         testing::PrintToStringParamName());

// --- numbers -------------------------------------------------------------------------------------

TEST_P(RedisCommandsOnLeaderboards, ScoresAreExactOverAllOfInt64) {
  Ask("LB.CREATE lb");
  for (const std::string score : {"9223372036854775807", "9223372036854775806", "9007199254740993",
                                  "-9223372036854775808", "-9223372036854775807", "-1", "0"}) {
    EXPECT_EQ(Ask("ZADD lb " + score + " m" + score), "1");
    EXPECT_EQ(Ask("ZSCORE lb m" + score), Score(score));
  }
  EXPECT_EQ(
      Ask("ZRANGE lb 0 -1"),
      R"(["m-9223372036854775808", "m-9223372036854775807", "m-1", "m0", "m9007199254740993", )"
      R"("m9223372036854775806", "m9223372036854775807"])");
  EXPECT_EQ(Ask("ZREVRANGE lb 0 1 WITHSCORES"),
            Scored({{"m9223372036854775807", "9223372036854775807"},
                    {"m9223372036854775806", "9223372036854775806"}}));
  EXPECT_EQ(Ask("ZMSCORE lb m-1 nobody m9007199254740993"),
            "[" + Score("-1") + ", nil, " + Score("9007199254740993") + "]");
}

TEST_P(RedisCommandsOnLeaderboards, IncrementsAreExact) {
  Ask("LB.CREATE lb");
  EXPECT_EQ(Ask("ZINCRBY lb 9007199254740992 a"), Score("9007199254740992"));
  EXPECT_EQ(Ask("ZINCRBY lb 1 a"), Score("9007199254740993"));
  EXPECT_EQ(Ask("ZINCRBY lb -9223372036854775808 a"), Score("-9214364837600034815"));
  EXPECT_EQ(Ask("ZADD lb INCR 5 b"), Score("5"));
  EXPECT_EQ(Ask("ZADD lb INCR -7 b"), Score("-2"));
  EXPECT_EQ(Ask("ZADD lb NX INCR 1 b"), "nil");
  EXPECT_EQ(Ask("ZADD lb XX INCR 1 c"), "nil");
}

TEST_P(RedisCommandsOnLeaderboards, OverflowIsAnErrorAndChangesNothing) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 9223372036854775807 a");
  EXPECT_EQ(Code("ZADD lb 9223372036854775808 a"), "OVERFLOW");
  EXPECT_EQ(Code("ZADD lb -9223372036854775809 b"), "OVERFLOW");
  EXPECT_EQ(Code("ZADD lb 1e19 b"), "OVERFLOW");
  EXPECT_EQ(Code("ZINCRBY lb 1 a"), "OVERFLOW");
  EXPECT_EQ(Code("ZADD lb INCR 1 a"), "OVERFLOW");
  EXPECT_EQ(Code("ZADD lb 1 x 9223372036854775808 y"), "OVERFLOW");
  EXPECT_EQ(LowToHigh("lb"), Scored({{"a", "9223372036854775807"}}));
}

TEST_P(RedisCommandsOnLeaderboards, NumberFormatsOfAllClientsAreAccepted) {
  Ask("LB.CREATE lb");
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"95", "95"},
      {"95.0", "95"},
      {"+5", "5"},
      {"1.0E7", "10000000"},
      {"-0", "0"},
      {"1e3", "1000"},
      {"1e+16", "10000000000000000"},
      {"007", "7"},
      {"-12.000", "-12"},
      {"1.5e1", "15"},
      {"50e-1", "5"},
      {"9.223372036854775807E18", "9223372036854775807"},
  };
  for (const auto& [text, score] : texts) {
    Ask("ZADD lb " + text + " a");
    EXPECT_EQ(Ask("ZSCORE lb a"), Score(score)) << text;
  }
}

TEST_P(RedisCommandsOnLeaderboards, InvalidOrFractionalNumbersAreBadscore) {
  Ask("LB.CREATE lb");
  for (const std::string text : {"95.5", "inf", "-inf", "+inf", "nan", "abc", "0x10", "1e", "1e-1",
                                 ".", "--1", "1,5", "1_0"}) {
    EXPECT_EQ(Code("ZADD lb " + text + " a"), "BADSCORE") << text;
    EXPECT_EQ(Code("ZINCRBY lb " + text + " a"), "BADSCORE") << text;
  }
  for (const std::string text : {"", " 1", "1 ", "1\r\n"}) {
    const Value reply = Command(Arguments{"ZADD", "lb", text, "a"});
    EXPECT_TRUE(reply.IsError() && reply.text.starts_with("BADSCORE ")) << reply.ToString();
  }
  EXPECT_EQ(Ask("EXISTS lb"), "0");
}

TEST_P(RedisCommandsOnLeaderboards, DecimalsPrintAllTheirDigits) {
  Ask("LB.CREATE lb FIELDS 1 seconds:decimal3:asc");
  EXPECT_EQ(Ask("ZADD lb 12.5 a .5 b 3 c -0.001 d"), "4");
  EXPECT_EQ(LowToHigh("lb"),
            Scored({{"d", "-0.001"}, {"b", "0.500"}, {"c", "3.000"}, {"a", "12.500"}}));
  EXPECT_EQ(Ask("ZINCRBY lb 0.1 b"), Score("0.600"));
  EXPECT_EQ(Ask("ZINCRBY lb 0.2 b"), Score("0.800"));
  EXPECT_EQ(Code("ZADD lb 0.0001 e"), "BADSCORE");
  EXPECT_EQ(Ask("ZADD lb 9223372036854775.807 e"), "1");
  EXPECT_EQ(Code("ZADD lb 9223372036854775.808 f"), "OVERFLOW");
  Ask("LB.CREATE nine FIELDS 1 x:decimal9");
  EXPECT_EQ(Ask("ZADD nine 9.223372036 a"), "1");
  EXPECT_EQ(Ask("ZSCORE nine a"), Score("9.223372036"));
}

// --- ZADD ----------------------------------------------------------------------------------------

TEST_P(RedisCommandsOnLeaderboards, ZaddSetsWhateverThePolicy) {
  for (const std::string policy : {"set", "best", "sum"}) {
    const std::string board = "lb-" + policy;
    Ask("LB.CREATE " + board + " POLICY " + policy);
    EXPECT_EQ(Ask("ZADD " + board + " 10 a"), "1");
    EXPECT_EQ(Ask("ZADD " + board + " 5 a"), "0");
    EXPECT_EQ(Ask("ZSCORE " + board + " a"), Score("5"));
    EXPECT_EQ(Ask("ZINCRBY " + board + " -3 a"), Score("2"));
  }
  Ask("LB.CREATE max FIELDS 1 score:int:desc:max");
  Ask("ZADD max 10 a");
  Ask("ZADD max 5 a");
  EXPECT_EQ(Ask("ZSCORE max a"), Score("5"));
}

TEST_P(RedisCommandsOnLeaderboards, ZaddOptionsWorkAsInRedis) {
  Ask("LB.CREATE lb");
  EXPECT_EQ(Ask("ZADD lb NX 10 a 20 b"), "2");
  EXPECT_EQ(Ask("ZADD lb NX 11 a 30 c"), "1");
  EXPECT_EQ(Ask("ZADD lb XX 12 a 40 d"), "0");
  EXPECT_EQ(Ask("ZADD lb XX CH 13 a 20 b"), "1");
  EXPECT_EQ(Ask("ZADD lb CH 13 a 21 b 1 e"), "2");
  EXPECT_EQ(LowToHigh("lb"), Scored({{"e", "1"}, {"a", "13"}, {"b", "21"}, {"c", "30"}}));
  EXPECT_EQ(Ask("ZADD lb NX XX 1 a"), "-ERR XX and NX options at the same time are not compatible");
  EXPECT_EQ(Ask("ZADD lb GT LT 1 a"),
            "-ERR GT, LT, and/or NX options at the same time are not compatible");
  EXPECT_EQ(Ask("ZADD lb INCR 1 a 2 b"),
            "-ERR INCR option supports a single increment-element pair");
  EXPECT_EQ(Ask("ZADD lb 1"), "-ERR wrong number of arguments for 'zadd' command");
  EXPECT_EQ(Ask("ZADD lb 1 a 2"), "-ERR syntax error");
}

TEST_P(RedisCommandsOnLeaderboards, GtAndLtCompareNumbersWhateverTheDirection) {
  for (const std::string direction : {"desc", "asc"}) {
    const std::string board = "lb-" + direction;
    Ask("LB.CREATE " + board + " FIELDS 1 score:int:" + direction);
    Ask("ZADD " + board + " 9007199254740993 a");
    EXPECT_EQ(Ask("ZADD " + board + " GT CH 9007199254740992 a"), "0");
    EXPECT_EQ(Ask("ZADD " + board + " GT CH 9007199254740994 a"), "1");
    EXPECT_EQ(Ask("ZADD " + board + " LT CH 9007199254740995 a"), "0");
    EXPECT_EQ(Ask("ZADD " + board + " LT CH 9007199254740993 a"), "1");
    EXPECT_EQ(Ask("ZADD " + board + " GT CH 9007199254740993 a"), "0");
    EXPECT_EQ(Ask("ZADD " + board + " GT INCR -1 a"), "nil");
    EXPECT_EQ(Ask("ZADD " + board + " GT INCR 1 a"), Score("9007199254740994"));
    EXPECT_EQ(Ask("ZADD " + board + " GT 1 new"), "1");
  }
}

// --- order ---------------------------------------------------------------------------------------

TEST_P(RedisCommandsOnLeaderboards, OnADescBoardTheReverseCommandsRunBestFirst) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 10 z 20 y 10 a 20 b 15 m");
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["y", "b", "m", "z", "a"])");
  EXPECT_EQ(Ask("ZRANGE lb 0 -1 REV"), R"(["y", "b", "m", "z", "a"])");
  EXPECT_EQ(Ask("ZRANGE lb 0 -1"), R"(["a", "z", "m", "b", "y"])");
  EXPECT_EQ(Ask("ZREVRANK lb y"), "0");
  EXPECT_EQ(Ask("ZRANK lb y"), "4");
  EXPECT_EQ(Ask("ZREVRANGE lb 1 2"), R"(["b", "m"])");
  EXPECT_EQ(Ask("ZPOPMAX lb"), resp3() ? R"(["y", ,20])" : R"(["y", "20"])");
  EXPECT_EQ(Ask("ZPOPMIN lb"), resp3() ? R"(["a", ,10])" : R"(["a", "10"])");
  EXPECT_EQ(Ask("ZPOPMAX lb 2"), Scored({{"b", "20"}, {"m", "15"}}));
}

TEST_P(RedisCommandsOnLeaderboards, OnAnAscBoardTheForwardCommandsRunBestFirst) {
  Ask("LB.CREATE lb FIELDS 1 time:int:asc");
  Ask("ZADD lb 10 z 20 y 10 a 20 b 15 m");
  EXPECT_EQ(Ask("ZRANGE lb 0 -1"), R"(["z", "a", "m", "y", "b"])");
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["b", "y", "m", "a", "z"])");
  EXPECT_EQ(Ask("ZRANK lb z"), "0");
  EXPECT_EQ(Ask("ZREVRANK lb z"), "4");
  EXPECT_EQ(Ask("ZPOPMIN lb 2"), Scored({{"z", "10"}, {"a", "10"}}));
  EXPECT_EQ(Ask("ZPOPMAX lb 2"), Scored({{"b", "20"}, {"y", "20"}}));
}

TEST_P(RedisCommandsOnLeaderboards, ForwardAndReverseOrderAreExactReverses) {
  for (const std::string spec :
       {"TIE first", "TIE last", "TIE member", "FIELDS 1 t:int:asc TIE first",
        "FIELDS 1 t:int:asc TIE last", "FIELDS 1 t:int:asc TIE member"}) {
    Ask("FLUSHALL");
    Ask("LB.CREATE lb " + spec);
    for (int i = 0; i < 60; ++i) {
      Ask("ZADD lb " + std::to_string(i * 7 % 4) + " m" + std::to_string(i * 37 % 60));
    }
    const Value forward = Command("ZRANGE lb 0 -1");
    const Value reverse = Command("ZREVRANGE lb 0 -1");
    ASSERT_EQ(forward.elements.size(), 60U);
    ASSERT_EQ(reverse.elements.size(), 60U);
    for (std::size_t i = 0; i < 60; ++i) {
      EXPECT_EQ(forward.elements[i], reverse.elements[59 - i]);
      const std::string member = forward.elements[i].text;
      EXPECT_EQ(Ask("ZRANK lb " + member), std::to_string(i)) << spec;
      EXPECT_EQ(Ask("ZREVRANK lb " + member), std::to_string(59 - i)) << spec;
    }
  }
}

TEST_P(RedisCommandsOnLeaderboards, TiesFollowTheTieRule) {
  Ask("LB.CREATE first");
  Ask("LB.CREATE last TIE last");
  Ask("LB.CREATE member TIE member");
  for (const std::string board : {"first", "last", "member"}) {
    Ask("ZADD " + board + " 5 b");
    Ask("ZADD " + board + " 5 c 5 a");  // one command stamps in the order given
  }
  EXPECT_EQ(Ask("ZREVRANGE first 0 -1"), R"(["b", "c", "a"])");
  EXPECT_EQ(Ask("ZREVRANGE last 0 -1"), R"(["a", "c", "b"])");
  EXPECT_EQ(Ask("ZREVRANGE member 0 -1"), R"(["a", "b", "c"])");
}

TEST_P(RedisCommandsOnLeaderboards, AWriteThatKeepsTheScoreKeepsTheRank) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 5 a");
  Ask("ZADD lb 5 b");
  Ask("ZADD lb 5 a");
  Ask("ZADD lb 5.0 a");
  Ask("ZINCRBY lb 0 a");
  Ask("ZADD lb GT 4 a");
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["a", "b"])");
  Ask("ZINCRBY lb 1 a");
  Ask("ZINCRBY lb -1 a");
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["b", "a"])");
}

TEST_P(RedisCommandsOnLeaderboards, RankWithScoreReturnsBoth) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 9007199254740993 a 1 b");
  EXPECT_EQ(Ask("ZREVRANK lb a WITHSCORE"), "[0, " + Score("9007199254740993") + "]");
  EXPECT_EQ(Ask("ZRANK lb a WITHSCORE"), "[1, " + Score("9007199254740993") + "]");
  EXPECT_EQ(Ask("ZRANK lb nobody"), "nil");
}

// --- bounds --------------------------------------------------------------------------------------

TEST_P(RedisCommandsOnLeaderboards, ScoreBoundsAreExactAndMayBeExclusiveInfiniteOrFractional) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 9007199254740992 a 9007199254740993 b 9007199254740994 c 9223372036854775807 d "
      "-9223372036854775808 e");
  EXPECT_EQ(Ask("ZCOUNT lb 9007199254740993 9007199254740993"), "1");
  EXPECT_EQ(Ask("ZCOUNT lb (9007199254740992 9007199254740994"), "2");
  EXPECT_EQ(Ask("ZCOUNT lb (9007199254740992 (9007199254740994"), "1");
  EXPECT_EQ(Ask("ZCOUNT lb 9007199254740992.5 9007199254740993.5"), "1");
  EXPECT_EQ(Ask("ZCOUNT lb (9007199254740992.5 (9007199254740993.0001"), "1");
  EXPECT_EQ(Ask("ZCOUNT lb -inf +inf"), "5");
  EXPECT_EQ(Ask("ZCOUNT lb (-inf (+inf"), "5");
  EXPECT_EQ(Ask("ZCOUNT lb inf -inf"), "0");
  EXPECT_EQ(Ask("ZCOUNT lb 9223372036854775807 inf"), "1");
  EXPECT_EQ(Ask("ZCOUNT lb (9223372036854775807 inf"), "0");
  EXPECT_EQ(Ask("ZCOUNT lb 9223372036854775808 inf"), "0");
  EXPECT_EQ(Ask("ZCOUNT lb -1e30 (-9223372036854775808"), "0");
  EXPECT_EQ(Ask("ZCOUNT lb -1e30 1e30"), "5");
  EXPECT_EQ(Ask("ZRANGEBYSCORE lb (9007199254740992 +inf"), R"(["b", "c", "d"])");
  EXPECT_EQ(Ask("ZREVRANGEBYSCORE lb +inf (9007199254740992 LIMIT 1 1 WITHSCORES"),
            Scored({{"c", "9007199254740994"}}));
  EXPECT_EQ(Ask("ZRANGE lb 9007199254740994 9007199254740992 BYSCORE REV"), R"(["c", "b", "a"])");
  EXPECT_EQ(Ask("ZRANGE lb -inf +inf BYSCORE LIMIT 1 2"), R"(["a", "b"])");
  for (const std::string bad : {"abc", "nan", "((1"}) {
    EXPECT_EQ(Ask("ZCOUNT lb " + bad + " 1"), "-ERR min or max is not a float") << bad;
  }
}

TEST_P(RedisCommandsOnLeaderboards, ScoreBoundsIgnoreStamps) {
  for (const std::string direction : {"desc", "asc"}) {
    Ask("FLUSHALL");
    Ask("LB.CREATE lb FIELDS 1 s:int:" + direction);
    for (int i = 0; i < 30; ++i) Ask("ZADD lb " + std::to_string(i % 3) + " m" + std::to_string(i));
    EXPECT_EQ(Ask("ZCOUNT lb 1 1"), "10");
    EXPECT_EQ(Ask("ZCOUNT lb (0 (2"), "10");
    EXPECT_EQ(Ask("ZCOUNT lb 0.5 1.5"), "10");
    const Value low_first = Command("ZRANGEBYSCORE lb 1 1");
    const Value high_first = Command("ZREVRANGEBYSCORE lb 1 1");
    ASSERT_EQ(low_first.elements.size(), 10U);
    ASSERT_EQ(high_first.elements.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(low_first.elements[i], high_first.elements[9 - i]);
    }
    // Of equal scores the first to arrive ranks best.
    EXPECT_EQ((direction == "desc" ? high_first : low_first).elements[0].text, "m1");
    EXPECT_EQ(Ask("ZREMRANGEBYSCORE lb (0 1"), "10");
    EXPECT_EQ(Ask("ZCARD lb"), "20");
  }
}

TEST_P(RedisCommandsOnLeaderboards, ScoreBoundsOfDecimalsAreExact) {
  Ask("LB.CREATE lb FIELDS 1 x:decimal2");
  Ask("ZADD lb 0.1 a 0.2 b 0.3 c");
  EXPECT_EQ(Ask("ZRANGEBYSCORE lb 0.2 0.3"), R"(["b", "c"])");
  EXPECT_EQ(Ask("ZRANGEBYSCORE lb (0.2 0.3"), R"(["c"])");
  EXPECT_EQ(Ask("ZRANGEBYSCORE lb 0.199999999999999999999 0.2000000000000000000001"), R"(["b"])");
  EXPECT_EQ(Ask("ZRANGEBYSCORE lb 0.200000000000000000001 0.3"), R"(["c"])");
}

TEST_P(RedisCommandsOnLeaderboards, LexicographicRangesAreRefused) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 0 a 0 b");
  for (const std::string command :
       {"ZRANGEBYLEX lb - +", "ZREVRANGEBYLEX lb + -", "ZLEXCOUNT lb - +", "ZREMRANGEBYLEX lb - +",
        "ZRANGE lb - + BYLEX", "ZRANGESTORE other lb - + BYLEX"}) {
    EXPECT_EQ(Command(command).type, '-') << command;
  }
  EXPECT_EQ(Ask("ZCARD lb"), "2");
  EXPECT_EQ(Ask("EXISTS other"), "0");
}

// --- removal, iteration, random ------------------------------------------------------------------

TEST_P(RedisCommandsOnLeaderboards, RemovalsByRankCountFromTheSameEndAsRanges) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 1 a 2 b 3 c 4 d 5 e 6 f");
  EXPECT_EQ(Ask("ZREM lb c nobody"), "1");
  EXPECT_EQ(Ask("ZREMRANGEBYRANK lb 0 0"), "1");
  EXPECT_EQ(Ask("ZREMRANGEBYRANK lb -1 -1"), "1");
  EXPECT_EQ(LowToHigh("lb"), Scored({{"b", "2"}, {"d", "4"}, {"e", "5"}}));
  EXPECT_EQ(Ask("ZREMRANGEBYSCORE lb -inf (5"), "2");
  EXPECT_EQ(LowToHigh("lb"), Scored({{"e", "5"}}));
}

TEST_P(RedisCommandsOnLeaderboards, ScanAndRandomMembersShowExactScores) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 9007199254740993 a");
  EXPECT_EQ(Ask("ZSCAN lb 0"), R"(["0", ["a", "9007199254740993"]])");
  EXPECT_EQ(Ask("ZRANDMEMBER lb"), R"("a")");
  EXPECT_EQ(Ask("ZRANDMEMBER lb 1 WITHSCORES"), Scored({{"a", "9007199254740993"}}));
  EXPECT_EQ(Ask("ZSCAN lb 0 MATCH b*"), R"(["0", []])");
}

TEST_P(RedisCommandsOnLeaderboards, ZmpopAndBlockingPopsWorkOnLeaderboards) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 1 a 2 b 2 c");
  EXPECT_EQ(Ask("ZMPOP 2 nothing lb MAX COUNT 2"),
            R"(["lb", [["b", )" + Score("2") + R"(], ["c", )" + Score("2") + "]]]");
  EXPECT_EQ(Ask("BZPOPMIN nothing lb 1"), R"(["lb", "a", )" + Score("1") + "]");
  RespClient waiter = NewClient();
  waiter.Send({"BZPOPMAX", "lb", "0"});
  EXPECT_EQ(Ask("ZADD lb 9007199254740993 d"), "1");
  EXPECT_EQ(waiter.ReadReply().ToString(), R"(["lb", "d", )" + Score("9007199254740993") + "]");
  EXPECT_EQ(Ask("EXISTS lb"), "0");
}

// --- several fields ------------------------------------------------------------------------------

TEST_P(RedisCommandsOnLeaderboards, WithSeveralFieldsReadsShowTheFirstAndZaddIsRefused) {
  Ask("LB.CREATE run FIELDS 3 points deaths:int:asc best:decimal2:asc");
  Ask("LB.SUBMIT run ann 10 3 1.5");
  Ask("LB.SUBMIT run bob 10 2 9");
  Ask("LB.SUBMIT run cid 20 0 0");
  EXPECT_EQ(Ask("ZREVRANGE run 0 -1 WITHSCORES"),
            Scored({{"cid", "20"}, {"bob", "10"}, {"ann", "10"}}));
  EXPECT_EQ(Ask("ZSCORE run ann"), Score("10"));
  EXPECT_EQ(Ask("ZCOUNT run 10 10"), "2");
  EXPECT_EQ(Ask("ZREVRANK run ann"), "2");
  EXPECT_EQ(Ask("ZRANK run ann"), "0");
  EXPECT_EQ(Ask("ZADD run 1 ann"), "-ERR 'run' has 3 fields: use LB.SUBMIT");
  EXPECT_EQ(Ask("ZINCRBY run 1 ann"), "-ERR 'run' has 3 fields: use LB.INCR");
  EXPECT_EQ(Ask("ZSCORE run ann"), Score("10"));
  EXPECT_EQ(Ask("ZREM run ann"), "1");
}

// --- set operations ------------------------------------------------------------------------------

TEST_P(RedisCommandsOnLeaderboards, SetOperationsReadDoublesAndWriteSortedSets) {
  Ask("LB.CREATE lb");
  Ask("ZADD lb 9007199254740993 a 5 b");
  Ask("ZADD set 1 a 2 c");
  EXPECT_EQ(Ask("ZUNION 2 lb set WITHSCORES"),
            Scored({{"c", "2"}, {"b", "5"}, {"a", "9007199254740992"}}));
  EXPECT_EQ(Ask("ZINTER 2 lb set"), R"(["a"])");
  EXPECT_EQ(Ask("ZDIFF 2 lb set WITHSCORES"), Scored({{"b", "5"}}));
  EXPECT_EQ(Ask("ZINTERCARD 2 lb set"), "1");
  EXPECT_EQ(Ask("ZUNIONSTORE out 1 lb WEIGHTS 2"), "2");
  EXPECT_EQ(Ask("ZADD out 0.5 half"), "1");  // a sorted set takes fractions
  EXPECT_EQ(LowToHigh("out"), Scored({{"half", "0.5"}, {"b", "10"}, {"a", "18014398509481984"}}));
  EXPECT_EQ(Ask("ZRANGESTORE out lb 0 0"), "1");
  EXPECT_EQ(LowToHigh("out"), Scored({{"b", "5"}}));
  EXPECT_EQ(Ask("ZADD out 0.5 half"), "1");
}

TEST_P(RedisCommandsOnLeaderboards, SetOperationsIntoALeaderboardAreWrongtype) {
  Ask("LB.CREATE lb");
  Ask("LB.CREATE empty");
  Ask("ZADD lb 5 b");
  Ask("ZADD set 1 a");
  for (const std::string board : {"lb", "empty"}) {
    for (const std::string rest : {" 1 set", " 2 set lb"}) {
      EXPECT_EQ(Code("ZUNIONSTORE " + board + rest), "WRONGTYPE");
      EXPECT_EQ(Code("ZINTERSTORE " + board + rest), "WRONGTYPE");
      EXPECT_EQ(Code("ZDIFFSTORE " + board + rest), "WRONGTYPE");
    }
    EXPECT_EQ(Code("ZRANGESTORE " + board + " set 0 -1"), "WRONGTYPE");
  }
  EXPECT_EQ(LowToHigh("lb"), Scored({{"b", "5"}}));
  EXPECT_EQ(Ask("EXISTS empty"), "0");
}

// --- transactions --------------------------------------------------------------------------------

TEST_P(RedisCommandsOnLeaderboards, TransactionsMixRedisAndLbCommands) {
  Ask("LB.CREATE lb");
  EXPECT_EQ(Ask("MULTI"), "+OK");
  EXPECT_EQ(Ask("ZADD lb 5 a"), "+QUEUED");
  EXPECT_EQ(Ask("ZADD lb 5.5 a"), "+QUEUED");
  EXPECT_EQ(Ask("LB.INCR lb a 2"), "+QUEUED");
  EXPECT_EQ(Ask("ZSCORE lb a"), "+QUEUED");
  const Value replies = Command("EXEC");
  ASSERT_EQ(replies.elements.size(), 4U) << replies.ToString();
  EXPECT_EQ(replies.elements[0].ToString(), "1");
  EXPECT_TRUE(replies.elements[1].text.starts_with("BADSCORE "));
  EXPECT_EQ(VerdictText(replies.elements[2]), "accepted rank 1->1 score 5->7");
  EXPECT_EQ(replies.elements[3].ToString(), Score("7"));
}

TEST_P(RedisCommandsOnLeaderboards, AChangeOfAWatchedLeaderboardAbortsExec) {
  Ask("LB.CREATE lb");
  RespClient other = NewClient();
  Ask("WATCH lb");
  Ask("MULTI");
  Ask("ZADD lb 1 a");
  other.Command({"LB.SUBMIT", "lb", "b", "7"});
  EXPECT_EQ(Ask("EXEC"), resp3() ? "nil" : "nil-array");
  EXPECT_EQ(LowToHigh("lb"), Scored({{"b", "7"}}));
}

}  // namespace
}  // namespace laurel::black_box
