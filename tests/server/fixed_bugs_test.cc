// Regression tests: each reproduces a fixed bug over the wire, in the way it was found.
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"

namespace laurel::black_box {
namespace {

constexpr int kPatienceMs = 120'000;
constexpr int kMaxNames = 10'000;
constexpr int kMaxSubmits = 100'000;
constexpr int kMaxTemplates = 1000;
// In this time the server looks once for clients that have timed out.
constexpr int kSweepMs = 1200;

// The tokens are "keeper-token", "narrow-token".
const std::vector<std::string> kTokens = {
    "--token",
    "keeper:admin:sha256:b71fe355e1e1872b6134ef9de0231788e7e636b097457e5da3ef054138474780",
    "--token",
    "narrow:admin:sha256:24fd4bd1faba5000f7381c1a788fa9b48d0d17280fc3e3dda83e4193184c8158:a:*"};

std::vector<std::string> WithTokens(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), kTokens.begin(), kTokens.end());
  return arguments;
}

// `first`, then "name:0", "name:1", …, then `last`.
Arguments WithNames(Arguments first, int count, const Arguments& last = {}) {
  for (int i = 0; i < count; ++i) first.push_back("name:" + std::to_string(i));
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

bool IsRefusal(const Value& reply, std::string_view code) {
  return reply.IsError() && reply.text.starts_with(std::string(code) + " ");
}

testing::AssertionResult Refused(RespClient* client, const Arguments& arguments,
                                 std::string_view code) {
  const Value reply = client->Command(arguments);
  if (IsRefusal(reply, code)) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << arguments[0] << " gave " << reply.ToString().substr(0, 200) << ", not " << code;
}

bool BlockedBecomes(RespClient* client, const std::string& count) {
  return Eventually([&] { return InfoField(client, "blocked_clients") == count; });
}

class FixedBug : public testing::Test {
 protected:
  void Start(const std::vector<std::string>& arguments = {}) {
    server_.emplace(ServerProcess::Laurel(arguments));
  }
  RespClient New() { return RespClient(server_->port(), kPatienceMs); }
  RespClient NewWithToken(const std::string& token) {
    RespClient client = New();
    EXPECT_EQ(client.Ask({"AUTH", token}), "+OK");
    return client;
  }

  std::optional<ServerProcess> server_;
};

// Waiting pops ------------------------------------------------------------------------------------

// The command in a line of MONITOR, after the time and the address; empty if the line has another
// form.
std::string Shown(const std::string& line) {
  static const std::regex kHead(R"([0-9]+\.[0-9]{6} \[0 127\.0\.0\.1:[0-9]+\] )");
  const std::size_t command = line.find('"');
  if (command == std::string::npos) return "";
  return std::regex_match(line.substr(0, command), kHead) ? line.substr(command) : "";
}

TEST_F(FixedBug, AMonitorWithAFullSocketGetsItsPopBetweenWholeLines) {
  constexpr int kSpeakers = 4;
  constexpr int kEchoes = 80;
  constexpr std::size_t kEchoBytes = 256 << 10;  // 20 MiB together: more than a socket holds
  Start({"--threads", std::to_string(kSpeakers)});
  RespClient monitor = New();
  ASSERT_EQ(monitor.Ask({"MONITOR"}), "+OK");
  monitor.Send({"BZPOPMIN", "k", "0"});
  std::vector<RespClient> speakers;
  for (int i = 0; i < kSpeakers; ++i) speakers.push_back(New());
  ASSERT_TRUE(BlockedBecomes(&speakers[0], "1"));

  std::set<std::string> awaited;
  for (int i = 0; i < kEchoes; ++i) {
    const std::string text =
        std::to_string(i) + std::string(kEchoBytes, static_cast<char>('a' + i % 26));
    ASSERT_EQ(speakers[i % kSpeakers].Command({"ECHO", text}).text, text);
    awaited.insert("\"ECHO\" \"" + text + "\"");
  }
  ASSERT_EQ(speakers[1].Ask({"ZADD", "k", "7", "ann"}), "1");
  ASSERT_TRUE(BlockedBecomes(&speakers[2], "0"));
  awaited.insert(R"("ZADD" "k" "7" "ann")");

  int pops = 0;
  while (!awaited.empty() || pops == 0) {
    const Value value = monitor.ReadReply();
    if (value.type == '*') {
      EXPECT_EQ(value.ToString(), R"(["k", "ann", "7"])");
      ++pops;
      continue;
    }
    ASSERT_EQ(value.type, '+');
    const std::string shown = Shown(value.text);
    ASSERT_FALSE(shown.empty()) << value.text.substr(0, 200);
    const bool is_other = shown.starts_with(R"("INFO")") || shown.starts_with(R"("BZPOPMIN")");
    ASSERT_TRUE(is_other || awaited.erase(shown) == 1) << shown.substr(0, 200);
  }
  EXPECT_EQ(pops, 1);
}

TEST_F(FixedBug, ABlockedClientThatDisconnectsAfterALongPipelineIsNoticed) {
  Start();
  RespClient admin = New();
  {
    RespClient client = New();
    std::string pipeline = Encoded({"BZPOPMIN", "nokey", "0"});
    while (pipeline.size() < (128 << 10)) pipeline += Encoded({"ECHO", std::string(100, 'x')});
    client.SendRaw(pipeline);
    ASSERT_TRUE(BlockedBecomes(&admin, "1"));
  }
  EXPECT_TRUE(BlockedBecomes(&admin, "0"));
}

// For ProblemWithTimeout.
std::string WhatALongBlockDoesWrong(int port, int timeout_s, Pace* pace) {
  RespClient client(port);
  client.Send({"BZPOPMIN", "k", "0"});
  RespClient other(port);
  const bool blocks =
      Eventually([&] { return InfoField(&other, "blocked_clients") == "1" || pace->IsTooSlow(); });
  if (!blocks || pace->IsTooSlow()) return "BZPOPMIN does not block in time";
  if (client.ReplyWithin(2000 * timeout_s)) return "BZPOPMIN does not wait";
  pace->Restart();
  if (RespClient(port).Ask({"ZADD", "k", "1", "a"}) != "1") return "ZADD adds nothing";
  const std::string popped = client.ReadReply().ToString();
  if (popped != R"(["k", "a", "1"])") return "popped " + popped;
  if (client.Ask({"PING"}) != "+PONG") return "PING is not answered";
  pace->Step();
  client.ReplyWithin(kSweepMs);  // no reply comes; a server with the bug closes
  return client.Ask({"PING"}) == "+PONG" ? "" : "PING is not answered after a while";
}

TEST_F(FixedBug, AClientServedAfterALongBlockIsNotIdle) {
  EXPECT_EQ(ProblemWithTimeout("--idle-timeout", {}, WhatALongBlockDoesWrong), "");
}

// Limits ------------------------------------------------------------------------------------------

TEST_F(FixedBug, TooManyWatchedNamesAreRefusedAndNoneIsWatched) {
  Start();
  RespClient client = New();
  RespClient other = New();
  EXPECT_TRUE(Refused(&client, WithNames({"WATCH"}, kMaxNames + 1), "LIMIT"));
  ASSERT_EQ(other.Ask({"ZADD", "name:0", "1", "a"}), "1");
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  ASSERT_EQ(client.Ask({"ZCARD", "name:0"}), "+QUEUED");
  EXPECT_EQ(client.Ask({"EXEC"}), "[1]");
}

TEST_F(FixedBug, TheMostNamesAllowedCanBeWatchedInOneRequest) {
  Start();
  RespClient client = New();
  RespClient other = New();
  const std::string last = "name:" + std::to_string(kMaxNames - 1);
  ASSERT_EQ(client.Ask(WithNames({"WATCH"}, kMaxNames)), "+OK");
  EXPECT_TRUE(Refused(&client, {"WATCH", "one-more"}, "LIMIT"));
  ASSERT_EQ(other.Ask({"ZADD", last, "1", "a"}), "1");
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  ASSERT_EQ(client.Ask({"ZADD", last, "2", "b"}), "+QUEUED");
  EXPECT_TRUE(client.Command({"EXEC"}).IsNull());
  EXPECT_EQ(client.Ask({"ZCARD", last}), "1");
}

TEST_F(FixedBug, ABlockingPopOfTooManyNamesIsRefused) {
  Start();
  RespClient client = New();
  EXPECT_TRUE(Refused(&client, WithNames({"BZPOPMIN"}, kMaxNames + 1, {"0"}), "LIMIT"));
  EXPECT_EQ(InfoField(&client, "blocked_clients"), "0");
}

TEST_F(FixedBug, AmongTooManyMembersIsRefused) {
  Start();
  RespClient client = New();
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  ASSERT_FALSE(client.Command({"LB.SUBMIT", "lb", "name:7", "1"}).IsError());
  EXPECT_TRUE(Refused(&client,
                      WithNames({"LB.AMONG", "lb", std::to_string(kMaxNames + 1)}, kMaxNames + 1),
                      "LIMIT"));
  const Value most =
      client.Command(WithNames({"LB.AMONG", "lb", std::to_string(kMaxNames)}, kMaxNames));
  ASSERT_FALSE(most.IsError()) << most.ToString();
  ASSERT_FALSE(most.elements.empty());
  EXPECT_EQ(most.elements[0].Find("member")->text, "name:7");
}

TEST_F(FixedBug, AnMsubmitOfTooManyMembersIsRefusedAsAWhole) {
  Start();
  RespClient client = New();
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  EXPECT_TRUE(
      Refused(&client, {"LB.MSUBMIT", "lb", std::to_string(kMaxSubmits + 1), "a", "1"}, "LIMIT"));
  Arguments submits = {"LB.MSUBMIT", "lb", std::to_string(kMaxSubmits + 1)};
  for (int i = 0; i <= kMaxSubmits; ++i) {
    submits.push_back("m" + std::to_string(i));
    submits.emplace_back("1");
  }
  EXPECT_TRUE(Refused(&client, submits, "LIMIT"));
  EXPECT_EQ(client.Ask({"LB.SIZE", "lb"}), "0");
}

TEST_F(FixedBug, TemplatesCanStillBeReplacedAtTheirLimit) {
  Start();
  RespClient client = New();
  for (int i = 0; i < kMaxTemplates; ++i) {
    ASSERT_EQ(client.Ask({"LB.TEMPLATE", "SET", "t" + std::to_string(i) + ":*"}), "+OK");
  }
  EXPECT_TRUE(Refused(&client, {"LB.TEMPLATE", "SET", "more:*"}, "LIMIT"));
  EXPECT_EQ(client.Ask({"LB.TEMPLATE", "SET", "t5:*", "POLICY", "best"}), "+OK");
  const Value list = client.Command({"LB.TEMPLATE", "LIST"});
  EXPECT_EQ(list.elements.size(), std::size_t{kMaxTemplates});
  for (const Value& line : list.elements) {
    const bool is_best = line.Find("spec")->text.find("POLICY best") != std::string::npos;
    EXPECT_EQ(is_best, line.Find("pattern")->text == "t5:*") << line.ToString();
  }
}

TEST_F(FixedBug, AHugeCountOfRandomMembersIsRefusedAndOtherClientsAreServed) {
  Start({"--max-reply", "1mb"});
  RespClient client = New();
  RespClient other = New();
  ASSERT_EQ(client.Ask({"ZADD", "z", "1", "a", "2", "b"}), "2");
  EXPECT_TRUE(Refused(&client, {"ZRANDMEMBER", "z", "-9223372036854775807"}, "LIMIT"));
  EXPECT_EQ(other.Ask({"ZCARD", "z"}), "2");
}

TEST_F(FixedBug, MetaCountsTowardsMaxReply) {
  constexpr int kMembers = 2000;
  Start({"--max-reply", "1mb"});
  RespClient client = New();
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  const std::string meta(4096, 'm');
  for (int i = 0; i < kMembers; ++i) {
    const std::string number = std::to_string(i);
    const Value verdict = client.Command({"LB.SUBMIT", "lb", "m" + number, number, "META", meta});
    ASSERT_FALSE(verdict.IsError()) << verdict.ToString();
  }
  EXPECT_TRUE(Refused(&client, {"LB.TOP", "lb", "1000000", "WITHMETA"}, "LIMIT"));
  const Value few = client.Command({"LB.TOP", "lb", "10", "WITHMETA"});
  ASSERT_EQ(few.elements.size(), 10U);
  EXPECT_EQ(few.elements[9].Find("meta")->text, meta);
}

TEST_F(FixedBug, MembersCanBeHiddenAtTheMemoryLimit) {
  constexpr int kAttempts = 1000;
  constexpr int kBatch = 1000;
  Start({"--max-memory", "16mb"});
  RespClient client = New();
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  ASSERT_FALSE(client.Command({"LB.SUBMIT", "lb", "ann", "1"}).IsError());
  bool is_full = false;
  for (int i = 0; i < kAttempts && !is_full; ++i) {
    Arguments add = {"ZADD", "filling"};
    for (int j = 0; j < kBatch; ++j) {
      add.emplace_back("1");
      add.push_back("member:" + std::to_string(i * kBatch + j));
    }
    is_full = IsRefusal(client.Command(add), "OOM");
  }
  ASSERT_TRUE(is_full);
  EXPECT_TRUE(Refused(&client, {"LB.SUBMIT", "lb", "bob", "1"}, "OOM"));
  EXPECT_EQ(client.Ask({"LB.HIDE", "lb", "ann"}), "1");
  EXPECT_EQ(client.Ask({"LB.SIZE", "lb"}), "0");
}

// Sends the pieces until a reply comes, and returns the first reply. The server need not read all
// pieces.
std::string FirstReply(RespClient client, const std::vector<std::string>& pieces) {
  try {
    for (const std::string& piece : pieces) {
      client.SendRaw(piece);
      if (client.ReplyWithin(1)) break;
    }
  } catch (const std::runtime_error&) {
    // The server may end the connection while the rest is sent.
  }
  return client.ReadReply().ToString();
}

TEST_F(FixedBug, ATooLargeRequestGetsTheSameErrorInOnePieceAndInMany) {
  constexpr std::size_t kPieceBytes = 1000;
  Start({"--max-request", "64kb"});
  // Too large by the declared length of one argument, and by the sum of many.
  const std::vector<Arguments> requests = {{"ECHO", std::string(80 << 10, 'x')},
                                           Arguments(80, std::string(1 << 10, 'x'))};
  for (const Arguments& arguments : requests) {
    const std::string bytes = Encoded(arguments);
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
      pieces.push_back(bytes.substr(at, kPieceBytes));
    }
    const std::string whole = FirstReply(New(), {bytes});
    EXPECT_TRUE(whole.starts_with("-ERR Protocol error")) << whole;
    EXPECT_EQ(FirstReply(New(), pieces), whole);
  }
  EXPECT_EQ(New().Ask({"PING"}), "+PONG");
}

