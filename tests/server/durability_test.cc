// What a data folder keeps over clean and unclean restarts, as clients see it.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/crash/contents.h"
#include "server/durable_server.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"

namespace laurel::black_box {
namespace {

Arguments Split(const std::string& line) {
  std::istringstream words(line);
  Arguments arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  return arguments;
}

// Sends each line as a command that must not fail.
void Send(RespClient* client, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const Value reply = client->Command(Split(line));
    ASSERT_FALSE(reply.IsError()) << line << ": " << reply.ToString();
  }
}

std::vector<std::string> All(RespClient* client) {
  std::vector<std::string> boards;
  for (const Value& name : client->Command({"KEYS", "*"}).elements) boards.push_back(name.text);
  const Value listed = client->Command({"LB.LIST", "COUNT", "1000"});
  for (const Value& part : listed.elements) {
    for (const Value& name : part.elements) boards.push_back(name.text);
  }
  std::sort(boards.begin(), boards.end());
  boards.erase(std::unique(boards.begin(), boards.end()), boards.end());
  std::vector<std::string> lines = Contents(client, boards, "", Detail::kEverything);
  lines.push_back("templates " + client->Ask({"LB.TEMPLATE", "LIST"}));
  lines.push_back("names " + std::to_string(boards.size()));
  return lines;
}

// Ways to end a server after which a restart must recover everything.
struct Ending {
  const char* name;
  const char* fsync;
  std::function<void(DurableServer*)> end;
};

void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.name; }

void StopGently(DurableServer* server) { EXPECT_EQ(server->Stop(), 0) << server->Output(); }

const Ending kEndings[] = {
    {"Sigterm", "always", StopGently},
    {"SigtermEverysec", "everysec", StopGently},
    {"SigtermOff", "off", StopGently},
    {"Kill", "always", [](DurableServer* server) { server->Kill(); }},
    {"ShutdownNoSave", "always",
     [](DurableServer* server) {
       server->Connect().Send({"SHUTDOWN", "NOSAVE"});
       EXPECT_EQ(server->AwaitEnd(), 0) << server->Output();
     }},
    {"SaveThenKill", "off",
     [](DurableServer* server) {
       EXPECT_EQ(server->Connect().Ask({"SAVE"}), "+OK");
       server->Kill();
     }},
    {"SaveWriteThenKill", "always",
     [](DurableServer* server) {
       RespClient client = server->Connect();
       EXPECT_EQ(client.Ask({"SAVE"}), "+OK");
       EXPECT_EQ(client.Ask({"LB.HIDE", "best", "ann"}), "1");
       EXPECT_EQ(client.Ask({"LB.SHOW", "best", "ann"}), "1");
       server->Kill();
     }},
};

class Restart : public testing::TestWithParam<Ending> {
 protected:
  void SetUp() override { server_.Start({"--fsync", GetParam().fsync}); }

  // Sends `lines`, restarts and expects the same contents. Restarts a second time, because what the
  // first start wrote must be durable too.
  void ExpectKept(const std::vector<std::string>& lines) {
    {
      RespClient client = server_.Connect();
      ASSERT_NO_FATAL_FAILURE(
          Send(&client, {"LB.CREATE best POLICY best", "LB.SUBMIT best ann 5"}));
      ASSERT_NO_FATAL_FAILURE(Send(&client, lines));
      before_ = All(&client);
    }
    for (int i = 0; i < 2; ++i) {
      GetParam().end(&server_);
      server_.Start({"--fsync", GetParam().fsync});
      RespClient client = server_.Connect();
      EXPECT_EQ(Difference(before_, All(&client)), "") << "after restart " << i + 1;
    }
  }
  std::string Ask(const std::string& line) { return server_.Connect().Ask(Split(line)); }

  DurableServer server_;
  std::vector<std::string> before_;
};

TEST_P(Restart, KeepsEntriesStampsOrderAndMeta) {
  ExpectKept({"LB.CREATE tied TIE first", "LB.SUBMIT tied c 5", "LB.SUBMIT tied a 5",
              "LB.SUBMIT tied b 5 META hat", "LB.CREATE late TIE last", "LB.SUBMIT late c 5",
              "LB.SUBMIT late a 5", "LB.SUBMIT late b 5 AT 1700000000",
              "LB.CREATE pair FIELDS 2 points:int:desc time:decimal2:asc POLICY best CAP 3",
              "LB.SUBMIT pair a 7 1.25", "LB.SUBMIT pair b 7 1.20", "LB.SUBMIT pair c 8 9",
              "LB.SUBMIT pair d 9 9", "LB.CREATE sum POLICY sum", "LB.SUBMIT sum a 2",
              "LB.SUBMIT sum a 3", "LB.META sum a cap", "ZADD set 1.5 x -inf y inf z 1e300 w",
              "ZINCRBY set 0.1 x"});
  EXPECT_EQ(Ask("ZREVRANGE tied 0 -1"), "[\"c\", \"a\", \"b\"]");
  EXPECT_EQ(Ask("LB.SIZE pair"), "3");
}

