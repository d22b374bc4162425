// A server under limits of the operating system: open files, file size, the clock.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/child_process.h"
#include "server/durable_server.h"
#include "server/http_client.h"
#include "server/laurel_program.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "tests/support/files.h"

namespace laurel::black_box {
namespace {

// Open files -------------------------------------------------------------------------------------

TEST(OpenFiles, TheSoftLimitIsRaisedToTheHardOne) {
  DurableServer server;
  server.SetLimit(RLIMIT_NOFILE, 256, 2048);
  server.Start({"--max-clients", "400"});
  EXPECT_EQ(server.Output().find("max-clients"), std::string::npos) << server.Output();
  std::vector<RespClient> clients;
  for (int i = 0; i < 400; ++i) {
    clients.push_back(server.Connect());
    ASSERT_EQ(clients.back().Ask({"PING"}), "+PONG") << i;
  }
}

TEST(OpenFiles, MaxClientsIsLoweredToWhatTheHardLimitAllowsAndWritesGoOn) {
  DurableServer server;
  server.SetLimit(RLIMIT_NOFILE, 256, 256);
  // Small segments, so that the log opens files while the clients are connected.
  server.Start({"--log-segment", "64kb", "--snapshot-log", "1mb", "--threads", "1"});
  EXPECT_NE(server.Output().find("max-clients is 156 instead of 10000: the limit of open files is "
                                 "256 (ulimit -n)"),
            std::string::npos)
      << server.Output();
  RespClient client = server.Connect();
  EXPECT_EQ(client.Ask({"CONFIG", "GET", "maxclients"}), R"(["maxclients", "156"])");
  EXPECT_EQ(InfoField(&client, "maxclients"), "156");
  std::vector<RespClient> clients;
  for (int i = 0; i < 400; ++i) clients.push_back(server.Connect());
  ASSERT_TRUE(Eventually([&] { return InfoField(&client, "connected_clients") == "156"; }));
  ASSERT_TRUE(Eventually([&] { return InfoField(&client, "rejected_connections") == "245"; }));
  const std::string member(1000, 'm');
  constexpr int kWrites = 500;  // half a megabyte of log: eight segments
  std::string bytes;
  for (int i = 0; i < kWrites; ++i) {
    bytes += Encoded({"ZADD", "z", std::to_string(i), member + std::to_string(i)});
  }
  client.SendRaw(bytes);
  for (int i = 0; i < kWrites; ++i) ASSERT_EQ(client.ReadReply().ToString(), "1") << i;
  EXPECT_EQ(client.Ask({"SAVE"}), "+OK");
  EXPECT_EQ(server.Output().find("error"), std::string::npos) << server.Output();
}

TEST(OpenFiles, ALimitThatLeavesNoRoomForClientsIsRefused) {
  DurableServer server;
  server.SetLimit(RLIMIT_NOFILE, 64, 64);
  const std::string refusal = server.StartRefused({"--threads", "1"});
  EXPECT_EQ(refusal,
            "laurel: the limit of open files is 64 (ulimit -n): at least 101 are needed\n");
}

// The size of a file -----------------------------------------------------------------------------

TEST(FileSize, ALogAtTheFileSizeLimitRefusesWritesAndLosesNothing) {
  constexpr rlim_t kMostBytes = 8 << 20;
  DurableServer server;
  server.SetLimit(RLIMIT_FSIZE, kMostBytes, kMostBytes);
  server.Start();
  const std::string member(20'000, 'm');
  int acknowledged = 0;
  std::int64_t unknown = 0;  // answered UNKNOWN: written or not
  {
    RespClient client = server.Connect();
    Value reply;
    for (; acknowledged < 1000; ++acknowledged) {
      const std::string number = std::to_string(acknowledged);
      reply = client.Command({"ZADD", "z", number, member + number});
      if (reply.IsError()) break;
    }
    unknown = reply.text.starts_with("UNKNOWN") ? 1 : 0;
    EXPECT_TRUE(unknown == 1 || reply.text.starts_with("MISCONF")) << reply.ToString();
    ASSERT_TRUE(Eventually([&] { return InfoField(&client, "laurel_read_only") == "1"; }));
    EXPECT_NE(InfoField(&client, "laurel_disk_trouble").find("File too large"), std::string::npos);
    EXPECT_TRUE(client.Command({"ZADD", "z", "1", "late"}).text.starts_with("MISCONF"));
    EXPECT_EQ(client.Ask({"ZSCORE", "z", member + "7"}), "\"7\"");
    EXPECT_TRUE(server.Running());
  }
  EXPECT_GT(acknowledged, 50);
  server.Kill();
  server.ClearLimits();
  server.Start();
  RespClient client = server.Connect();
  const std::int64_t size = client.Command({"ZCARD", "z"}).Integer();
  EXPECT_GE(size, acknowledged);
  EXPECT_LE(size, acknowledged + unknown);
  EXPECT_EQ(client.Ask({"ZADD", "z", "1", "late"}), "1");
}

// Commands other than `serve` must handle the limit too.
TEST(FileSize, ABackupAtTheFileSizeLimitFailsWithAnError) {
  DurableServer server;
  server.Start();
  RespClient client = server.Connect();
  FillBoard(&client, "z", 20'000);
  TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit lowered{50'000, before.rlim_max};  // the child inherits it
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &lowered), 0);
  const ProgramResult result =
      RunLaurel({"backup", "--from", "127.0.0.1:" + std::to_string(server.port()),
                 (folder / "backup").string()});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_TRUE(result.Says("File too large")) << result.output;
}

// Threads ----------------------------------------------------------------------------------------

class FewThreads : public testing::Test {
 protected:
  FewThreads() {
    server_.SetEnvironment({"LD_PRELOAD=" LAUREL_FEW_THREADS_MODULE,
                            "LAUREL_FEW_THREADS=" + (folder_ / "most").string()});
  }
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer wants to be loaded first";
#endif
  }
  void Allow(int threads) { WriteFile(folder_ / "most", std::to_string(threads)); }

  TemporaryFolder folder_;
  DurableServer server_;
};

TEST_F(FewThreads, AStartWithoutThemIsRefusedWithOneLine) {
  // A second I/O thread, the one that loads, those of the log, the change feed and the keeper.
  for (int threads = 0; threads < 5; ++threads) {
    Allow(threads);
    const std::string refusal = server_.StartRefused({"--threads", "2", "--log-level", "error"});
    EXPECT_TRUE(refusal.starts_with("laurel: ")) << threads << ": " << refusal;
    EXPECT_NE(refusal.find("Resource temporarily unavailable"), std::string::npos)
        << threads << ": " << refusal;
    EXPECT_EQ(std::count(refusal.begin(), refusal.end(), '\n'), 1) << threads << ": " << refusal;
  }
  Allow(5);
  server_.Start({"--threads", "2"});
}

TEST_F(FewThreads, AThreadThatCannotBeStartedLaterIsAnErrorAndTheServerGoesOn) {
  Allow(1000);
  server_.Start({"--http-port", "0"});
  RespClient client = server_.Connect();
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  Allow(0);
  const std::string refusal = "LIMIT cannot start a thread: Resource temporarily unavailable";
  EXPECT_EQ(client.Ask({"LB.BACKUP", "START"}), "-" + refusal);
  const HttpResponse answer =
      HttpClient(server_.http_port()).Send({.target = "/v1/boards/lb/live"});
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_NE(answer.body.find("cannot start a thread"), std::string::npos) << answer.body;
  Allow(1000);
  EXPECT_FALSE(client.Command({"LB.BACKUP", "START"}).IsError());
  EXPECT_EQ(client.Ask({"LB.SIZE", "lb"}), "0");
}

// The clock --------------------------------------------------------------------------------------

TEST(FarClock, ATimeAfter2262IsRefusedAtTheStart) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer wants to be loaded first";
#endif
  TemporaryFolder folder;
  const ProgramResult result = RunLaurel(ServeArguments({"--data", (folder / "data").string()}),
                                         {"LD_PRELOAD=" LAUREL_FAR_CLOCK});
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_TRUE(result.Says("times after 2262-04-11 are not served")) << result.output;
}

}  // namespace
}  // namespace laurel::black_box
