// The work of one command is bounded: the length of patterns, and the number of entries it touches.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "tests/support/seed.h"

namespace laurel::black_box {
namespace {

constexpr std::size_t kMaxPatternBytes = 1024;

std::string CodeOf(const Value& reply) {
  return reply.IsError() ? reply.text.substr(0, reply.text.find(' ')) : "";
}

// Patterns ---------------------------------------------------------------------------------------

// Every command that takes a pattern; "P" stands for the pattern.
const std::vector<Arguments>& CommandsWithAPattern() {
  static const std::vector<Arguments> commands = {
      {"KEYS", "P"},
      {"SCAN", "0", "MATCH", "P"},
      {"SCAN", "0", "COUNT", "5", "MATCH", "P"},
      {"ZSCAN", "z", "0", "MATCH", "P"},
      {"LB.LIST", "MATCH", "P"},
      {"CONFIG", "GET", "P"},
      {"CONFIG", "GET", "port", "P"},
      {"COMMAND", "LIST", "FILTERBY", "PATTERN", "P"},
  };
  return commands;
}

Arguments With(Arguments command, const std::string& pattern) {
  for (std::string& argument : command) {
    if (argument == "P") argument = pattern;
  }
  return command;
}

TEST(BoundedWork, TooLongPatternsAreRefusedByEveryCommand) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  ASSERT_EQ(client.Ask({"ZADD", "z", "1", "a"}), "1");
  for (const Arguments& command : CommandsWithAPattern()) {
    const Value most = client.Command(With(command, std::string(kMaxPatternBytes, '*')));
    EXPECT_FALSE(most.IsError()) << Quoted(command) << ": " << most.ToString();
    const Value refused = client.Command(With(command, std::string(kMaxPatternBytes + 1, '*')));
    EXPECT_EQ(refused.ToString(), "-LIMIT a pattern has at most 1024 bytes") << Quoted(command);
    const Value huge = client.Command(With(command, std::string(kMiB, 'a')));
    EXPECT_EQ(CodeOf(huge), "LIMIT") << Quoted(command);
  }
  // A template's pattern, like a board's name, has at most half as many bytes.
  EXPECT_EQ(client.Ask({"LB.TEMPLATE", "SET", std::string(512, 'a')}), "+OK");
  EXPECT_EQ(CodeOf(client.Command({"LB.TEMPLATE", "SET", std::string(513, 'a')})), "LIMIT");
  EXPECT_EQ(CodeOf(client.Command({"LB.TEMPLATE", "SET", ""})), "ERR");
  // What a match has to search for is bounded too.
  const auto between_stars = [](std::size_t count) {
    return "a*" + std::string(count - 10, '?') + "*[ab]\\*34567890*" + std::string(200, 'b');
  };
  EXPECT_EQ(client.Ask({"LB.TEMPLATE", "SET", between_stars(64)}), "+OK");
  EXPECT_EQ(client.Ask({"LB.TEMPLATE", "SET", between_stars(65)}),
            "-LIMIT a template's pattern has at most 64 characters between its first and its last "
            "star");
}

// Compares random patterns with redis-server. They have few letters, so that they match often.
TEST(BoundedWork, RandomPatternsMatchAsInRedis) {
  ServerProcess laurel_server = ServerProcess::Laurel();
  ServerProcess redis_server = ServerProcess::Redis();
  RespClient laurel_client(laurel_server.port());
  RespClient redis_client(redis_server.port());
  base::Random random(TestSeed());
  const auto text = [&](std::string_view alphabet, std::size_t most) {
    std::string made(1 + random.Below(most), ' ');
    for (char& c : made) c = alphabet[random.Below(alphabet.size())];
    return made;
  };
  Arguments members = {"ZADD", "z"};
  for (int i = 0; i < 300; ++i) {
    members.insert(members.end(), {"1", text(i % 10 == 0 ? "ab[]^-\\*?\x80\xff" : "ab", 12)});
  }
  ASSERT_EQ(laurel_client.Ask(members), redis_client.Ask(members));
  // Long members, so that parts of a pattern span several words of the matcher's masks.
  const std::string run = text("ab", 200) + text("ab", 200);
  const Arguments longer = {"ZADD", "z", "1", run + run, "1", run + "b" + run};
  ASSERT_EQ(laurel_client.Ask(longer), redis_client.Ask(longer));
  int matched = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string pattern = text("aabb**??[]^-\\", 14);
    if (i % 5 == 0) pattern = "*" + run.substr(random.Below(run.size())) + "*" + pattern;
    const Arguments scan = {"ZSCAN", "z", "0", "MATCH", pattern, "COUNT", "10000"};
    const Value ours = laurel_client.Command(scan);
    const Value theirs = redis_client.Command(scan);
    ASSERT_EQ(ours.elements.size(), 2U);
    std::vector<std::string> our_members;
    std::vector<std::string> their_members;
    for (std::size_t j = 0; j < ours.elements[1].elements.size(); j += 2) {
      our_members.push_back(ours.elements[1].elements[j].text);
    }
    for (std::size_t j = 0; j < theirs.elements[1].elements.size(); j += 2) {
      their_members.push_back(theirs.elements[1].elements[j].text);
    }
    std::sort(our_members.begin(), our_members.end());
    std::sort(their_members.begin(), their_members.end());
    ASSERT_EQ(our_members, their_members) << Quoted(pattern);
    matched += our_members.empty() ? 0 : 1;
  }
  EXPECT_GT(matched, 300);
}

