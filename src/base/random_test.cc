#include "base/random.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

std::vector<std::uint64_t> Draw(std::uint64_t seed, int count) {
  Random random(seed);
  std::vector<std::uint64_t> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(random.Next());
  return drawn;
}

TEST(Random, SameSeedGivesTheSameSequence) {
  EXPECT_EQ(Draw(7, 1000), Draw(7, 1000));
  Random one(9);
  Random other(9);
  for (std::uint64_t bound = 1; bound < 1000; ++bound) {
    ASSERT_EQ(one.Below(bound), other.Below(bound));
  }
}

TEST(Random, NeighbouringSeedsGiveUnrelatedSequences) {
  std::set<std::uint64_t> drawn;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const std::uint64_t value : Draw(seed, 100)) drawn.insert(value);
  }
  EXPECT_EQ(drawn.size(), 10'000U);
}

TEST(Random, BelowStaysInRangeForBoundsOfEverySize) {
  Random random(1);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t bound : {power, power + 1, power + (power - 1)}) {
      for (int i = 0; i < 50; ++i) ASSERT_LT(random.Below(bound), bound);
    }
  }
  for (int i = 0; i < 100; ++i) ASSERT_LT(random.Below(UINT64_MAX), UINT64_MAX);
}

TEST(Random, BelowReachesEveryValueEquallyOften) {
  Random random(2);
  std::array<int, 10> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts[random.Below(counts.size())];
  EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 9'500);
  EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 10'500);
}

// With a plain remainder the lower half of the range would occur twice as often as the upper half.
TEST(Random, BelowIsUniformForABoundThatDoesNotDivideTheRange) {
  Random random(3);
  constexpr std::uint64_t kThird = UINT64_MAX / 3;
  int low = 0;
  for (int i = 0; i < 30'000; ++i) low += random.Below(2 * kThird) < kThird ? 1 : 0;
  EXPECT_GT(low, 14'500);
  EXPECT_LT(low, 15'500);
}

TEST(Random, OneInIsTrueOneTimeInN) {
  Random random(4);
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) hits += random.OneIn(10) ? 1 : 0;
  EXPECT_GT(hits, 9'500);
  EXPECT_LT(hits, 10'500);
}

TEST(SystemEntropy, FillsBothHalvesAndDoesNotRepeat) {
  std::set<std::uint64_t> whole;
  std::set<std::uint64_t> upper;
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t drawn = SystemEntropy();
    whole.insert(drawn);
    upper.insert(drawn >> 32);
  }
  EXPECT_EQ(whole.size(), 16U);
  EXPECT_GT(upper.size(), 12U);
}

}  // namespace
}  // namespace laurel::base
