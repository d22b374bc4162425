// CLIENT and its subcommands, MONITOR, RESET, and transactions and blocking pops across threads.
#include <algorithm>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"

namespace laurel::black_box {
namespace {

constexpr int kPatienceMs = 120'000;
// The server assigns connections to its threads in rotation: with this many clients each thread has
// one.
constexpr int kThreads = 4;

std::string IdOf(RespClient* client) { return client->Command({"CLIENT", "ID"}).text; }

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The value of `name=value` in a line of CLIENT LIST.
std::string FieldOf(const std::string& line, const std::string& name) {
  const std::size_t at = (" " + line).find(" " + name + "=");
  if (at == std::string::npos) return "no " + name;
  const std::size_t start = at + name.size() + 1;
  return line.substr(start, line.find(' ', start) - start);
}

class Clients : public testing::Test {
 protected:
  RespClient& New() {
    return *clients_.emplace_back(std::make_unique<RespClient>(server_.port(), kPatienceMs));
  }
  // The lines of CLIENT LIST with the arguments `filter`.
  std::vector<std::string> List(const Arguments& filter = {}) {
    Arguments command = {"CLIENT", "LIST"};
    command.insert(command.end(), filter.begin(), filter.end());
    return Lines(admin_.Command(command).text);
  }
  // The line of one client; empty if it is not listed.
  std::string LineOf(const std::string& id) {
    for (const std::string& line : List()) {
      if (FieldOf(line, "id") == id) return line;
    }
    return "";
  }
  void AwaitBlocked(const std::string& count) {
    ASSERT_TRUE(Eventually([&] { return InfoField(&admin_, "blocked_clients") == count; }));
  }

