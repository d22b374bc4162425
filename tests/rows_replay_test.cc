// Runs the fuzzer of files to import (fuzz/rows_fuzz_body.h) on its stored corpus, and on the same
// random changes of it in every run.
#include <cstdint>

#include <gtest/gtest.h>

#include "fuzz/rows_fuzz_body.h"
#include "tests/support/corpus_replay.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kInputs = 3000;

TEST(RowsReplay, EveryFileOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/rows", RunRows), "");
}

TEST(RowsReplay, ChangedFilesPassTheChecks) {
  EXPECT_EQ(ReplayChanges(CorpusTexts(LAUREL_CORPUS "/rows"), kInputs, RunRows), "");
}

}  // namespace
}  // namespace laurel::fuzz
