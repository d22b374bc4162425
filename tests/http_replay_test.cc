// Runs the fuzzers of HTTP requests and JSON (fuzz/http_fuzz_body.h) on their stored corpora, and
// on the same random changes of them in every run.
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "fuzz/http_fuzz_body.h"
#include "tests/support/corpus_replay.h"
#include "tests/support/files.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kInputs = 3000;

// The files of a corpus, always in the same order.
std::vector<std::string> CorpusTexts(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    files[file.path().filename().string()] = ReadFile(file.path());
  }
  std::vector<std::string> texts;
  for (const auto& [name, text] : files) texts.push_back(text);
  return texts;
}

TEST(HttpReplay, EveryRequestOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/http_request", RunHttpRequest), "");
}

TEST(HttpReplay, EveryJsonTextOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/json", RunJson), "");
}

TEST(HttpReplay, ChangedRequestsPassTheChecks) {
  EXPECT_EQ(ReplayChanges(CorpusTexts(LAUREL_CORPUS "/http_request"), kInputs, RunHttpRequest), "");
}

TEST(HttpReplay, ChangedJsonTextsPassTheChecks) {
  EXPECT_EQ(ReplayChanges(CorpusTexts(LAUREL_CORPUS "/json"), kInputs, RunJson), "");
}

}  // namespace
}  // namespace laurel::fuzz