// Work -------------------------------------------------------------------------------------------

class MaxWork : public testing::Test {
 protected:
  // Boards "a" and "b" of 50 entries each, 25 of them common; "adopted", a leaderboard of 50.
  void SetUp() override {
    for (int i = 0; i < 50; ++i) {
      const std::string number = std::to_string(i);
      ASSERT_EQ(client_.Ask({"ZADD", "a", number, "m" + number}), "1");
      ASSERT_EQ(client_.Ask({"ZADD", "b", number, "m" + std::to_string(i + 25)}), "1");
    }
    ASSERT_EQ(client_.Ask({"COPY", "a", "adopted"}), "1");
    ASSERT_EQ(client_.Ask({"LB.CREATE", "adopted", "ADOPT"}), "+OK");
  }
  void ExpectRefused(const Arguments& command) {
    const Value reply = client_.Command(command);
    EXPECT_TRUE(reply.IsError() && reply.text.starts_with("LIMIT ") &&
                reply.text.find("max-work (60)") != std::string::npos)
        << Quoted(command) << ": " << reply.ToString();
  }
  void ExpectDone(const Arguments& command) {
    const Value reply = client_.Command(command);
    EXPECT_FALSE(reply.IsError()) << Quoted(command) << ": " << reply.ToString();
  }

  ServerProcess server_ = ServerProcess::Laurel({"--max-work", "60"});
  RespClient client_{server_.port()};
};

TEST_F(MaxWork, CommandsOnTooManyEntriesAreRefusedBeforeTheyStart) {
  for (const Arguments& command : std::vector<Arguments>{
           {"ZUNION", "2", "a", "b"},
           {"ZUNIONSTORE", "to", "2", "a", "b"},
           {"ZUNIONSTORE", "to", "2", "a", "adopted"},
           {"ZINTER", "2", "a", "b"},
           {"ZINTERSTORE", "to", "2", "a", "b"},
           {"ZINTERCARD", "2", "a", "b"},
           {"ZINTERCARD", "2", "a", "b", "LIMIT", "1"},
           {"ZDIFF", "2", "a", "b"},
           {"ZDIFF", "3", "a", "none", "none"},
           {"ZDIFFSTORE", "to", "2", "a", "b"},
           {"ZRANDMEMBER", "a", "-61"},
           {"ZRANDMEMBER", "a", "-1000000", "WITHSCORES"},
       }) {
    ExpectRefused(command);
  }
  EXPECT_EQ(client_.Ask({"EXISTS", "to"}), "0");
  for (const Arguments& command : std::vector<Arguments>{
           {"ZUNION", "1", "a"},
           {"ZUNION", "2", "a", "none"},
           {"ZINTER", "3", "a", "b", "none"},
           {"ZDIFF", "2", "none", "a"},
           {"ZRANDMEMBER", "a", "-60"},
           {"ZRANDMEMBER", "a", "1000000"},
           {"ZRANGESTORE", "to", "a", "0", "-1"},
           {"COPY", "a", "copy"},
           {"KEYS", "*"},
           {"RANDOMKEY"},
           {"ZRANGE", "a", "0", "-1"},
       }) {
    ExpectDone(command);
  }
}