// Order of replies --------------------------------------------------------------------------------

TEST_F(FixedBug, LongRepliesToCommandDocsFollowAReadInOrder) {
  constexpr int kDocs = 1000;
  Start();
  RespClient client = New();
  ASSERT_EQ(client.Ask({"ZADD", "z", "1.5", "a"}), "1");
  client.Send({"COMMAND", "DOCS"});
  const std::string docs = client.ReadRawReply();
  std::string pipeline = Encoded({"ZSCORE", "z", "a"});
  for (int i = 0; i < kDocs; ++i) pipeline += Encoded({"COMMAND", "DOCS"});
  client.SendRaw(pipeline);
  EXPECT_EQ(client.ReadReply().ToString(), R"("1.5")");
  for (int i = 0; i < kDocs; ++i) ASSERT_TRUE(client.ReadRawReply() == docs) << "reply " << i;
  EXPECT_EQ(client.Ask({"PING"}), "+PONG");
}

TEST_F(FixedBug, ATransactionThatKillsItsOwnClientIsAnsweredBeforeTheClose) {
  Start();
  RespClient client = New();
  const std::string id = client.Command({"CLIENT", "ID"}).text;
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  ASSERT_EQ(client.Ask({"CLIENT", "KILL", "ID", id, "SKIPME", "no"}), "+QUEUED");
  EXPECT_EQ(client.Ask({"EXEC"}), "[1]");
  EXPECT_TRUE(client.ReadEnd());
}

