// Limits that an operator sets: what is refused, with which error, and what still works.
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"

namespace laurel::black_box {
namespace {

// The token "abc", whose SHA-256 is the example of FIPS 180.
const std::vector<std::string> kToken = {
    "--token", "all:admin:sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};

std::vector<std::string> WithToken(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), kToken.begin(), kToken.end());
  return arguments;
}

std::string CodeOf(const Value& reply) {
  return reply.IsError() ? reply.text.substr(0, reply.text.find(' ')) : reply.ToString();
}

// Clients and time -------------------------------------------------------------------------------

TEST(Limits, ClientsBeyondMaxClientsAreRefusedUntilOneDisconnects) {
  ServerProcess server = ServerProcess::Laurel({"--max-clients", "3"});
  std::vector<RespClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(server.port());
    ASSERT_EQ(clients.back().Ask({"PING"}), "+PONG");
  }
  for (int i = 0; i < 10; ++i) {
    RespClient refused(server.port());
    EXPECT_EQ(refused.ReadReply().ToString(), "-ERR max number of clients reached");
    EXPECT_TRUE(refused.ReadEnd());
  }
  EXPECT_EQ(InfoField(&clients[0], "rejected_connections"), "10");
  EXPECT_EQ(InfoField(&clients[0], "connected_clients"), "3");
  clients.pop_back();
  EXPECT_TRUE(Eventually([&] { return InfoField(&clients[0], "connected_clients") == "2"; }));
  clients.emplace_back(server.port());
  EXPECT_EQ(clients.back().Ask({"PING"}), "+PONG");
}

// For ProblemWithTimeout.
std::string WhatIdlenessDoesWrong(int port, int timeout_s, Pace* pace) {
  RespClient active(port);
  RespClient idle(port);
  RespClient waiting(port);
  RespClient monitor(port);
  if (idle.Ask({"PING"}) != "+PONG") return "PING is not answered";
  if (monitor.Ask({"MONITOR"}) != "+OK") return "MONITOR is not answered";
  waiting.Send({"BZPOPMIN", "q", "0"});
  const bool blocks =
      Eventually([&] { return InfoField(&active, "blocked_clients") == "1" || pace->IsTooSlow(); });
  if (!blocks || pace->IsTooSlow()) return "BZPOPMIN does not block in time";
  pace->Step();
  const bool closes = Eventually([&] {
    const std::string connected = InfoField(&active, "connected_clients");
    pace->Step();
    return connected == "3" || pace->IsTooSlow();
  });
  if (!closes || !idle.ReadEnd()) return "the idle client is not closed";
  for (int i = 0; i < 30 * timeout_s; ++i) {  // one and a half timeouts more
    SleepMs(50);
    if (active.Ask({"PING"}) != "+PONG") return "PING is not answered after a while";
    pace->Step();
  }
  if (active.Ask({"ZADD", "q", "1", "a"}) != "1") return "ZADD adds nothing";
  const std::string popped = waiting.ReadReply().ToString();
  if (popped != R"(["q", "a", "1"])") return "popped " + popped;
  const std::string connected = InfoField(&active, "connected_clients");
  return connected == "3" ? "" : connected + " clients are connected in the end";
}

TEST(Limits, IdleClientsAreClosedAndBlockedOrMonitoringOnesAreNot) {
  EXPECT_EQ(ProblemWithTimeout("--idle-timeout", {}, WhatIdlenessDoesWrong), "");
}

// For ProblemWithTimeout.
std::string WhatLateAuthDoesWrong(int port, int timeout_s, Pace* pace) {
  RespClient known(port);
  if (known.Ask({"AUTH", "abc"}) != "+OK") return "AUTH is refused";
  pace->Step();
  const auto began = std::chrono::steady_clock::now();
  RespClient silent(port);
  RespClient busy(port);
  std::string code = CodeOf(busy.Command({"AUTH", "wrong"}));
  if (code != "WRONGPASS") return "a wrong token gets " + code;
  pace->Step();
  // Sending requests does not extend the time.
  const bool closes = Eventually([&] {
    try {
      code = CodeOf(busy.Command({"ZCARD", "z"}));
      pace->Step();
      return code != "NOAUTH";
    } catch (const std::runtime_error&) {
      return true;
    }
  });
  if (!closes) return "the busy client is not closed";
  if (code != "NOAUTH" && code != "WRONGPASS") return "a request without a token gets " + code;
  if (std::chrono::steady_clock::now() - began < std::chrono::seconds(timeout_s)) {
    return "the busy client is closed too early";
  }
  if (!silent.ReadEnd()) return "the silent client is not closed";
  return known.Ask({"PING"}) == "+PONG" ? "" : "PING of a known client is not answered";
}

