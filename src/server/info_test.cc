#include "server/info.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

using Words = std::vector<std::string_view>;

std::string Info(const Words& words, const engine::Access& access = {}) {
  const Config config;
  const Counters counters;
  engine::Figures figures;
  figures.keys = 3;
  figures.expiring = 1;
  figures.persistence.durable = true;
  figures.persistence.folder = "/var/lib/laurel";
  figures.persistence.trouble = "/var/lib/laurel/log: no space";
  return InfoText(words, access, figures,
                  {.config = config, .counters = counters, .run_id = "id", .port = 7600});
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