TEST_P(Restart, KeepsHiddenMembersWithAndWithoutEntries) {
  ExpectKept({"LB.CREATE lb", "LB.SUBMIT lb a 1 META hat", "LB.SUBMIT lb b 2", "LB.SUBMIT lb c 3",
              "LB.HIDE lb a ghost", "LB.SUBMIT lb a 9", "LB.CREATE shadow", "LB.HIDE shadow x y",
              "LB.CREATE only", "LB.SUBMIT only m 1", "LB.HIDE only m"});
  EXPECT_EQ(Ask("LB.SIZE lb"), "2");
  EXPECT_EQ(Ask("LB.SIZE only"), "0");
  EXPECT_NE(server_.Connect().Command({"LB.SUBMIT", "shadow", "x", "1"}).Find("hidden"), nullptr);
  EXPECT_EQ(Ask("LB.SHOW lb a ghost"), "2");
  const Value shown = server_.Connect().Command({"LB.GET", "lb", "a", "WITHMETA"});
  EXPECT_EQ(shown.Find("rank")->text, "1");
  EXPECT_EQ(shown.Find("meta")->text, "hat");
}

TEST_P(Restart, KeepsDeclarationsTemplatesCapsAndEmptyLeaderboards) {
  ExpectKept({"LB.CREATE empty POLICY best TIE last CAP 5", "LB.CREATE cleared",
              "LB.SUBMIT cleared a 1", "LB.CLEAR cleared", "LB.CREATE capped CAP 3",
              "LB.SUBMIT capped a 1", "LB.SUBMIT capped b 2", "LB.SUBMIT capped c 3",
              "LB.SUBMIT capped d 4", "LB.ALTER capped CAP 2", "LB.ALTER capped POLICY best",
              "LB.TEMPLATE SET t:* TIE last", "LB.TEMPLATE SET gone:* TIE last",
              "LB.TEMPLATE DEL gone:*", "ZADD t:1 5 a 5 b", "ZADD gone:1 1 a"});
  EXPECT_EQ(Ask("ZRANGE capped 0 -1"), "[\"c\", \"d\"]");
  // The template still applies to new names.
  EXPECT_EQ(Ask("ZADD t:2 5 a 5 b"), "2");
  EXPECT_EQ(Ask("ZREVRANGE t:2 0 -1"), "[\"b\", \"a\"]");
}

TEST_P(Restart, KeepsTheResultsOfRenameCopyAdoptAndStore) {
  ExpectKept({"ZADD a 1 x 2 y",
              "ZADD b 3 x",
              "RENAME a c",
              "COPY c d",
              "ZUNIONSTORE u 2 c b",
              "ZRANGESTORE r c 0 0",
              "ZADD grown 5 x 5 y",
              "LB.CREATE grown TIE first ADOPT",
              "LB.CREATE lb",
              "LB.SUBMIT lb x 1",
              "LB.HIDE lb x z",
              "LB.SUBMIT lb y 2",
              "COPY lb lb2",
              "RENAME lb lb3",
              "LB.CREATE lb",
              "LB.SUBMIT lb q 4",
              "DEL b",
              "LB.CREATE dropped",
              "LB.SUBMIT dropped x 1",
              "LB.DROP dropped"});
  EXPECT_EQ(Ask("EXISTS a b dropped"), "0");
  EXPECT_EQ(Ask("ZRANGE u 0 -1 WITHSCORES"), "[\"y\", \"2\", \"x\", \"4\"]");
}