TEST(Limits, ClientsAreClosedUnlessTheyAuthenticateInTime) {
  EXPECT_EQ(ProblemWithTimeout("--auth-timeout", kToken, WhatLateAuthDoesWrong), "");
}

TEST(Limits, RequestsBeforeAuthAreLimitedInSize) {
  ServerProcess server = ServerProcess::Laurel(WithToken({}));
  const auto with_arguments = [](std::size_t count) {
    Arguments arguments(count, "x");
    arguments[0] = "EXISTS";
    return arguments;
  };
  const Arguments large = {"ECHO", std::string(16384, 'x')};
  const Arguments larger = {"ECHO", std::string(16385, 'x')};
  {
    RespClient client(server.port());
    EXPECT_EQ(CodeOf(client.Command(with_arguments(10))), "NOAUTH");
    EXPECT_EQ(CodeOf(client.Command(large)), "NOAUTH");
    client.SendRaw(Encoded(with_arguments(11)));
    EXPECT_EQ(client.ReadReply().ToString(),
              "-ERR Protocol error: unauthenticated multibulk length");
    EXPECT_TRUE(client.ReadEnd());
  }
  {
    RespClient client(server.port());
    client.SendRaw("*2\r\n$4\r\nECHO\r\n$16385\r\n");
    EXPECT_EQ(client.ReadReply().ToString(), "-ERR Protocol error: unauthenticated bulk length");
    EXPECT_TRUE(client.ReadEnd());
  }
  RespClient client(server.port());
  ASSERT_EQ(client.Ask({"AUTH", "abc"}), "+OK");
  EXPECT_EQ(client.Ask(with_arguments(11)), "0");
  EXPECT_EQ(client.Command(larger).text, larger[1]);
  EXPECT_EQ(client.Ask({"RESET"}), "+RESET");
  client.SendRaw(Encoded(with_arguments(11)));
  EXPECT_TRUE(client.ReadReply().IsError()) << "RESET forgets the token";
}

TEST(Limits, RequestsAfterAuthInAPipelineMayBeLarge) {
  ServerProcess server = ServerProcess::Laurel(WithToken({}));
  RespClient client(server.port());
  const std::string text(100'000, 'x');
  client.SendRaw(Encoded({"AUTH", "abc"}) + Encoded({"ECHO", text}) + Encoded({"ECHO", text}));
  EXPECT_EQ(client.ReadReply().ToString(), "+OK");
  EXPECT_EQ(client.ReadReply().text, text);
  EXPECT_EQ(client.ReadReply().text, text);
}

// Memory -----------------------------------------------------------------------------------------

class MemoryLimit : public testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(client_.Ask({"LB.CREATE", "lb"}), "+OK");
    EXPECT_EQ(CodeOf(client_.Command({"LB.SUBMIT", "lb", "ann", "5"})).substr(0, 1), "[");
    EXPECT_EQ(client_.Ask({"ZADD", "z", "1", "a", "2", "b"}), "2");
    const std::string padding(200, 'f');
    for (int batch = 0; batch < 1000; ++batch) {
      Arguments add = {"ZADD", "filler"};
      for (int i = 0; i < 1000; ++i) {
        add.push_back(std::to_string(i));
        add.push_back(padding + std::to_string(batch) + ":" + std::to_string(i));
      }
      const Value reply = client_.Command(add);
      if (reply.IsError()) {
        EXPECT_EQ(reply.text, "OOM command not allowed when used memory > 'maxmemory'.");
        return;
      }
    }
    ADD_FAILURE() << "a million entries fit into --max-memory";
  }

  ServerProcess server_ = ServerProcess::Laurel({"--max-memory", "16mb"});
  RespClient client_{server_.port()};
};

