// Tests of the harness that the other tests of this folder use: the client reports missing replies;
// servers start, serve, stop and remove their processes and folders.
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <signal.h>

#include "server/process.h"
#include "server/resp_client.h"

namespace laurel::black_box {
namespace {

TEST(RespClient, AMissingReplyThrows) {
  ServerProcess redis = ServerProcess::Redis();
  RespClient client(redis.port(), 50);
  client.SendRaw("*1\r\n$4\r\nPI");
  EXPECT_THROW(client.ReadReply(), std::runtime_error);
  redis.Kill();
  EXPECT_THROW(client.ReadReply(), std::runtime_error);
}

void ExpectStartsServesAndStops(ServerProcess server) {
  RespClient client(server.port());
  EXPECT_EQ(client.Ask({"PING"}), "+PONG");
  client.Send({"ZADD", "k", "1.5", std::string("a\0\r\n", 4)});
  EXPECT_EQ(client.ReadRawReply(), ":1\r\n");
  EXPECT_EQ(client.Ask({"ZRANGE", "k", "0", "-1", "WITHSCORES"}), R"(["a\x00\r\n", "1.5"])");
  EXPECT_GT(server.ResidentBytes(), 1'000'000U);
  const std::filesystem::path directory = server.directory();
  EXPECT_TRUE(server.Running());
  EXPECT_EQ(server.Stop(), 0) << server.Output();
  EXPECT_FALSE(server.Running());
  EXPECT_TRUE(client.ReadEnd());
  EXPECT_THROW(RespClient(server.port()), std::runtime_error);
  { const ServerProcess gone = std::move(server); }
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST(ServerProcess, RedisStartsServesAndStops) {
  ExpectStartsServesAndStops(ServerProcess::Redis());
}

TEST(ServerProcess, LaurelStartsServesAndStops) {
  ExpectStartsServesAndStops(ServerProcess::Laurel());
}

TEST(ServerProcess, TheDestructorKillsTheServer) {
  pid_t pid = 0;
  {
    const ServerProcess redis = ServerProcess::Redis();
    pid = redis.pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(ServerProcess, AFailedStartReportsTheOutputOfTheServer) {
  try {
    ServerProcess::Redis({"--no-such-option", "1"});
    FAIL() << "started";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-option"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace laurel::black_box