TEST_P(Restart, KeepsExpiryAndNothingFromBeforeFlushall) {
  ExpectKept({"ZADD old 1 x", "LB.CREATE oldlb", "LB.SUBMIT oldlb a 1", "FLUSHALL",
              "LB.CREATE best", "LB.SUBMIT best ann 4", "ZADD new 1 x",
              "PEXPIREAT new 7258118400123", "ZADD kept 1 x", "EXPIRE kept 1000", "PERSIST kept",
              "LB.CREATE lb", "LB.SUBMIT lb a 1", "EXPIRE lb 100000"});
  EXPECT_EQ(Ask("PEXPIRETIME new"), "7258118400123");
  EXPECT_EQ(Ask("TTL kept"), "-1");
  EXPECT_EQ(Ask("EXISTS old oldlb"), "0");
}

TEST_P(Restart, ExpiresBoardsThatFellDueWhileTheServerWasDown) {
  {
    RespClient client = server_.Connect();
    ASSERT_NO_FATAL_FAILURE(
        Send(&client, {"LB.CREATE best", "LB.SUBMIT best ann 5", "LB.CREATE lb", "LB.SUBMIT lb a 1",
                       "ZADD set 1 x", "ZADD stays 1 x", "PEXPIRE set 400", "PEXPIRE lb 400"}));
  }
  GetParam().end(&server_);
  SleepMs(450);
  server_.Start({"--fsync", GetParam().fsync});
  EXPECT_EQ(Ask("EXISTS set lb stays"), "1");
  EXPECT_EQ(Ask("LB.SIZE lb"), "0") << "its declaration stays";
  GetParam().end(&server_);
  server_.Start({"--fsync", GetParam().fsync});
  EXPECT_EQ(Ask("EXISTS set lb stays"), "1");
}

TEST_P(Restart, StampsKeepRising) {
  const auto submit = [&](const char* member) {
    return server_.Connect().Command({"LB.SUBMIT", "best", member, "5"}).Find("stamp")->Integer();
  };
  ASSERT_EQ(Ask("LB.CREATE best POLICY best"), "+OK");
  submit("ann");
  std::int64_t last = submit("bob");
  for (const char* member : {"cid", "dan"}) {
    GetParam().end(&server_);
    server_.Start({"--fsync", GetParam().fsync});
    const std::int64_t stamp = submit(member);
    EXPECT_GT(stamp, last);
    last = stamp;
  }
  EXPECT_EQ(Ask("ZREVRANGE best 0 -1"), "[\"ann\", \"bob\", \"cid\", \"dan\"]") << "first come";
}

INSTANTIATE_TEST_SUITE_P(Endings, Restart, testing::ValuesIn(kEndings),
                         [](const auto& ending) { return std::string(ending.param.name); });

// The write of another client ends the wait. The popped entry must not come back after a kill.
TEST(Waiting, ABlockedPopIsAnsweredWhenItIsDurable) {
  DurableServer server;
  server.Start();
  for (int i = 0; i < 10; ++i) {
    RespClient popper = server.Connect();
    RespClient pusher = server.Connect();
    popper.Send({"BZPOPMIN", "queue", "0"});
    ASSERT_TRUE(Eventually([&] { return InfoField(&pusher, "blocked_clients") == "1"; }));
    const std::string member = "m" + std::to_string(i);
    pusher.Send({"ZADD", "queue", "1", member});
    EXPECT_EQ(popper.ReadReply().ToString(), "[\"queue\", \"" + member + "\", \"1\"]");
    server.Kill();
    server.Start();
    EXPECT_EQ(server.Connect().Ask({"EXISTS", "queue"}), "0");
    ASSERT_EQ(server.Connect().Ask({"ZADD", "known", "1", member}), "1");
  }
}

// Saving -----------------------------------------------------------------------------------------