// Access ------------------------------------------------------------------------------------------

TEST_F(FixedBug, AnAdminOfSomeBoardsIsNoAdminOfTheServer) {
  Start(kTokens);
  RespClient keeper = NewWithToken("keeper-token");
  RespClient narrow = NewWithToken("narrow-token");
  ASSERT_EQ(keeper.Ask({"LB.CREATE", "b:1"}), "+OK");
  ASSERT_EQ(keeper.Ask({"ZADD", "b:1", "1", "m"}), "1");
  EXPECT_TRUE(Refused(&narrow, {"FLUSHALL"}, "NOPERM"));
  EXPECT_TRUE(Refused(&narrow, {"LB.TEMPLATE", "SET", "a:*"}, "NOPERM"));
  EXPECT_TRUE(Refused(&narrow, {"CONFIG", "GET", "*"}, "NOPERM"));
  EXPECT_TRUE(Refused(&narrow, {"LB.CREATE", "b"}, "NOPERM"));
  EXPECT_EQ(narrow.Ask({"LB.CREATE", "a:x"}), "+OK");
  EXPECT_EQ(narrow.Ask({"ZADD", "a:x", "1", "m"}), "1");
  EXPECT_EQ(narrow.Ask({"KEYS", "*"}), R"(["a:x"])");
  EXPECT_EQ(keeper.Command({"KEYS", "*"}).elements.size(), 2U);
}