  ServerProcess server_ = ServerProcess::Laurel({"--threads", std::to_string(kThreads)});
  RespClient admin_{server_.port(), kPatienceMs};
  std::vector<std::unique_ptr<RespClient>> clients_;
};

// CLIENT REPLY -----------------------------------------------------------------------------------

TEST_F(Clients, ReplyOffSendsNothingUntilOn) {
  RespClient& client = New();
  client.Send({"CLIENT", "REPLY", "OFF"});
  client.Send({"PING"});
  client.Send({"ZADD", "z", "1", "a"});
  client.Send({"NOSUCH"});
  client.Send({"CLIENT", "REPLY", "SKIP"});
  client.Send({"PING"});
  client.Send({"CLIENT", "REPLY", "ON"});
  client.Send({"ZCARD", "z"});
  EXPECT_EQ(client.ReadReply().ToString(), "+OK");
  EXPECT_EQ(client.ReadReply().ToString(), "1") << "the write happened";
  EXPECT_EQ(client.Ask({"CLIENT", "REPLY", "MAYBE"}), "-ERR syntax error");
  EXPECT_EQ(client.Ask({"PING"}), "+PONG");
}

TEST_F(Clients, ReplyModesChangeInsideOnePipeline) {
  RespClient& client = New();
  client.SendRaw(Encoded({"ECHO", "1"}) + Encoded({"CLIENT", "REPLY", "SKIP"}) +
                 Encoded({"ECHO", "2"}) + Encoded({"ECHO", "3"}) +
                 Encoded({"CLIENT", "REPLY", "OFF"}) + Encoded({"ECHO", "4"}) +
                 Encoded({"ZADD", "z", "1", "a"}) + Encoded({"CLIENT", "REPLY", "ON"}) +
                 Encoded({"ECHO", "5"}) + Encoded({"ZADD", "z", "2", "b"}) +
                 Encoded({"CLIENT", "REPLY", "SKIP"}) + Encoded({"ZADD", "z", "3", "c"}) +
                 Encoded({"ZCARD", "z"}));
  for (const char* expected : {R"("1")", R"("3")", "+OK", R"("5")", "1", "3"}) {
    EXPECT_EQ(client.ReadReply().ToString(), expected);
  }
  EXPECT_FALSE(client.ReplyWithin(50));
}

TEST_F(Clients, ASkippedReplyMayBeAnErrorOrALongOne) {
  RespClient& client = New();
  FillBoard(&admin_, "b", 100'000);
  client.SendRaw(Encoded({"CLIENT", "REPLY", "SKIP"}) + Encoded({"NOSUCH"}) +
                 Encoded({"ECHO", "1"}) + Encoded({"CLIENT", "REPLY", "SKIP"}) +
                 Encoded({"ZRANGE", "b", "0", "-1"}) + Encoded({"ECHO", "2"}) +
                 Encoded({"CLIENT", "REPLY", "OFF"}) + Encoded({"ZRANGE", "b", "0", "-1"}) +
                 Encoded({"ZRANGE", "b", "0", "-1"}) + Encoded({"CLIENT", "REPLY", "ON"}) +
                 Encoded({"ECHO", "3"}));
  for (const char* expected : {R"("1")", R"("2")", "+OK", R"("3")"}) {
    EXPECT_EQ(client.ReadReply().ToString(), expected);
  }
}

TEST_F(Clients, ReplyOffAppliesToTransactionsAndPops) {
  RespClient& client = New();
  client.SendRaw(Encoded({"CLIENT", "REPLY", "OFF"}) + Encoded({"MULTI"}) +
                 Encoded({"ZADD", "z", "1", "a"}) + Encoded({"EXEC"}) +
                 Encoded({"BZPOPMIN", "z", "0"}) + Encoded({"BZPOPMIN", "q", "0"}) +
                 Encoded({"CLIENT", "REPLY", "ON"}) + Encoded({"EXISTS", "z"}));
  AwaitBlocked("1");
  EXPECT_EQ(admin_.Ask({"ZADD", "q", "1", "a"}), "1");
  EXPECT_EQ(client.ReadReply().ToString(), "+OK");
  EXPECT_EQ(client.ReadReply().ToString(), "0");
}

// CLIENT LIST, INFO, ID, names -------------------------------------------------------------------

TEST_F(Clients, ListShowsEveryClientOfEveryThreadInOrderOfArrival) {
  std::vector<std::string> ids = {IdOf(&admin_)};
  for (int i = 0; i < 3 * kThreads; ++i) {
    RespClient& client = New();
    ids.push_back(IdOf(&client));
    EXPECT_EQ(client.Ask({"CLIENT", "SETNAME", "worker-" + std::to_string(i)}), "+OK");
  }
  const std::vector<std::string> lines = List();
  ASSERT_EQ(lines.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(FieldOf(lines[i], "id"), ids[i]);
    EXPECT_EQ(FieldOf(lines[i], "name"), i == 0 ? "" : "worker-" + std::to_string(i - 1));
    EXPECT_EQ(FieldOf(lines[i], "db"), "0");
    EXPECT_TRUE(FieldOf(lines[i], "addr").starts_with("127.0.0.1:")) << lines[i];
    EXPECT_EQ(FieldOf(lines[i], "laddr"), "127.0.0.1:" + std::to_string(server_.port()));
    EXPECT_EQ(FieldOf(lines[i], "cmd"), i == 0 ? "client|list" : "client|setname");
    EXPECT_EQ(FieldOf(lines[i], "resp"), "2");
  }
  EXPECT_EQ(List({"ID", ids[2], "999999", ids[1]}).size(), 2U);
  EXPECT_EQ(List({"TYPE", "normal"}).size(), ids.size());
  EXPECT_EQ(List({"TYPE", "replica"}).size(), 0U);
  clients_.clear();
  EXPECT_TRUE(Eventually([&] { return List().size() == 1; }));
}

TEST_F(Clients, ListRefusesWhatRedisRefuses) {
  EXPECT_EQ(admin_.Ask({"CLIENT", "LIST", "TYPE", "foo"}), "-ERR Unknown client type 'foo'");
  EXPECT_EQ(admin_.Ask({"CLIENT", "LIST", "ID", "x"}), "-ERR Invalid client ID");
  EXPECT_EQ(admin_.Ask({"CLIENT", "LIST", "FOO"}), "-ERR syntax error");
}

TEST_F(Clients, ListShowsTransactionsMonitorsAndProtocols) {
  RespClient& multi = New();
  RespClient& monitor = New();
  RespClient& third = New();
  const std::string multi_id = IdOf(&multi);
  const std::string monitor_id = IdOf(&monitor);
  ASSERT_EQ(multi.Ask({"MULTI"}), "+OK");
  ASSERT_EQ(multi.Ask({"ZCARD", "z"}), "+QUEUED");
  ASSERT_EQ(multi.Ask({"ZCARD", "z"}), "+QUEUED");
  ASSERT_FALSE(third.Command({"HELLO", "3", "SETNAME", "third"}).IsError());
  const std::string third_id = IdOf(&third);
  ASSERT_EQ(monitor.Ask({"MONITOR"}), "+OK");
  EXPECT_EQ(FieldOf(LineOf(multi_id), "multi"), "2");
  EXPECT_EQ(FieldOf(LineOf(multi_id), "flags"), "x");
  EXPECT_EQ(FieldOf(LineOf(monitor_id), "flags"), "O");
  EXPECT_EQ(FieldOf(LineOf(third_id), "resp"), "3");
  EXPECT_EQ(FieldOf(LineOf(third_id), "name"), "third");
  EXPECT_EQ(FieldOf(LineOf(IdOf(&admin_)), "multi"), "-1");
}

TEST_F(Clients, InfoIsTheLineOfTheCaller) {
  RespClient& client = New();
  const std::string id = IdOf(&client);
  EXPECT_EQ(client.Ask({"CLIENT", "SETNAME", "me"}), "+OK");
  EXPECT_EQ(client.Ask({"CLIENT", "SETINFO", "LIB-NAME", "tests"}), "+OK");
  EXPECT_EQ(client.Ask({"CLIENT", "SETINFO", "lib-ver", "1.2"}), "+OK");
  const std::vector<std::string> lines = Lines(client.Command({"CLIENT", "INFO"}).text);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(FieldOf(lines[0], "id"), id);
  EXPECT_EQ(FieldOf(lines[0], "name"), "me");
  EXPECT_EQ(FieldOf(lines[0], "lib-name"), "tests");
  EXPECT_EQ(FieldOf(lines[0], "lib-ver"), "1.2");
  EXPECT_EQ(FieldOf(lines[0], "cmd"), "client|info");
}

TEST_F(Clients, IdsGrowAndAreNeverReused) {
  const std::int64_t first = std::stoll(IdOf(&New()));
  clients_.clear();
  const std::int64_t second = std::stoll(IdOf(&New()));
  EXPECT_GT(second, first);
}

TEST_F(Clients, NamesAreOneWordOrEmpty) {
  RespClient& client = New();
  EXPECT_EQ(client.Ask({"CLIENT", "GETNAME"}), "nil");
  EXPECT_EQ(client.Ask({"CLIENT", "SETNAME", "ann"}), "+OK");
  EXPECT_EQ(client.Ask({"CLIENT", "GETNAME"}), R"("ann")");
  for (const std::string name : {"a b", "a\n", "a\r\nid=1", "\x7f", "\xc3\xa9"}) {
    EXPECT_EQ(client.Ask({"CLIENT", "SETNAME", name}),
              "-ERR Client names cannot contain spaces, newlines or special characters.");
  }
  EXPECT_EQ(client.Ask({"CLIENT", "GETNAME"}), R"("ann")");
  EXPECT_EQ(client.Ask({"CLIENT", "SETNAME", ""}), "+OK");
  EXPECT_EQ(client.Ask({"CLIENT", "GETNAME"}), "nil");
}

// CLIENT KILL ------------------------------------------------------------------------------------

TEST_F(Clients, KillByIdReachesClientsOfEveryThread) {
  for (int i = 0; i < 2 * kThreads; ++i) {
    RespClient& victim = New();
    const std::string id = IdOf(&victim);
    EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "ID", id}), "1");
    EXPECT_TRUE(victim.ReadEnd());
    // A client that is being closed may still be counted for a moment.
    EXPECT_TRUE(Eventually([&] { return admin_.Ask({"CLIENT", "KILL", "ID", id}) == "0"; }));
  }
}

