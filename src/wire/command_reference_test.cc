#include "wire/command_reference.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "wire/command_table.h"

namespace laurel::wire {
namespace {

TEST(CommandReference, DocsPageEqualsTheGeneratedOne) {
  const std::filesystem::path path = std::filesystem::path(LAUREL_SOURCE_DIR) / "docs/commands.md";
  if (std::getenv("LAUREL_WRITE_PAGES") != nullptr) {
    std::ofstream(path, std::ios::binary) << CommandReference();
  }
  const std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_TRUE(text.str() == CommandReference())
      << path << " is stale; LAUREL_WRITE_PAGES=1 ./dev test -R wire_test writes it anew";
}

TEST(CommandReference, ExplainsEveryRow) {
  const std::string page = CommandReference();
  for (const CommandInfo& row : CommandTable()) {
    EXPECT_NE(page.find(row.summary), std::string::npos) << row.name;
    if (IsSubcommand(row)) continue;
    const std::string heading = "\n### " + std::string(row.name) + "\n";
    const std::size_t at = page.find(heading);
    ASSERT_NE(at, std::string::npos) << row.name;
    EXPECT_EQ(page.find(heading, at + 1), std::string::npos) << row.name << " stands twice";
  }
}

}  // namespace
}  // namespace laurel::wire
