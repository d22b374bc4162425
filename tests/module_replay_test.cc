// Runs the fuzzer of the module's payloads (fuzz/module_fuzz_body.h) on real boards and on the
// corpus, and on the same random changes of both in every run.
// LAUREL_TEST_OPS    a fortieth of it is the number of changed inputs (default 200,000)
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/module_fuzz_body.h"
#include "tests/support/corpus_replay.h"
#include "tests/support/seed.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kOperationsPerInput = 40;

TEST(ModuleReplay, PayloadsOfRealBoardsPassTheChecks) {
  const std::vector<std::string> samples = ModulePayloadSamples();
  ASSERT_EQ(samples.size(), 12U);
  for (const std::string& sample : samples) {
    EXPECT_GT(sample.size(), 50U);
    EXPECT_EQ(
        RunModulePayload({reinterpret_cast<const std::uint8_t*>(sample.data()), sample.size()}),
        "");
  }
}

TEST(ModuleReplay, EveryPayloadOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/module_payload", RunModulePayload), "");
}

TEST(ModuleReplay, ChangedPayloadsPassTheChecks) {
  std::vector<std::string> inputs = ModulePayloadSamples();
  for (std::string& text : CorpusTexts(LAUREL_CORPUS "/module_payload")) {
    inputs.push_back(std::move(text));
  }
  EXPECT_EQ(ReplayChanges(inputs, TestOperations() / kOperationsPerInput, RunModulePayload), "");
}

}  // namespace
}  // namespace laurel::fuzz
