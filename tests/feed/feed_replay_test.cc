// Runs the feed fuzzer (fuzz/feed_fuzz_body.h) on the stored corpus and on random inputs.
//
// LAUREL_TEST_OPS    number of inputs times 10,000 (default 200,000)
// LAUREL_TEST_SEED   seed of the run; random if not set; always printed
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "fuzz/feed_fuzz_body.h"
#include "tests/support/corpus_replay.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

constexpr std::uint64_t kOperationsPerInput = 10'000;

TEST(FeedReplay, EveryCorpusInputPassesAllChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_FEED_CORPUS, fuzz::RunFeed), "");
}

TEST(FeedReplay, RandomInputsPassAllChecks) {
  base::Random random(TestSeed());
  const std::uint64_t operations = TestOperations();
  for (std::uint64_t i = 0; i < operations / kOperationsPerInput + 1; ++i) {
    std::vector<std::uint8_t> bytes(100 + random.Below(900));
    // Bytes below 0x70 select commands that add boards and entries.
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random.Below(random.OneIn(2) ? 256 : 0x70));
    }
    ASSERT_EQ(fuzz::RunFeed(bytes), "") << "input " << i;
  }
}

}  // namespace
}  // namespace laurel::testing
