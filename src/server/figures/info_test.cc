#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "server/figures/figures.h"

namespace laurel::server {
namespace {

constexpr engine::Figures::Boards kBoards = {.existing = 3, .expiring = 1, .all = 4};

using Words = std::vector<std::string_view>;

std::string Info(const Words& words, const engine::Access& access = {},
                 const engine::CommandCounters& commands = {},
                 std::optional<engine::Figures::Boards> boards = kBoards) {
  const Config config;
  const Counters counters;
  engine::Figures figures;
  figures.boards = boards;
  figures.persistence.durable = true;
  figures.persistence.folder = "/var/lib/laurel";
  figures.persistence.trouble = "/var/lib/laurel/log: no space";
  return InfoText(
      words, access, figures,
      {.config = config, .counters = counters, .commands = commands, .run_id = "id", .port = 7600});
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Info, ShowsTheRequestedSections) {
  EXPECT_EQ(Info({"INFO", "keyspace"}), "# Keyspace\r\ndb0:keys=3,expires=1,avg_ttl=0\r\n");
  EXPECT_EQ(Info({"INFO", "CLUSTER", "keyspace"}),
            "# Cluster\r\ncluster_enabled:0\r\n\r\n"
            "# Keyspace\r\ndb0:keys=3,expires=1,avg_ttl=0\r\n");
  EXPECT_EQ(Info({"INFO", "nothing"}), "");
  for (const Words& words : {Words{"INFO"}, Words{"INFO", "all"}, Words{"INFO", "everything"}}) {
    EXPECT_TRUE(Has(Info(words), "# Server\r\n"));
    EXPECT_TRUE(Has(Info(words), "# Laurel\r\n"));
  }
}

TEST(Info, SaysThatBoardsAreNotCounted) {
  EXPECT_EQ(Info({"INFO", "keyspace"}, {}, {}, std::nullopt),
            "# Keyspace\r\n"
            "# more than 20000 boards: those of the token's pattern are not counted\r\n");
}

TEST(Info, ShowsCommandsThatWereCalledInTheFormatOfRedis) {
  engine::CommandCounters commands;
  EXPECT_EQ(Info({"INFO", "commandstats"}, {}, commands), "# Commandstats\r\n");
  commands.NoteExecuted(wire::CommandId::kLbSubmit, 7, 2, 31);
  commands.NoteRejected(wire::CommandId::kConfigGet);
  commands.NoteQuick(wire::CommandId::kPing, 5);
  EXPECT_EQ(
      Info({"INFO", "commandstats"}, {}, commands),
      "# Commandstats\r\n"
      "cmdstat_ping:calls=5,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=0\r\n"
      "cmdstat_config|get:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0\r\n"
      "cmdstat_lb.submit:calls=9,usec=31,usec_per_call=3.44,rejected_calls=0,failed_calls=2\r\n");
  EXPECT_EQ(Info({"INFO", "latencystats"}, {}, commands),
            "# Latencystats\r\n"
            "latency_percentiles_usec_lb.submit:p50=5.000,p99=5.000,p99.9=5.000\r\n");
  commands.NoteExecuted(wire::CommandId::kLbSubmit, 1, 0, 20'000'000);  // beyond the last bucket
  EXPECT_TRUE(Has(Info({"INFO", "latencystats"}, {}, commands), "p50=5.000,p99=10000000.000,"));
  commands.NoteError("WRONGTYPE Operation", 2);
  EXPECT_EQ(Info({"INFO", "errorstats"}, {}, commands),
            "# Errorstats\r\nerrorstat_WRONGTYPE:count=2\r\n");
  commands.Reset();
  EXPECT_EQ(Info({"INFO", "commandstats", "errorstats", "latencystats"}, {}, commands),
            "# Commandstats\r\n\r\n# Errorstats\r\n\r\n# Latencystats\r\n");
}

TEST(Info, ShowsPathsToClientsWithAccessToAllBoardsOnly) {
  const std::string all = Info({"INFO"});
  EXPECT_TRUE(Has(all, "laurel_data:/var/lib/laurel\r\n"));
  EXPECT_TRUE(Has(all, "laurel_disk_trouble:/var/lib/laurel/log: no space\r\n"));
  const std::string some = Info({"INFO"}, engine::Access("guest", "guest:*"));
  EXPECT_FALSE(Has(some, "/var"));
  EXPECT_TRUE(Has(some, "laurel_disk_trouble:the log of the server says why\r\n"));
}

}  // namespace
}  // namespace laurel::server
