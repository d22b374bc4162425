// Runs the grammar fuzzer (fuzz/words_fuzz_body.h) on the same random inputs in every run.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "fuzz/words_fuzz_body.h"
#include "wire/command_table.h"
#include "wire/leaderboard_words.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kInputs = 4000;
constexpr std::uint64_t kMostBytes = 600;

TEST(WordsReplay, RandomWordsPassAllChecksAndReachEveryCommand) {
  AcceptedWords accepted{};
  for (std::uint64_t seed = 1; seed <= kInputs; ++seed) {
    base::Random random(seed);
    std::vector<std::uint8_t> bytes(random.Below(kMostBytes));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.Next());
    ASSERT_EQ(RunWords(bytes, &accepted), "") << "seed " << seed;
  }
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    const bool asked = wire::IsOperation(command.id) || command.id == wire::CommandId::kLbCreate ||
                       command.id == wire::CommandId::kLbChanges;
    if (!asked) continue;
    EXPECT_GT(accepted[static_cast<std::size_t>(command.id)], 20U) << command.name;
  }
}

}  // namespace
}  // namespace laurel::fuzz