TEST_F(Clients, KillByAddressClosesTheClient) {
  RespClient& first = New();
  RespClient& second = New();
  const std::string address = FieldOf(LineOf(IdOf(&first)), "addr");
  const std::string other = FieldOf(LineOf(IdOf(&second)), "addr");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", address}), "+OK");
  EXPECT_TRUE(first.ReadEnd());
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "127.0.0.1:1"}), "-ERR No such client");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "ADDR", other}), "1");
  EXPECT_TRUE(second.ReadEnd());
  // A client that is being closed may still be counted for a moment.
  ASSERT_TRUE(Eventually([&] { return InfoField(&admin_, "connected_clients") == "1"; }));
  RespClient& third = New();
  ASSERT_EQ(third.Ask({"PING"}), "+PONG");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "LADDR", "127.0.0.1:" + std::to_string(server_.port())}),
            "1");
  EXPECT_TRUE(third.ReadEnd());
}

TEST_F(Clients, KillByTypeSparesTheCallerUnlessSkipmeIsNo) {
  RespClient& first = New();
  RespClient& second = New();
  ASSERT_EQ(first.Ask({"PING"}), "+PONG");
  ASSERT_EQ(second.Ask({"PING"}), "+PONG");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "TYPE", "replica"}), "0");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "USER", "nobody"}), "-ERR No such user 'nobody'");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "TYPE", "normal", "USER", "default"}), "2");
  EXPECT_TRUE(first.ReadEnd());
  EXPECT_TRUE(second.ReadEnd());
  ASSERT_TRUE(Eventually([&] { return List().size() == 1; }));
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no"}), "1")
      << "one's own reply comes before the end";
  EXPECT_TRUE(admin_.ReadEnd());
}