TEST_F(MaxWork, TooLargeRangesAreNotStoredButLargeBoardsAreCopiedAndAdopted) {
  for (int i = 50; i < 61; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_EQ(client_.Ask({"ZADD", "a", number, "m" + number}), "1");
  }
  ExpectRefused({"ZRANGESTORE", "to", "a", "0", "-1"});
  ExpectRefused({"ZRANGESTORE", "to", "a", "-inf", "+inf", "BYSCORE"});
  ExpectRefused({"ZRANDMEMBER", "a", "61"});
  EXPECT_EQ(client_.Ask({"EXISTS", "to"}), "0");
  ExpectDone({"ZRANGESTORE", "to", "a", "0", "59"});
  ExpectDone({"ZRANDMEMBER", "a", "60"});
  ExpectDone({"COPY", "a", "copy"});
  ExpectDone({"LB.CREATE", "a", "ADOPT"});
}

TEST_F(MaxWork, NamesCountLikeEntries) {
  for (int i = 0; i < 57; ++i) ExpectDone({"ZADD", "n" + std::to_string(i), "1", "m"});
  ExpectDone({"KEYS", "*"});
  ExpectDone({"ZADD", "one-more", "1", "m"});
  ExpectRefused({"KEYS", "*"});
  ExpectRefused({"KEYS", "a"});
  ExpectDone({"SCAN", "0", "COUNT", "1000000000"});
  ExpectDone({"LB.LIST", "COUNT", "1000000000"});
}

// A command on all instances of a board with periods counts its members once per instance.
TEST_F(MaxWork, MembersTimesInstancesAreBounded) {
  ASSERT_EQ(client_.Ask({"LB.CREATE", "days", "PERIODS", "3", "day", "week", "all"}), "+OK");
  ExpectDone({"LB.SUBMIT", "days", "ann", "1"});
  for (const std::string name : {"LB.REMOVE", "ZREM", "LB.HIDE", "LB.SHOW"}) {
    Arguments most = {name, "days"};
    for (int i = 0; i < 20; ++i) most.push_back("m" + std::to_string(i));
    ExpectDone(most);
    most.push_back("one-more");
    ExpectRefused(most);
  }
  EXPECT_EQ(client_.Ask({"LB.SIZE", "days"}), "1");
}

TEST_F(MaxWork, MetaCountsTheInstances) {
  ASSERT_EQ(client_.Ask({"LB.CREATE", "days", "PERIODS", "3", "day", "week", "all"}), "+OK");
  ExpectDone({"LB.SUBMIT", "days", "ann", "1"});
  ASSERT_EQ(client_.Ask({"MULTI"}), "+OK");
  for (int i = 0; i <= 20; ++i) client_.Ask({"LB.META", "days", "ann", std::to_string(i)});
  const Value replies = client_.Command({"EXEC"});
  ASSERT_EQ(replies.elements.size(), 21U);
  EXPECT_FALSE(replies.elements[19].IsError());
  EXPECT_TRUE(replies.elements[20].text.starts_with("LIMIT lb.meta would touch 3 entries"))
      << replies.elements[20].ToString();
  ExpectDone({"LB.META", "days@all", "ann", "one instance"});
}

TEST_F(MaxWork, ATransactionHasTheLimitOfOneCommand) {
  const Arguments half = {"ZUNION", "1", "a"};
  ASSERT_EQ(client_.Ask({"MULTI"}), "+OK");
  ASSERT_EQ(client_.Ask(half), "+QUEUED");
  ASSERT_EQ(client_.Ask(half), "+QUEUED");
  ASSERT_EQ(client_.Ask({"ZADD", "a", "1", "late"}), "+QUEUED");
  const Value replies = client_.Command({"EXEC"});
  ASSERT_EQ(replies.elements.size(), 3U) << replies.ToString();
  EXPECT_EQ(replies.elements[0].elements.size(), 50U);
  EXPECT_EQ(CodeOf(replies.elements[1]), "LIMIT");
  EXPECT_EQ(replies.elements[2].ToString(), "1");
  ExpectDone(half);
  ExpectDone(half);
}

