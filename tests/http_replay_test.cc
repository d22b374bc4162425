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

using Run = std::string (*)(std::span<const std::uint8_t>);

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

// Replaces, inserts, removes or copies a few bytes.
std::string Changed(std::string text, const std::vector<std::string>& texts, base::Random* random) {
  for (std::uint64_t changes = 1 + random->Below(4); changes > 0; --changes) {
    const std::size_t at = random->Below(text.size() + 1);
    const std::string& other = texts[random->Below(texts.size())];
    switch (random->Below(4)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random->Next());
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(random->Next()));
        break;
      case 2:
        text.erase(at, 1 + random->Below(8));
        break;
      default:
        text.insert(at, other, random->Below(other.size() + 1), 1 + random->Below(40));
    }
  }
  return text;
}

void ReplayChanges(const std::string& folder, Run run) {
  const std::vector<std::string> texts = CorpusTexts(folder);
  ASSERT_FALSE(texts.empty());
  for (std::uint64_t seed = 1; seed <= kInputs; ++seed) {
    base::Random random(seed);
    const std::string text = Changed(texts[random.Below(texts.size())], texts, &random);
    ASSERT_EQ(run({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}), "")
        << "seed " << seed;
  }
}

TEST(HttpReplay, EveryRequestOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/http_request", RunHttpRequest), "");
}

TEST(HttpReplay, EveryJsonTextOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/json", RunJson), "");
}

TEST(HttpReplay, ChangedRequestsPassTheChecks) {
  ReplayChanges(LAUREL_CORPUS "/http_request", RunHttpRequest);
}

TEST(HttpReplay, ChangedJsonTextsPassTheChecks) { ReplayChanges(LAUREL_CORPUS "/json", RunJson); }

}  // namespace
}  // namespace laurel::fuzz