TEST_F(Clients, KillOfTheCallerIsAnsweredBeforeTheClose) {
  RespClient& client = New();
  const std::string id = IdOf(&client);
  client.SendRaw(Encoded({"ZADD", "z", "1", "a"}) +
                 Encoded({"CLIENT", "KILL", "ID", id, "SKIPME", "no"}) +
                 Encoded({"ZADD", "z", "1", "b"}));
  EXPECT_EQ(client.ReadReply().ToString(), "1");
  EXPECT_EQ(client.ReadReply().ToString(), "1");
  EXPECT_TRUE(client.ReadEnd());
  EXPECT_EQ(admin_.Ask({"ZCARD", "z"}), "1") << "what follows is not executed";
}

TEST_F(Clients, KillRefusesWhatRedisRefuses) {
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "ID", "0"}), "-ERR client-id should be greater than 0");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "ID", "x"}), "-ERR client-id should be greater than 0");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "TYPE", "x"}), "-ERR Unknown client type 'x'");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "SKIPME", "maybe"}), "-ERR syntax error");
  EXPECT_EQ(admin_.Ask({"CLIENT", "KILL", "ID", "1", "ADDR"}), "-ERR syntax error");
  EXPECT_EQ(admin_.Ask({"PING"}), "+PONG");
}

// CLIENT UNBLOCK and waits -----------------------------------------------------------------------

