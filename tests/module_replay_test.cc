// Runs the fuzzer of the module's payloads (fuzz/module_fuzz_body.h) on real boards, and on the
// same random changes of them in every run.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/module_fuzz_body.h"
#include "tests/support/corpus_replay.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kInputs = 20'000;

TEST(ModuleReplay, PayloadsOfRealBoardsPassTheChecks) {
  const std::vector<std::string> samples = ModulePayloadSamples();
  ASSERT_EQ(samples.size(), 8U);
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
  EXPECT_EQ(ReplayChanges(ModulePayloadSamples(), kInputs, RunModulePayload), "");
}

}  // namespace
}  // namespace laurel::fuzz