// What the reads of an EXEC return ---------------------------------------------------------------

// Runs the commands as one transaction on a server that lets its reads return 100 entries.
class MaxExecEntries : public testing::Test {
 protected:
  // "lb", a leaderboard with members "m0" to "m199", and "z", a sorted set with the same entries.
  void SetUp() override {
    Arguments add = {"ZADD", "z"};
    for (int i = 0; i < 200; ++i) {
      add.insert(add.end(), {std::to_string(i), "m" + std::to_string(i)});
    }
    ASSERT_EQ(client_.Ask(add), "200");
    ASSERT_EQ(client_.Ask({"COPY", "z", "lb"}), "1");
    ASSERT_EQ(client_.Ask({"LB.CREATE", "lb", "ADOPT"}), "+OK");
  }
  std::vector<Value> Exec(const std::vector<Arguments>& commands) {
    EXPECT_EQ(client_.Ask({"MULTI"}), "+OK");
    for (const Arguments& command : commands) EXPECT_EQ(client_.Ask(command), "+QUEUED");
    Value replies = client_.Command({"EXEC"});
    EXPECT_EQ(replies.elements.size(), commands.size()) << replies.ToString();
    replies.elements.resize(commands.size());
    return replies.elements;
  }
  // The command, followed by the names of `count` members.
  static Arguments WithMembers(Arguments command, int count) {
    for (int i = 0; i < count; ++i) command.push_back("m" + std::to_string(i));
    return command;
  }

  ServerProcess server_ = ServerProcess::Laurel({"--max-exec-entries", "100"});
  RespClient client_{server_.port()};
};

TEST_F(MaxExecEntries, ReadsMayReturnAsManyEntriesAndNotOneMore) {
  struct {
    Arguments most;
    Arguments more;
  } const reads[] = {
      {{"LB.TOP", "lb", "99"}, {"LB.TOP", "lb", "100"}},
      {{"LB.RANGE", "lb", "1", "99"}, {"LB.RANGE", "lb", "-100", "-1"}},
      {{"LB.BETWEEN", "lb", "0", "98"}, {"LB.BETWEEN", "lb", "0", "99"}},
      {{"LB.AROUND", "lb", "m100", "49"}, {"LB.AROUND", "lb", "m100", "50"}},
      {{"LB.HISTOGRAM", "lb", "99"}, {"LB.HISTOGRAM", "lb", "100"}},
      {WithMembers({"LB.AMONG", "lb", "99"}, 99), WithMembers({"LB.AMONG", "lb", "100"}, 100)},
      {WithMembers({"ZMSCORE", "z"}, 99), WithMembers({"ZMSCORE", "z"}, 100)},
      {WithMembers({"EXISTS"}, 99), WithMembers({"TOUCH"}, 100)},
      {{"ZRANGE", "z", "0", "98"}, {"ZREVRANGE", "z", "0", "99"}},
      {{"ZRANGEBYSCORE", "z", "0", "98"}, {"ZRANGEBYSCORE", "lb", "0", "99"}},
      {{"ZRANGEBYLEX", "z", "-", "+", "LIMIT", "0", "99"}, {"ZRANGEBYLEX", "z", "-", "+"}},
      {{"ZRANDMEMBER", "z", "-99"}, {"ZRANDMEMBER", "z", "100"}},
      {{"ZSCAN", "z", "0", "COUNT", "99"}, {"ZSCAN", "z", "0", "COUNT", "1000", "MATCH", "none"}},
      {{"LB.SIZE", "lb"}, {"ZUNION", "1", "z"}},
      {{"LB.SIZE", "lb"}, {"ZINTERCARD", "2", "z", "lb"}},
  };
  for (const auto& [most, more] : reads) {
    const std::vector<Value> fits = Exec({{"LB.SIZE", "lb"}, most});
    EXPECT_FALSE(fits[1].IsError()) << Quoted(most) << ": " << fits[1].ToString();
    const std::vector<Value> exceeds = Exec({{"LB.SIZE", "lb"}, more, {"LB.SIZE", "lb"}});
    EXPECT_EQ(exceeds[0].ToString(), "200");
    EXPECT_EQ(
        exceeds[1].ToString(),
        "-LIMIT these reads return more than 100 entries together (max-exec-entries): ask for "
        "less at a time")
        << Quoted(more);
    EXPECT_EQ(CodeOf(exceeds[2]), "LIMIT") << "a read after " << Quoted(more);
    EXPECT_EQ(CodeOf(client_.Command(more)), "") << "outside of a transaction: " << Quoted(more);
  }
}