TEST_F(Clients, UnblockEndsABlockedPopAsATimeoutOrAsAnError) {
  for (int i = 0; i < kThreads; ++i) {
    RespClient& client = New();
    const std::string id = IdOf(&client);
    EXPECT_EQ(admin_.Ask({"CLIENT", "UNBLOCK", id}), "0") << "it does not wait";
    client.Send({"BZPOPMIN", "q", "0"});
    AwaitBlocked("1");
    EXPECT_EQ(admin_.Ask({"CLIENT", "UNBLOCK", id}), "1");
    EXPECT_EQ(client.ReadReply().ToString(), "nil-array");
    client.Send({"BZMPOP", "0", "2", "q", "r", "MAX"});
    AwaitBlocked("1");
    EXPECT_EQ(admin_.Ask({"CLIENT", "UNBLOCK", id, "ERROR"}), "1");
    EXPECT_EQ(client.ReadReply().ToString(), "-UNBLOCKED client unblocked via CLIENT UNBLOCK");
    client.Send({"BZPOPMAX", "q", "0"});
    AwaitBlocked("1");
    EXPECT_EQ(admin_.Ask({"CLIENT", "UNBLOCK", id, "timeout"}), "1");
    EXPECT_EQ(client.ReadReply().ToString(), "nil-array");
    EXPECT_EQ(client.Ask({"PING"}), "+PONG");
  }
  EXPECT_EQ(admin_.Ask({"CLIENT", "UNBLOCK", "999999"}), "0");
  EXPECT_EQ(admin_.Ask({"CLIENT", "UNBLOCK", "x"}), "-ERR value is not an integer or out of range");
  EXPECT_EQ(admin_.Ask({"CLIENT", "UNBLOCK", "1", "FOO"}),
            "-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
}

TEST_F(Clients, TheLongestBlockedClientIsServedFirstAlsoWhenOthersDisconnect) {
  std::vector<RespClient*> waiting;
  for (int i = 0; i < 6; ++i) {
    waiting.push_back(&New());
    waiting.back()->Send({"BZPOPMIN", "q", "0"});
    AwaitBlocked(std::to_string(i + 1));
  }
  const std::string third = FieldOf(List()[3], "id");  // after admin_ and two others
  clients_[0].reset();                                 // disconnects by itself
  AwaitBlocked("5");
  ASSERT_EQ(admin_.Ask({"CLIENT", "KILL", "ID", third}), "1");
  AwaitBlocked("4");
  EXPECT_TRUE(waiting[2]->ReadEnd());
  EXPECT_EQ(admin_.Ask({"ZADD", "q", "1", "a", "2", "b", "3", "c"}), "3");
  EXPECT_EQ(waiting[1]->ReadReply().ToString(), R"(["q", "a", "1"])");
  EXPECT_EQ(waiting[3]->ReadReply().ToString(), R"(["q", "b", "2"])");
  EXPECT_EQ(waiting[4]->ReadReply().ToString(), R"(["q", "c", "3"])");
  EXPECT_EQ(InfoField(&admin_, "blocked_clients"), "1") << "the last to come still waits";
  EXPECT_EQ(admin_.Ask({"ZADD", "q", "4", "d"}), "1");
  EXPECT_EQ(waiting[5]->ReadReply().ToString(), R"(["q", "d", "4"])");
}

TEST_F(Clients, ABlockedPopEndsAtItsTimeout) {
  RespClient& client = New();
  EXPECT_EQ(client.Ask({"BZPOPMIN", "q", "0.05"}), "nil-array");
  EXPECT_EQ(client.Ask({"BZMPOP", "0.05", "1", "q", "MIN"}), "nil-array");
  EXPECT_EQ(InfoField(&admin_, "blocked_clients"), "0");
  EXPECT_EQ(admin_.Ask({"ZADD", "q", "1", "a"}), "1");
  EXPECT_EQ(admin_.Ask({"ZCARD", "q"}), "1") << "nobody waits any more";
}

TEST_F(Clients, RequestsAfterABlockedPopAreAnsweredAfterIt) {
  RespClient& client = New();
  client.SendRaw(Encoded({"BZPOPMIN", "q", "0"}) + Encoded({"ECHO", "1"}) +
                 Encoded({"BZPOPMIN", "q", "0"}) + Encoded({"ECHO", "2"}));
  AwaitBlocked("1");
  EXPECT_EQ(admin_.Ask({"ZADD", "q", "1", "a"}), "1");
  EXPECT_EQ(client.ReadReply().ToString(), R"(["q", "a", "1"])");
  EXPECT_EQ(client.ReadReply().ToString(), R"("1")");
  AwaitBlocked("1");
  EXPECT_EQ(admin_.Ask({"ZADD", "q", "2", "b"}), "1");
  EXPECT_EQ(client.ReadReply().ToString(), R"(["q", "b", "2"])");
  EXPECT_EQ(client.ReadReply().ToString(), R"("2")");
}

TEST_F(Clients, ATransactionServesBlockedPopsAfterItsEnd) {
  RespClient& client = New();
  client.Send({"BZPOPMIN", "q", "0"});
  AwaitBlocked("1");
  admin_.SendRaw(Encoded({"MULTI"}) + Encoded({"ZADD", "q", "5", "e"}) +
                 Encoded({"ZADD", "q", "1", "a"}) + Encoded({"ZCARD", "q"}) +
                 Encoded({"BZPOPMAX", "none", "0"}) + Encoded({"EXEC"}));
  for (int i = 0; i < 5; ++i) admin_.ReadReply();
  EXPECT_EQ(admin_.ReadReply().ToString(), "[1, 1, 2, nil-array]");
  EXPECT_EQ(client.ReadReply().ToString(), R"(["q", "a", "1"])");
}

// CLIENT PAUSE -----------------------------------------------------------------------------------

TEST_F(Clients, APauseHoldsBackAllRequestsOrOnlyWritesUntilUnpause) {
  std::vector<RespClient*> readers;
  for (int i = 0; i < kThreads; ++i) {
    readers.push_back(&New());
    ASSERT_EQ(readers.back()->Ask({"PING"}), "+PONG");
  }
  ASSERT_EQ(admin_.Ask({"ZADD", "z", "1", "a"}), "1");
  ASSERT_EQ(admin_.Ask({"CLIENT", "PAUSE", "1000000"}), "+OK");
  for (RespClient* reader : readers) reader->Send({"ZCARD", "z"});
  SleepMs(100);
  for (RespClient* reader : readers) EXPECT_FALSE(reader->ReplyWithin(0));
  ASSERT_EQ(admin_.Ask({"CLIENT", "UNPAUSE"}), "+OK");
  for (RespClient* reader : readers) EXPECT_EQ(reader->ReadReply().ToString(), "1");

  ASSERT_EQ(admin_.Ask({"CLIENT", "PAUSE", "1000000", "write"}), "+OK");
  readers[0]->Send({"ZADD", "z", "2", "b"});
  readers[1]->SendRaw(Encoded({"MULTI"}) + Encoded({"ZADD", "z", "3", "c"}) + Encoded({"EXEC"}));
  SleepMs(100);
  EXPECT_FALSE(readers[0]->ReplyWithin(0));
  EXPECT_EQ(readers[2]->Ask({"ZCARD", "z"}), "1");
  EXPECT_EQ(readers[3]->Ask({"ZSCORE", "z", "a"}), R"("1")");
  ASSERT_EQ(admin_.Ask({"CLIENT", "UNPAUSE"}), "+OK");
  EXPECT_EQ(readers[0]->ReadReply().ToString(), "1");
  readers[1]->ReadReply();
  readers[1]->ReadReply();
  EXPECT_EQ(readers[1]->ReadReply().ToString(), "[1]");
}

TEST_F(Clients, APauseEndsAtItsTimeout) {
  RespClient& client = New();
  ASSERT_EQ(admin_.Ask({"CLIENT", "PAUSE", "200", "ALL"}), "+OK");
  EXPECT_EQ(client.Ask({"ZADD", "z", "1", "a"}), "1");
  EXPECT_EQ(admin_.Ask({"CLIENT", "PAUSE", "-1"}), "-ERR timeout is negative");
  EXPECT_EQ(admin_.Ask({"CLIENT", "PAUSE", "x"}), "-ERR timeout is not an integer or out of range");
  EXPECT_EQ(admin_.Ask({"CLIENT", "PAUSE", "1", "FOO"}),
            "-ERR CLIENT PAUSE mode must be WRITE or ALL");
}

// RESET ------------------------------------------------------------------------------------------

TEST_F(Clients, ResetRestoresTheInitialStateOfAConnection) {
  RespClient& client = New();
  RespClient& other = New();
  const std::string id = IdOf(&client);
  ASSERT_FALSE(client.Command({"HELLO", "3", "SETNAME", "named"}).IsError());
  ASSERT_EQ(client.Ask({"WATCH", "w"}), "+OK");
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  ASSERT_EQ(client.Ask({"ZADD", "z", "1", "a"}), "+QUEUED");
  EXPECT_EQ(client.Ask({"RESET"}), "+RESET");
  EXPECT_EQ(client.Ask({"EXEC"}), "-ERR EXEC without MULTI");
  EXPECT_EQ(client.Ask({"CLIENT", "GETNAME"}), "nil") << "RESP2 again, and no name";
  EXPECT_EQ(client.Ask({"ZSCORE", "z", "a"}), "nil") << "nothing was executed";
  EXPECT_EQ(IdOf(&client), id);
  ASSERT_EQ(other.Ask({"ZADD", "w", "1", "a"}), "1");
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  ASSERT_EQ(client.Ask({"ZCARD", "w"}), "+QUEUED");
  EXPECT_EQ(client.Ask({"EXEC"}), "[1]") << "the watch is forgotten";
  client.Send({"CLIENT", "REPLY", "OFF"});
  EXPECT_EQ(client.Ask({"RESET"}), "+RESET");
  EXPECT_EQ(client.Ask({"PING"}), "+PONG");
}

TEST_F(Clients, ResetEndsMonitor) {
  RespClient& monitor = New();
  ASSERT_EQ(monitor.Ask({"MONITOR"}), "+OK");
  ASSERT_EQ(admin_.Ask({"ECHO", "seen"}), R"("seen")");
  const std::string line = monitor.ReadReply().text;
  EXPECT_NE(line.find(R"("ECHO" "seen")"), std::string::npos) << line;
  monitor.Send({"RESET"});
  while (monitor.ReadReply().ToString() != "+RESET") {
  }
  ASSERT_EQ(admin_.Ask({"ECHO", "unseen"}), R"("unseen")");
  EXPECT_EQ(monitor.Ask({"PING"}), "+PONG");
}

// Transactions across threads --------------------------------------------------------------------

TEST_F(Clients, ALongTransactionIsAtomicForOtherThreads) {
  constexpr int kCommands = 10'000;
  RespClient& client = New();
  std::string transaction = Encoded({"MULTI"});
  for (int i = 0; i < kCommands; ++i) {
    transaction += Encoded({"ZADD", "z", std::to_string(i), "m" + std::to_string(i)});
  }
  client.SendRaw(transaction);
  EXPECT_EQ(client.ReadReply().ToString(), "+OK");
  for (int i = 0; i < kCommands; ++i) ASSERT_EQ(client.ReadReply().ToString(), "+QUEUED") << i;
  EXPECT_EQ(admin_.Ask({"ZCARD", "z"}), "0");
  client.Send({"EXEC"});
  // Another thread sees all of it or nothing.
  for (;;) {
    const std::string count = admin_.Ask({"ZCARD", "z"});
    if (count == std::to_string(kCommands)) break;
    ASSERT_EQ(count, "0");
  }
  const Value replies = client.ReadReply();
  ASSERT_EQ(replies.elements.size(), static_cast<std::size_t>(kCommands));
  for (const Value& reply : replies.elements) ASSERT_EQ(reply.ToString(), "1");
}

TEST_F(Clients, AWatchIsBrokenByWritesOfEveryThread) {
  std::vector<RespClient*> writers;
  for (int i = 0; i < kThreads; ++i) writers.push_back(&New());
  RespClient& client = New();
  for (int i = 0; i < kThreads; ++i) {
    ASSERT_EQ(client.Ask({"WATCH", "w", "v"}), "+OK");
    ASSERT_EQ(writers[static_cast<std::size_t>(i)]->Ask({"ZINCRBY", "w", "1", "a"}),
              "\"" + std::to_string(i + 1) + "\"");
    ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
    ASSERT_EQ(client.Ask({"ZADD", "lost", "1", "a"}), "+QUEUED");
    EXPECT_EQ(client.Ask({"EXEC"}), "nil-array") << i;
    // The same without a write in between.
    ASSERT_EQ(client.Ask({"WATCH", "w"}), "+OK");
    ASSERT_EQ(writers[static_cast<std::size_t>(i)]->Ask({"ZSCORE", "w", "a"}),
              "\"" + std::to_string(i + 1) + "\"");
    ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
    ASSERT_EQ(client.Ask({"ZCARD", "w"}), "+QUEUED");
    EXPECT_EQ(client.Ask({"EXEC"}), "[1]") << i;
  }
  EXPECT_EQ(client.Ask({"EXISTS", "lost"}), "0");
}

// MONITOR ----------------------------------------------------------------------------------------

TEST(Monitor, AMonitorThatStopsReadingIsClosedAtItsLimitAndDoesNotAffectOthers) {
  ServerProcess server = ServerProcess::Laurel(
      {"--threads", "2", "--max-reply", "1mb", "--max-output", "1mb", "--stall-timeout", "0"});
  RespClient busy(server.port(), kPatienceMs);
  RespClient monitor(server.port(), kPatienceMs);
  RespClient reading(server.port(), kPatienceMs);
  const int bytes = 16 << 10;
  setsockopt(monitor.fd(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  ASSERT_EQ(monitor.Ask({"MONITOR"}), "+OK");
  ASSERT_EQ(reading.Ask({"MONITOR"}), "+OK");
  const std::size_t before = server.ResidentBytes();
  const std::string text(2000, 'x');
  std::string batch;
  for (int i = 0; i < 100; ++i) batch += Encoded({"ECHO", text});
  int rounds = 0;
  EXPECT_TRUE(Eventually([&] {
    for (int round = 0; round < 10; ++round, ++rounds) {
      busy.SendRaw(batch);
      for (int i = 0; i < 100; ++i) EXPECT_EQ(busy.ReadReply().text.size(), text.size());
      while (reading.ReplyWithin(0)) reading.ReadReply();
    }
    return InfoField(&busy, "connected_clients") == "2";
  })) << rounds;
  if (kMemoryIsMeasured) {
    EXPECT_LT(PeakResidentBytes(server.pid()), before + 64 * kMiB);
  }
  EXPECT_EQ(busy.Ask({"ECHO", "the last"}), R"("the last")");
  for (std::string line; line.find("the last") == std::string::npos;) {
    line = reading.ReadReply().text;
  }
}

TEST(Monitor, EachCommandIsOneLineWithoutSecrets) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient monitor(server.port(), kPatienceMs);
  RespClient other(server.port(), kPatienceMs);
  ASSERT_EQ(monitor.Ask({"MONITOR"}), "+OK");
  other.Command({"AUTH", "secret"});
  other.Command({"HELLO", "2", "AUTH", "default", "secret"});
  other.Command({"ECHO", "a\r\n\"b\"\\\x01\xff"});
  for (const std::string_view shown :
       {R"-("AUTH" "(redacted)")-", R"-("HELLO" "2" "AUTH" "(redacted)" "(redacted)")-",
        R"("ECHO" "a\r\n\"b\"\\\x01\xff")"}) {
    const std::string line = monitor.ReadReply().text;
    EXPECT_NE(line.find(shown), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace laurel::black_box