TEST(Saving, SaveBgsaveAndLastsaveReportSnapshots) {
  DurableServer server;
  server.Start();
  RespClient client = server.Connect();
  EXPECT_EQ(InfoField(&client, "aof_enabled"), "1");
  EXPECT_EQ(InfoField(&client, "laurel_fsync"), "always");
  EXPECT_EQ(InfoField(&client, "laurel_data"), server.data().string());
  EXPECT_EQ(InfoField(&client, "laurel_read_only"), "0");
  EXPECT_EQ(InfoField(&client, "loading"), "0");
  EXPECT_EQ(InfoField(&client, "rdb_saves"), "0");
  const std::int64_t began = client.Command({"LASTSAVE"}).Integer();
  FillBoard(&client, "set", 5000);
  EXPECT_NE(InfoField(&client, "laurel_records_since_snapshot"), "0");
  EXPECT_TRUE(server.Files("snapshot-").empty());

  EXPECT_EQ(client.Ask({"SAVE"}), "+OK");
  EXPECT_EQ(server.Files("snapshot-").size(), 1U);
  EXPECT_TRUE(server.Files("snapshot.tmp").empty());
  EXPECT_EQ(InfoField(&client, "rdb_saves"), "1");
  EXPECT_EQ(InfoField(&client, "rdb_changes_since_last_save"), "0");
  EXPECT_EQ(InfoField(&client, "rdb_last_bgsave_status"), "ok");
  EXPECT_GE(client.Command({"LASTSAVE"}).Integer(), began);
  EXPECT_EQ(InfoField(&client, "rdb_last_save_time"), client.Command({"LASTSAVE"}).text);

  ASSERT_EQ(client.Ask({"ZADD", "set", "1", "new"}), "1");
  EXPECT_EQ(client.Ask({"BGSAVE"}), "+Background saving started");
  ASSERT_TRUE(Eventually([&] { return InfoField(&client, "rdb_saves") == "2"; }));
  ASSERT_EQ(client.Ask({"ZADD", "set", "1", "newer"}), "1");
  const std::string scheduled = client.Ask({"BGSAVE", "SCHEDULE"});
  EXPECT_TRUE(scheduled == "+Background saving started" ||
              scheduled == "+Background saving scheduled")
      << scheduled;
  ASSERT_TRUE(Eventually([&] { return InfoField(&client, "rdb_saves") == "3"; }));
  EXPECT_TRUE(client.Command({"BGSAVE", "NOW"}).IsError());
  EXPECT_EQ(InfoField(&client, "rdb_bgsave_in_progress"), "0");
  EXPECT_EQ(server.Files("snapshot-").size(), 2U) << "the one before is kept, no more";
}

TEST(Saving, AfterShutdownNosaveTheLogAloneRecoversEverything) {
  DurableServer server;
  server.Start();
  ASSERT_EQ(server.Connect().Ask({"ZADD", "set", "1", "x"}), "1");
  server.Connect().Send({"SHUTDOWN", "NOSAVE"});
  EXPECT_EQ(server.AwaitEnd(), 0);
  EXPECT_TRUE(server.Files("snapshot").empty());
  server.Start();
  EXPECT_EQ(server.Connect().Ask({"ZSCORE", "set", "x"}), "\"1\"");
  EXPECT_EQ(server.Stop(), 0);
  EXPECT_EQ(server.Files("snapshot-").size(), 1U) << "SIGTERM saves";
}

TEST(Saving, SegmentsCoveredBySnapshotsAreRemoved) {
  DurableServer server;
  server.Start({"--log-segment", "64kb", "--snapshot-log", "1mb", "--keep-log", "0"});
  RespClient client = server.Connect();
  for (int i = 0; i < 6; ++i) {
    FillBoard(&client, "set" + std::to_string(i), 5000);
    ASSERT_EQ(client.Ask({"SAVE"}), "+OK");
  }
  const auto first = server.Files("log-").front().filename().string();
  EXPECT_NE(first, "log-00000000000000000001");
  const auto before = All(&client);
  server.Kill();
  server.Start();
  RespClient again = server.Connect();
  EXPECT_EQ(Difference(before, All(&again)), "");
}

TEST(Saving, SaveIsRefusedForAServerInMemory) {
  DurableServer server;
  server.Start({"--in-memory"});
  RespClient client = server.Connect();
  EXPECT_TRUE(client.Command({"SAVE"}).IsError());
  EXPECT_TRUE(client.Command({"BGSAVE"}).IsError());
  EXPECT_EQ(InfoField(&client, "aof_enabled"), "0");
  EXPECT_FALSE(std::filesystem::exists(server.data()));
}

// Requests that a client sends without waiting share waits for the disk.
TEST(Durability, OneConnectionThatPipelinesWaitsForTheDiskSeldom) {
  constexpr int kWrites = 2000;
  DurableServer server;
  server.Start({"--fsync", "always"});
  RespClient client = server.Connect();
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  std::string writes;
  for (int i = 0; i < kWrites; ++i) {
    writes += Encoded({"LB.SET", "lb", "member:" + std::to_string(i), "1"});
  }
  client.SendRaw(writes);
  for (int i = 0; i < kWrites; ++i) ASSERT_FALSE(client.ReadReply().IsError());
  EXPECT_LT(std::stoi(InfoField(&client, "laurel_fsyncs")), kWrites / 40);
}

}  // namespace
}  // namespace laurel::black_box