TEST_F(MaxExecEntries, AReadOfOneValueCountsAsOne) {
  std::vector<Arguments> reads(100, {"LB.GET", "lb", "m7"});
  reads.push_back({"LB.RANKOF", "lb", "5"});
  reads.push_back({"PING"});
  const std::vector<Value> replies = Exec(reads);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_FALSE(replies[i].IsError()) << i;
  EXPECT_EQ(CodeOf(replies[100]), "LIMIT");
  EXPECT_EQ(CodeOf(replies[101]), "LIMIT");
}

TEST_F(MaxExecEntries, LargeEntriesCountAsSeveral) {
  for (const char* member : {"m199", "m198"}) {
    ASSERT_EQ(client_.Ask({"LB.META", "lb", member, std::string(4096, 'x')}), "1");
  }
  std::vector<Value> replies = Exec({{"LB.TOP", "lb", "1", "WITHMETA"}, {"LB.SIZE", "lb"}});
  EXPECT_EQ(replies[1].ToString(), "200");
  for (const Arguments& two : {Arguments{"LB.TOP", "lb", "2", "WITHMETA"},
                               Arguments{"LB.AMONG", "lb", "2", "m199", "m198", "WITHMETA"}}) {
    EXPECT_EQ(CodeOf(Exec({two, {"LB.SIZE", "lb"}})[0]), "LIMIT") << Quoted(two);
  }
  EXPECT_EQ(client_.Command({"LB.TOP", "lb", "2", "WITHMETA"}).elements.size(), 2U);
}

TEST_F(MaxExecEntries, TemplatesThatAreTriedOnANameCount) {
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(client_.Ask({"LB.TEMPLATE", "SET", "*" + std::to_string(i) + "-*"}), "+OK");
  }
  const std::vector<Value> replies = Exec({{"LB.GET", "none", "ann"}, {"LB.GET", "lb", "m1"}});
  EXPECT_EQ(CodeOf(replies[0]), "NOBOARD");
  EXPECT_EQ(CodeOf(replies[1]), "LIMIT");
  const std::vector<Value> declared = Exec({{"LB.GET", "lb", "m1"}, {"LB.GET", "lb", "m2"}});
  EXPECT_FALSE(declared[1].IsError()) << declared[1].ToString();
}

TEST_F(MaxExecEntries, CommandsOfTheServerThatLookAtItsTablesCount) {
  for (const Arguments& command : {Arguments{"COMMAND", "DOCS"}, Arguments{"INFO", "cpu"},
                                   Arguments{"COMMAND", "LIST", "FILTERBY", "PATTERN", "none"},
                                   Arguments{"CONFIG", "GET", "n*"}}) {
    const std::vector<Value> replies = Exec({command, {"LB.SIZE", "lb"}});
    EXPECT_FALSE(replies[0].IsError()) << Quoted(command);
    EXPECT_EQ(CodeOf(replies[1]), "LIMIT") << Quoted(command);
  }
  EXPECT_EQ(Exec(std::vector<Arguments>(100, {"PING"}))[99].ToString(), "+PONG");
}

TEST_F(MaxExecEntries, InstancesThatTheCalendarIsAskedForCount) {
  ASSERT_EQ(client_.Ask({"LB.CREATE", "days", "PERIODS", "1", "day", "KEEP", "1000"}), "+OK");
  for (const Arguments& read :
       {Arguments{"LB.SIZE", "days@day:-1000"}, Arguments{"ZCARD", "days@day:-1000"},
        Arguments{"LB.SIZE", "days", "PERIOD", "day:-1000"}}) {
    const std::vector<Value> replies = Exec(std::vector<Arguments>(10, read));
    EXPECT_EQ(replies[0].ToString(), "0") << Quoted(read);
    EXPECT_EQ(CodeOf(replies[9]), "LIMIT") << Quoted(read);
  }
  EXPECT_EQ(Exec(std::vector<Arguments>(100, {"LB.SIZE", "days@day"}))[99].ToString(), "0");
  EXPECT_EQ(CodeOf(client_.Command({"LB.SIZE", "days@day:-9000000000000000000"})), "NOBOARD");
}

