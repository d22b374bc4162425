// Runs the fuzzers of HTTP requests and JSON (fuzz/http_fuzz_body.h) on their stored corpora, and
// on the same random changes of them in every run.
#include <cstdint>

#include <gtest/gtest.h>

#include "fuzz/http_fuzz_body.h"
#include "tests/support/corpus_replay.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kInputs = 3000;

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