TEST_F(FixedBug, EachRequestOfAPipelineUsesTheTokenInForceAtItsPosition) {
  Start(kTokens);
  RespClient client = NewWithToken("keeper-token");
  ASSERT_EQ(client.Ask({"ZADD", "a:1", "1", "m"}), "1");
  ASSERT_EQ(client.Ask({"ZADD", "b:1", "1", "m"}), "1");
  client.SendRaw(Encoded({"KEYS", "*"}) + Encoded({"AUTH", "narrow-token"}) +
                 Encoded({"KEYS", "*"}));
  EXPECT_EQ(client.ReadReply().elements.size(), 2U);
  EXPECT_EQ(client.ReadReply().ToString(), "+OK");
  EXPECT_EQ(client.ReadReply().ToString(), R"(["a:1"])");
}

// For ProblemWithTimeout.
std::string WhatResetDoesWrong(int port, int timeout_s, Pace* pace) {
  const Arguments auth = {"AUTH", "keeper-token"};
  RespClient client(port);
  if (client.Ask(auth) != "+OK") return "AUTH is refused";
  pace->Step();
  SleepMs(1500 * timeout_s);
  pace->Restart();
  if (client.Ask({"RESET"}) != "+RESET") return "RESET is refused";
  client.ReplyWithin(kSweepMs);  // no reply comes; a server with the bug closes
  if (client.Ask(auth) != "+OK") return "AUTH after RESET is refused";
  pace->Step();
  return client.Ask({"PING"}) == "+PONG" ? "" : "PING is not answered";
}