TEST_F(MaxExecEntries, PatternsThatAreMatchedCountByTheLengthOfTheirTexts) {
  ASSERT_EQ(client_.Ask({"ZADD", "long", "1", std::string(400'000, 'a')}), "1");
  const std::vector<Value> replies =
      Exec({{"ZSCAN", "long", "0", "MATCH", "*a?b*"}, {"LB.SIZE", "lb"}});
  EXPECT_FALSE(replies[0].IsError());
  EXPECT_EQ(CodeOf(replies[1]), "LIMIT");
}

TEST_F(MaxExecEntries, WritesAreExecutedDoNotCountAndTheErrorSaysThatTheyStay) {
  const std::vector<Value> replies = Exec({{"LB.SUBMIT", "lb", "first", "1"},
                                           {"LB.POP", "lb", "150"},
                                           {"LB.TOP", "lb", "51"},
                                           {"LB.TOP", "lb", "50"},
                                           {"LB.GET", "lb", "first"},
                                           {"LB.SUBMIT", "lb", "last", "1"}});
  EXPECT_EQ(replies[1].elements.size(), 150U);
  EXPECT_EQ(replies[2].elements.size(), 51U);
  EXPECT_EQ(replies[3].ToString(),
            "-LIMIT these reads return more than 100 entries together (max-exec-entries): ask for "
            "less at a time; what this EXEC wrote stays");
  EXPECT_EQ(replies[4].ToString(), "-LIMIT an earlier read was refused");
  EXPECT_FALSE(replies[5].IsError()) << replies[5].ToString();
  EXPECT_EQ(client_.Ask({"LB.SIZE", "lb"}), "52");
  EXPECT_EQ(Exec({{"LB.TOP", "lb", "52"}})[0].elements.size(), 52U) << "each EXEC begins anew";
}

TEST(BoundedWork, ReadsOfATransactionReturnTwentyThousandEntriesUnlessTheOperatorSaysOtherwise) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, std::vector<std::string>{"--max-exec-entries", "0"}}) {
    ServerProcess server = ServerProcess::Laurel(options);
    RespClient client(server.port());
    FillBoard(&client, "z", 20'001);
    for (const std::string last : {"19999", "20000"}) {
      ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
      ASSERT_EQ(client.Ask({"ZRANGE", "z", "0", last}), "+QUEUED");
      const Value replies = client.Command({"EXEC"});
      ASSERT_EQ(replies.elements.size(), 1U) << replies.ToString();
      EXPECT_EQ(replies.elements[0].IsError(), options.empty() && last == "20000") << last;
    }
    EXPECT_EQ(client.Command({"ZRANGE", "z", "0", "-1"}).elements.size(), 20'001U);
  }
}

TEST(BoundedWork, ATransactionQueuesTenThousandCommands) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  constexpr int kAtOnce = 1000;
  std::string some;
  for (int i = 0; i < kAtOnce; ++i) some += Encoded({"ZADD", "z", "1", ""});
  for (int sent = 0; sent < 10'000; sent += kAtOnce) {
    client.SendRaw(some);
    for (int i = 0; i < kAtOnce; ++i) ASSERT_EQ(client.ReadReply().ToString(), "+QUEUED");
  }
  EXPECT_EQ(client.Ask({"ZCARD", "z"}), "-LIMIT the transaction is too large");
  EXPECT_EQ(CodeOf(client.Command({"EXEC"})), "EXECABORT");
  EXPECT_EQ(client.Ask({"ZCARD", "z"}), "0");
}

TEST(BoundedWork, ATransactionRefusesReadsAfterATooLargeReply) {
  ServerProcess server = ServerProcess::Laurel({"--max-reply", "64kb"});
  RespClient client(server.port());
  FillBoard(&client, "z", 5000);
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  for (int i = 0; i < 3; ++i) ASSERT_EQ(client.Ask({"ZRANGE", "z", "0", "-1"}), "+QUEUED");
  ASSERT_EQ(client.Ask({"ZCARD", "z"}), "+QUEUED");
  ASSERT_EQ(client.Ask({"ZADD", "z", "1", "late"}), "+QUEUED");
  const Value replies = client.Command({"EXEC"});
  ASSERT_EQ(replies.elements.size(), 5U) << replies.ToString();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(CodeOf(replies.elements[static_cast<std::size_t>(i)]), "LIMIT") << i;
  }
  EXPECT_EQ(replies.elements[4].ToString(), "1");
}

TEST(BoundedWork, MetaOfOneReadIsBounded) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  const std::string meta(4096, 'x');
  Arguments among = {"LB.AMONG", "lb", "2049"};
  for (int i = 0; i < 2049; ++i) {
    const std::string member = "m" + std::to_string(i);
    among.push_back(member);
    client.SendRaw(Encoded({"LB.SUBMIT", "lb", member, "1", "META", meta}));
  }
  for (int i = 0; i < 2049; ++i) ASSERT_FALSE(client.ReadReply().IsError());
  among.push_back("WITHMETA");
  EXPECT_EQ(client.Command({"LB.TOP", "lb", "2048", "WITHMETA"}).elements.size(), 2048U);
  for (const Arguments& more : {Arguments{"LB.TOP", "lb", "2049", "WITHMETA"}, among}) {
    EXPECT_EQ(client.Ask(more),
              "-LIMIT these entries have more than 8388608 bytes of meta: ask for fewer at a time");
  }
}

