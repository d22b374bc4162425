// Clients that are paused, killed, blocked or slow, and the effect on other clients.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"

namespace laurel::black_box {
namespace {

std::string IdOf(RespClient* client) { return client->Command({"CLIENT", "ID"}).text; }

// Kills a client whose request has been parsed, but not executed: a pause holds the request back.
void KillWithRequestUnderWay(ServerProcess* server, RespClient* other, const Arguments& request) {
  RespClient victim(server->port());
  const std::string id = IdOf(&victim);
  ASSERT_EQ(other->Ask({"CLIENT", "PAUSE", "60000", "ALL"}), "+OK");
  victim.Send(request);
  SleepMs(100);
  ASSERT_EQ(other->Ask({"CLIENT", "KILL", "ID", id}), "1");
  EXPECT_TRUE(victim.ReadEnd());
  ASSERT_EQ(other->Ask({"CLIENT", "UNPAUSE"}), "+OK");
  SleepMs(200);  // the batch that was held back has been executed
}

TEST(Robustness, SaveCommandsAreAnswered) {
  ServerProcess server = ServerProcess::Laurel();
  for (const char* name : {"SAVE", "BGSAVE", "BGREWRITEAOF"}) {
    RespClient client(server.port());
    EXPECT_NO_THROW(client.Command({name})) << name;
    EXPECT_TRUE(server.Running()) << server.Output();
  }
}

TEST(Robustness, AKilledClientPopsNothing) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient other(server.port());
  KillWithRequestUnderWay(&server, &other, {"BZPOPMIN", "q", "0"});
  EXPECT_EQ(other.Ask({"ZADD", "q", "1", "a"}), "1");
  EXPECT_EQ(other.Ask({"ZCARD", "q"}), "1");
  EXPECT_EQ(InfoField(&other, "blocked_clients"), "0");
}

TEST(Robustness, WatchesOfAKilledClientAreDropped) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient other(server.port());
  KillWithRequestUnderWay(&server, &other, {"WATCH", "w"});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(other.Ask({"ZADD", "w", std::to_string(i), std::to_string(i)}), "1");
  }
  EXPECT_EQ(server.Stop(), 0) << server.Output();
}

TEST(Robustness, APauseOfWritesDoesNotHoldBackReads) {
  ServerProcess server = ServerProcess::Laurel({"--threads", "1"});
  RespClient admin(server.port());
  RespClient writer(server.port());
  RespClient reader(server.port());
  ASSERT_EQ(admin.Ask({"CLIENT", "PAUSE", "60000", "WRITE"}), "+OK");
  writer.Send({"ZADD", "k", "1", "a"});
  SleepMs(100);
  EXPECT_EQ(reader.Ask({"ZCARD", "k"}), "0");
  EXPECT_FALSE(writer.ReplyWithin(0));
  ASSERT_EQ(admin.Ask({"CLIENT", "UNPAUSE"}), "+OK");
  EXPECT_EQ(writer.ReadReply().ToString(), "1");
}

TEST(Robustness, RepliesBeforeABlockedPopAreSentAtOnce) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  client.SendRaw(Encoded({"PING"}) + Encoded({"ZADD", "k", "1", "a"}) +
                 Encoded({"BZPOPMIN", "q", "0"}));
  EXPECT_EQ(client.ReadReply().ToString(), "+PONG");
  EXPECT_EQ(client.ReadReply().ToString(), "1");
  RespClient other(server.port());
  EXPECT_EQ(other.Ask({"ZADD", "q", "2", "b"}), "1");
  EXPECT_EQ(client.ReadReply().ToString(), R"(["q", "b", "2"])");
}

TEST(Robustness, ResetInAPipelineDropsTheWatchesBeforeIt) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  RespClient other(server.port());
  client.SendRaw(Encoded({"WATCH", "w"}) + Encoded({"RESET"}));
  EXPECT_EQ(client.ReadReply().ToString(), "+OK");
  EXPECT_EQ(client.ReadReply().ToString(), "+RESET");
  EXPECT_EQ(other.Ask({"ZADD", "w", "1", "a"}), "1");
  EXPECT_EQ(client.Ask({"MULTI"}), "+OK");
  EXPECT_EQ(client.Ask({"ZCARD", "w"}), "+QUEUED");
  EXPECT_EQ(client.Ask({"EXEC"}), "[1]");
}

TEST(Robustness, AnAbortedTransactionChangesNothing) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  RespClient other(server.port());
  ASSERT_EQ(client.Ask({"WATCH", "w"}), "+OK");
  ASSERT_EQ(other.Ask({"ZADD", "w", "1", "a"}), "1");
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  ASSERT_EQ(client.Ask({"CONFIG", "SET", "save", "changed"}), "+QUEUED");
  EXPECT_EQ(client.Ask({"EXEC"}), "nil-array");
  EXPECT_EQ(other.Ask({"CONFIG", "GET", "save"}), R"(["save", ""])");
}

TEST(Robustness, AClientThatStopsInsideARequestIsClosed) {
  ServerProcess server = ServerProcess::Laurel({"--stall-timeout", "1s"});
  RespClient idle(server.port());
  RespClient stalled(server.port());
  stalled.SendRaw("*2\r\n$4\r\nPI");
  EXPECT_TRUE(stalled.ReadEnd());
  EXPECT_EQ(idle.Ask({"PING"}), "+PONG");
}

TEST(Robustness, TheReplyOfATransactionIsBounded) {
  ServerProcess server = ServerProcess::Laurel({"--max-reply", "1mb", "--max-output", "16mb"});
  RespClient client(server.port());
  FillBoard(&client, "b", 30'000);
  const std::size_t before = server.ResidentBytes();
  std::string transaction = Encoded({"MULTI"});
  for (int i = 0; i < 500; ++i) transaction += Encoded({"ZRANGE", "b", "0", "-1"});
  client.SendRaw(transaction + Encoded({"EXEC"}));
  for (int i = 0; i < 501; ++i) client.ReadRawReply();  // OK and QUEUED
  EXPECT_TRUE(client.ReplyWithin(static_cast<int>(std::chrono::milliseconds(kPatience).count())));
  client.ReadRawReply();
  RespClient other(server.port());
  EXPECT_EQ(other.Ask({"PING"}), "+PONG");
  if (kMemoryIsMeasured) {
    EXPECT_LT(PeakResidentBytes(server.pid()), before + 64 * kMiB);
  }
}

}  // namespace
}  // namespace laurel::black_box
