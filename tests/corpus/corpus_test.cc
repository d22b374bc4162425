// The recorded requests get the recorded replies, byte for byte, and cover every command.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/corpus/corpus_file.h"
#include "wire/command_table.h"

namespace laurel::corpus {
namespace {

namespace fs = std::filesystem;

constexpr int kMostShown = 5;

bool Writes() { return std::getenv("LAUREL_WRITE_PAGES") != nullptr; }

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(LAUREL_CORPUS_DIR)) {
    if (file.path().extension() == ".txt") files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class Corpus : public ::testing::TestWithParam<fs::path> {};

TEST_P(Corpus, RecordedRepliesAreReproduced) {
  const CorpusFile file(GetParam());
  const std::vector<Step> played = file.Play();
  if (Writes()) CorpusFile::Write(GetParam(), played);
  const std::vector<Step> recorded = CorpusFile(GetParam()).steps();
  ASSERT_EQ(recorded.size(), played.size());
  int differences = 0;
  for (std::size_t i = 0; i < played.size(); ++i) {
    if (recorded[i].reply == played[i].reply || ++differences > kMostShown) continue;
    EXPECT_EQ(Text(recorded[i].reply), Text(played[i].reply))
        << GetParam().filename() << ":" << recorded[i].line_number << ": " << recorded[i].line;
  }
  EXPECT_EQ(differences, 0) << "LAUREL_WRITE_PAGES=1 ./dev test -R corpus_test records anew";
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, ::testing::ValuesIn(Files()),
                         [](const auto& file) { return file.param.stem().string(); });

// Commands that no file contains, with the reason.
const std::map<std::string_view, std::string_view>& LeftOut() {
  static const std::map<std::string_view, std::string_view> reasons = {};
  return reasons;
}

TEST(CorpusCommands, EveryCommandIsInTheCorpus) {
  std::set<std::string_view> asked;
  for (const fs::path& path : Files()) {
    const CorpusFile file(path);
    for (const Step& step : file.steps()) {
      if (step.words.empty() || step.words[0].starts_with('@')) continue;
      const std::vector<std::string_view> arguments(step.words.begin(), step.words.end());
      if (const auto* command = wire::LookUp(arguments).command) asked.insert(command->name);
      const auto* container = wire::FindCommand(step.words[0]);
      if (container != nullptr && container->Has(wire::kContainer)) asked.insert(container->name);
    }
  }
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    const bool left_out = LeftOut().contains(command.name);
    EXPECT_NE(asked.contains(command.name), left_out) << command.name;
  }
}

}  // namespace
}  // namespace laurel::corpus