TEST(BoundedWork, AClientWatchesABoundedNumberOfInstances) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb", "PERIODS", "1", "hour", "KEEP", "500"}), "+OK");
  Arguments watch = {"WATCH"};
  for (int i = 1; i <= 128; ++i) watch.push_back("lb@hour:-" + std::to_string(i));
  EXPECT_EQ(client.Ask(watch), "+OK");
  EXPECT_EQ(client.Ask({"WATCH", "lb", "other"}), "+OK");
  EXPECT_EQ(client.Ask({"WATCH", "lb@hour"}),
            "-LIMIT a client watches at most 128 instances of boards with periods");
}

TEST(BoundedWork, MaxWorkZeroMeansNoLimit) {
  ServerProcess server = ServerProcess::Laurel({"--max-work", "0"});
  RespClient client(server.port());
  FillBoard(&client, "z", 5000);
  EXPECT_EQ(client.Ask({"ZUNIONSTORE", "to", "2", "z", "z"}), "5000");
  EXPECT_EQ(client.Ask({"KEYS", "t*"}), R"(["to"])");
}

// COUNT is a hint: one call visits a bounded number of names.
TEST(BoundedWork, AScanVisitsABoundedNumberOfNamesPerCall) {
  ServerProcess server = ServerProcess::Laurel({"--in-memory"});
  RespClient client(server.port());
  std::string bytes;
  constexpr int kBoards = 25'000;
  for (int i = 0; i < kBoards; ++i) bytes += Encoded({"LB.CREATE", "lb" + std::to_string(i)});
  client.SendRaw(bytes);
  for (int i = 0; i < kBoards; ++i) ASSERT_EQ(client.ReadReply().ToString(), "+OK");
  ASSERT_EQ(client.Ask({"ZADD", "lb7", "1", "m"}), "1");
  for (const Arguments& head : {Arguments{"SCAN"}, Arguments{"LB.LIST", "CURSOR"}}) {
    int calls = 0;
    std::size_t found = 0;
    std::string cursor = "0";
    do {
      Arguments call = head;
      call.insert(call.end(), {cursor, "COUNT", "1000000000"});
      const Value page = client.Command(call);
      ASSERT_EQ(page.elements.size(), 2U) << page.ToString();
      cursor = page.elements[0].text;
      found += page.elements[1].elements.size();
      ++calls;
    } while (cursor != "0");
    EXPECT_GE(calls, 3) << Quoted(head);
    EXPECT_EQ(found, head[0] == "SCAN" ? 1U : kBoards);
  }
}

}  // namespace
}  // namespace laurel::black_box
