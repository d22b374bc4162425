// Tests of the harness that the other tests of this folder use: clients report missing answers;
// servers start, serve, stop and remove their processes and folders, and follow a clock that the
// test sets.
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <signal.h>

#include "server/durable_server.h"
#include "server/file_clock.h"
#include "server/http_client.h"
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

TEST(HttpClient, AnswersAreReadOneAfterTheOtherFromOneConnection) {
  DurableServer server;
  server.Start({"--http-port", "0"});
  HttpClient client(server.http_port());
  const HttpHeaders json = {{"Content-Type", "application/json"}, {"X-Request-Id", "first"}};
  const HttpResponse created = client.Send({"PUT", "/v1/boards/a%2Fb", json, "{}"});
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.Header("x-request-id"), "first");
  EXPECT_EQ(created.Header("X-None"), std::nullopt);
  EXPECT_NE(created.body.find(R"("board":"a/b")"), std::string::npos) << created.body;
  const HttpResponse page = client.Send({"GET", "/v1/boards/a%2Fb/entries"});
  EXPECT_EQ(page.status, 200);
  const HttpHeaders known = {{"If-None-Match", page.Header("ETag").value_or("")}};
  EXPECT_EQ(client.Send({"GET", "/v1/boards/a%2Fb/entries", known}).status, 304);
  EXPECT_EQ(client.Send({"HEAD", "/v1/boards/a%2Fb/entries"}).body, "");
  EXPECT_EQ(client.Send({"GET", "/v1/boards/a%2Fb/count"}).body, R"({"count":0})");
  EXPECT_EQ(client.Send({"GET", "/v1/boards/none/count"}).status, 404);
}

TEST(HttpClient, AMissingAnswerThrows) {
  DurableServer server;
  server.Start({"--http-port", "0"});
  HttpClient patient(server.http_port());
  EXPECT_EQ(
      patient.Send({"PUT", "/v1/boards/b", {{"Content-Type", "application/json"}}, "{}"}).status,
      201);
  HttpClient client(server.http_port(), 50);
  // The answer to this waits for an event.
  EXPECT_THROW(client.Send({"GET", "/v1/boards/b/changes?from=$&wait=60000"}), std::runtime_error);
  server.Kill();
  EXPECT_THROW(client.Send({"GET", "/healthz"}), std::runtime_error);
}

TEST(HttpClient, BytesOfAPathAreEncoded) {
  EXPECT_EQ(PercentEncoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncoded(std::string("a/b %\0\xff", 7)), "a%2Fb%20%25%00%FF");
}

TEST(FileClock, TheServerShowsTheTimeThatIsSet) {
  FileClock clock;
  clock.Set(1'700'000'000'000'001);
  DurableServer server;
  server.SetEnvironment(clock.Environment());
  server.Start();
  RespClient client = server.Connect();
  EXPECT_EQ(client.Ask({"TIME"}), R"(["1700000000", "1"])");
  clock.Set(1'800'000'000'999'999);
  EXPECT_EQ(client.Ask({"TIME"}), R"(["1800000000", "999999"])");
  clock.Set(1'600'000'000'000'000);
  EXPECT_EQ(client.Ask({"TIME"}), R"(["1600000000", "0"])");
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