TEST_F(FixedBug, ResetRestartsTheAuthTimeout) {
  EXPECT_EQ(ProblemWithTimeout("--auth-timeout", kTokens, WhatResetDoesWrong), "");
}

TEST_F(FixedBug, AuthIsRefusedInATransactionAndItsSecretIsNeverLogged) {
  Start(WithTokens({"--slowlog-slower-than", "0s"}));
  RespClient client = NewWithToken("keeper-token");
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  EXPECT_TRUE(Refused(&client, {"AUTH", "narrow-token"}, "ERR"));
  EXPECT_TRUE(Refused(&client, {"EXEC"}, "EXECABORT"));
  EXPECT_EQ(client.Ask({"AUTH", "anyname", "keeper-token"}), "+OK");
  EXPECT_TRUE(client.Command({"AUTH", "wrong-token"}).IsError());
  EXPECT_FALSE(client.Command({"HELLO", "2", "AUTH", "anyname", "keeper-token"}).IsError());
  EXPECT_EQ(client.Ask({"ZADD", "z", "1", "shown-member"}), "1");
  const std::string log = client.Ask({"SLOWLOG", "GET", "-1"});
  EXPECT_NE(log.find("shown-member"), std::string::npos) << log;
  EXPECT_EQ(log.find("-token"), std::string::npos) << log;
  EXPECT_EQ(server_->Output().find("wrong-token"), std::string::npos) << server_->Output();
}

// Hidden members ----------------------------------------------------------------------------------

TEST_F(FixedBug, HidingTheOnlyMemberKeepsTheTimeToLive) {
  Start();
  RespClient client = New();
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  ASSERT_FALSE(client.Command({"LB.SUBMIT", "lb", "a", "1"}).IsError());
  ASSERT_EQ(client.Ask({"EXPIRE", "lb", "100"}), "1");
  ASSERT_EQ(client.Ask({"LB.HIDE", "lb", "a"}), "1");
  ASSERT_EQ(client.Ask({"LB.SHOW", "lb", "a"}), "1");
  EXPECT_GT(client.Command({"TTL", "lb"}).Integer(), 0);
}

TEST_F(FixedBug, ABoardOfHiddenMembersOnlyExpires) {
  Start();
  RespClient client = New();
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  ASSERT_FALSE(client.Command({"LB.SUBMIT", "lb", "a", "1"}).IsError());
  // In one transaction, so that the board does not expire before the member is hidden.
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  ASSERT_EQ(client.Ask({"PEXPIRE", "lb", "50"}), "+QUEUED");
  ASSERT_EQ(client.Ask({"LB.HIDE", "lb", "a"}), "+QUEUED");
  ASSERT_EQ(client.Ask({"EXEC"}), "[1, 1]");
  EXPECT_TRUE(Eventually([&] { return client.Command({"LB.GET", "lb", "a"}).IsNull(); }));
}

}  // namespace
}  // namespace laurel::black_box