TEST_F(MemoryLimit, RefusesWrites) {
  const std::vector<Arguments> writes = {{"ZADD", "z", "3", "c"},
                                         {"ZADD", "new", "3", "c"},
                                         {"ZINCRBY", "z", "1", "a"},
                                         {"ZADD", "z", "INCR", "1", "a"},
                                         {"LB.SUBMIT", "lb", "bob", "1"},
                                         {"LB.SET", "lb", "ann", "1"},
                                         {"LB.INCR", "lb", "ann", "1"},
                                         {"LB.MSUBMIT", "lb", "1", "bob", "1"},
                                         {"ZUNIONSTORE", "u", "1", "z"},
                                         {"ZRANGESTORE", "u", "z", "0", "-1"},
                                         {"COPY", "z", "u"},
                                         {"LB.CREATE", "other"},
                                         {"LB.META", "lb", "ann", "m"}};
  for (const Arguments& write : writes) {
    EXPECT_EQ(CodeOf(client_.Command(write)), "OOM") << Quoted(write);
  }
  EXPECT_EQ(client_.Ask({"ZRANGE", "z", "0", "-1", "WITHSCORES"}), R"(["a", "1", "b", "2"])");
  EXPECT_EQ(client_.Ask({"ZCARD", "lb"}), "1");
  EXPECT_EQ(client_.Ask({"EXISTS", "new", "u"}), "0");
}

TEST_F(MemoryLimit, AllowsReadsAndRemovals) {
  const std::vector<Arguments> reads = {{"ZCARD", "filler"},
                                        {"ZRANGE", "filler", "0", "10", "WITHSCORES"},
                                        {"ZSCORE", "z", "a"},
                                        {"LB.TOP", "lb", "3"},
                                        {"LB.GET", "lb", "ann"},
                                        {"KEYS", "*"},
                                        {"INFO"},
                                        {"ZUNION", "1", "z"},
                                        {"EXPIRE", "z", "1000"}};
  for (const Arguments& read : reads) {
    const Value reply = client_.Command(read);
    EXPECT_FALSE(reply.IsError()) << Quoted(read) << " " << reply.text;
  }
  EXPECT_EQ(client_.Ask({"ZREM", "z", "a"}), "1");
  EXPECT_EQ(client_.Ask({"ZPOPMIN", "z"}), R"(["b", "2"])");
  EXPECT_EQ(client_.Ask({"ZREMRANGEBYRANK", "filler", "0", "0"}), "1");
  EXPECT_EQ(client_.Ask({"LB.REMOVE", "lb", "ann"}), "1");
  EXPECT_FALSE(client_.Command({"LB.POP", "lb", "1"}).IsError());
  EXPECT_FALSE(client_.Command({"LB.TRIM", "lb", "1"}).IsError());
  EXPECT_EQ(client_.Ask({"RENAME", "filler", "renamed"}), "+OK");
  EXPECT_EQ(client_.Ask({"DEL", "renamed"}), "1");
}

TEST_F(MemoryLimit, AllowsWritesAgainWhenThereIsRoom) {
  EXPECT_EQ(CodeOf(client_.Command({"ZADD", "z", "3", "c"})), "OOM");
  EXPECT_EQ(client_.Ask({"DEL", "filler"}), "1");
  // The memory of a large board is freed in slices.
  EXPECT_TRUE(Eventually([&] { return client_.Ask({"ZADD", "z", "3", "c"}) == "1"; }));
  EXPECT_FALSE(client_.Command({"LB.SUBMIT", "lb", "bob", "1"}).IsError());
}

TEST_F(MemoryLimit, RefusesWritesOfATransaction) {
  EXPECT_EQ(client_.Ask({"MULTI"}), "+OK");
  client_.Command({"ZADD", "z", "3", "c"});
  client_.Command({"ZINCRBY", "z", "1", "a"});
  client_.Command({"EXEC"});
  EXPECT_EQ(client_.Ask({"ZRANGE", "z", "0", "-1", "WITHSCORES"}), R"(["a", "1", "b", "2"])");
}

// Replies ----------------------------------------------------------------------------------------

class ReplyLimit : public testing::Test {
 protected:
  static constexpr int kEntries = 60'000;  // more than a megabyte of members

  void SetUp() override {
    FillBoard(&client_, "z", kEntries);
    EXPECT_EQ(client_.Ask({"LB.CREATE", "lb"}), "+OK");
    FillBoard(&client_, "lb", kEntries);
  }

  void ExpectRefused(const Arguments& command) {
    const Value reply = client_.Command(command);
    EXPECT_EQ(CodeOf(reply).substr(0, 40), "LIMIT") << Quoted(command);
    EXPECT_EQ(client_.Ask({"PING"}), "+PONG") << "the connection stays usable";
  }

  ServerProcess server_ = ServerProcess::Laurel({"--max-reply", "1mb", "--max-output", "4mb"});
  RespClient client_{server_.port(), 30'000};
};

TEST_F(ReplyLimit, RefusesLongRanges) {
  const std::string all = std::to_string(kEntries);
  const std::vector<Arguments> reads = {
      {"ZRANGE", "z", "0", "-1"},
      {"ZREVRANGE", "z", "0", "-1", "WITHSCORES"},
      {"ZRANGE", "z", "-inf", "+inf", "BYSCORE"},
      {"ZRANGEBYSCORE", "z", "-inf", "+inf", "WITHSCORES"},
      {"ZREVRANGEBYSCORE", "z", "+inf", "-inf"},
      {"ZRANGEBYLEX", "z", "-", "+"},
      {"ZREVRANGEBYLEX", "z", "+", "-"},
      {"ZUNION", "1", "z"},
      {"ZINTER", "1", "z", "WITHSCORES"},
      {"ZDIFF", "1", "z"},
      {"ZRANDMEMBER", "z", all},
      {"ZRANDMEMBER", "z", "-1000000", "WITHSCORES"},
      {"ZRANGE", "lb", "0", "-1", "REV"},
      {"LB.TOP", "lb", all},
      {"LB.RANGE", "lb", "1", "-1"},
      {"LB.AROUND", "lb", "member:030000", all},
      {"LB.BETWEEN", "lb", "-inf", "+inf"},
  };
  for (const Arguments& read : reads) ExpectRefused(read);
  EXPECT_EQ(client_.Ask({"ZRANGE", "z", "0", "1"}), R"(["member:000000", "member:000001"])");
  EXPECT_EQ(client_.Command({"LB.TOP", "lb", "10"}).elements.size(), 10U);
}

TEST_F(ReplyLimit, RefusedPopsRemoveNothing) {
  const std::string all = std::to_string(kEntries);
  const std::vector<Arguments> pops = {
      {"ZPOPMIN", "z", all},
      {"ZPOPMAX", "z", "1000000"},
      {"ZMPOP", "1", "z", "MIN", "COUNT", all},
      {"BZMPOP", "0", "1", "z", "MAX", "COUNT", all},
      {"ZPOPMAX", "lb", all},
      {"ZMPOP", "1", "lb", "MAX", "COUNT", all},
      {"LB.POP", "lb", all},
      {"LB.POP", "lb", all, "BOTTOM"},
  };
  for (const Arguments& pop : pops) {
    ExpectRefused(pop);
    EXPECT_EQ(client_.Ask({"ZCARD", "z"}), all) << Quoted(pop);
    EXPECT_EQ(client_.Ask({"ZCARD", "lb"}), all) << Quoted(pop);
  }
  EXPECT_EQ(client_.Ask({"ZPOPMIN", "z", "1"}), R"(["member:000000", "0"])");
}

TEST_F(ReplyLimit, ABlockedPopWithATooLargeReplyRemovesNothing) {
  const std::string all = std::to_string(kEntries);
  RespClient waiting(server_.port());
  waiting.Send({"BZMPOP", "0", "1", "empty", "MIN", "COUNT", all});
  ASSERT_TRUE(Eventually([&] { return InfoField(&client_, "blocked_clients") == "1"; }));
  EXPECT_EQ(client_.Ask({"RENAME", "z", "empty"}), "+OK");
  EXPECT_EQ(CodeOf(waiting.ReadReply()).substr(0, 40), "LIMIT");
  EXPECT_EQ(client_.Ask({"ZCARD", "empty"}), all);
  EXPECT_EQ(waiting.Ask({"PING"}), "+PONG");
}

TEST_F(ReplyLimit, RefusesLongListsOfNames) {
  const std::string padding(480, 'n');
  for (int i = 0; i < 3000; ++i) {
    client_.Send({"ZADD", padding + std::to_string(i), "1", "a"});
  }
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(client_.ReadReply().ToString(), "1");
  ExpectRefused({"KEYS", "*"});
  ExpectRefused({"SCAN", "0", "COUNT", "100000"});
  EXPECT_EQ(client_.Ask({"KEYS", "z"}), R"(["z"])");
  for (int i = 0; i < 3000; ++i) {
    client_.Send({"LB.CREATE", padding + "lb" + std::to_string(i)});
  }
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(client_.ReadReply().ToString(), "+OK");
  ExpectRefused({"LB.LIST", "COUNT", "100000"});
}

}  // namespace
}  // namespace laurel::black_box
