#include "base/hash.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;

std::string TextOf(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

TEST(Hash, DependsOnEveryBitOfEveryByteAtEveryLength) {
  for (std::size_t size = 0; size <= 40; ++size) {
    std::string text = TextOf(size);
    std::set<std::uint64_t> hashes = {HashBytes(text, kSeed)};
    for (std::size_t i = 0; i < size; ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        text[i] = static_cast<char>(text[i] ^ (1 << bit));
        EXPECT_TRUE(hashes.insert(HashBytes(text, kSeed)).second)
            << "length " << size << ", byte " << i << ", bit " << bit;
        text[i] = static_cast<char>(text[i] ^ (1 << bit));
      }
    }
  }
}

TEST(Hash, DistinguishesZeroBytesOfDifferentLengths) {
  std::set<std::uint64_t> hashes;
  for (std::size_t size = 0; size <= 40; ++size) {
    EXPECT_TRUE(hashes.insert(HashBytes(std::string(size, '\0'), kSeed)).second) << size;
  }
}

TEST(Hash, DoesNotDependOnTheAddressOfTheBytes) {
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string text = TextOf(size);
    for (std::size_t offset = 1; offset < 9; ++offset) {
      const std::string shifted = std::string(offset, '#') + text + "#";
      EXPECT_EQ(HashBytes(std::string_view(shifted).substr(offset, size), kSeed),
                HashBytes(text, kSeed));
    }
  }
}

TEST(Hash, ChangesWithTheSeed) {
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string text = TextOf(size);
    std::set<std::uint64_t> hashes;
    for (std::uint64_t bit = 0; bit < 64; ++bit) {
      hashes.insert(HashBytes(text, kSeed ^ (std::uint64_t{1} << bit)));
    }
    EXPECT_EQ(hashes.size(), 64U) << "length " << size;
  }
  EXPECT_NE(HashInteger(42, kSeed), HashInteger(42, kSeed + 1));
}

// Members that collide under one seed must not collide under another: otherwise an attacker could
// collect colliding members.
TEST(Hash, CollisionsUnderOneSeedDoNotOccurUnderAnother) {
  std::array<std::string, 1U << 16> with_hash;
  int pairs = 0;
  int again = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string member = "user:" + std::to_string(i);
    std::string& same = with_hash[HashBytes(member, kSeed) >> 48];
    if (!same.empty()) {
      ++pairs;
      again += HashBytes(member, kSeed + 2) >> 48 == HashBytes(same, kSeed + 2) >> 48 ? 1 : 0;
    }
    same = member;
  }
  EXPECT_GT(pairs, 1000);
  EXPECT_LE(again, 5);
}

// The index uses the low byte as tag and the high bits as slot: both must be evenly distributed.
// 100,000 over 256 values: 391 each, with a standard deviation of 20.
void ExpectEvenlySpread(const std::vector<std::uint64_t>& hashes) {
  ASSERT_EQ(std::unordered_set<std::uint64_t>(hashes.begin(), hashes.end()).size(), hashes.size());
  std::array<int, 256> low{};
  std::array<int, 256> high{};
  std::vector<int> both(1U << 16);
  for (const std::uint64_t hash : hashes) {
    ++low[hash & 255];
    ++high[hash >> 56];
    ++both[(hash >> 56) << 8 | (hash & 255)];
  }
  const double mean = static_cast<double>(hashes.size()) / 256;
  for (const std::array<int, 256>& counts : {low, high}) {
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), mean * 0.70);
    EXPECT_LT(*std::max_element(counts.begin(), counts.end()), mean * 1.30);
  }
  // 1.5 on average. The chance that any value occurs 14 times is one in a million.
  EXPECT_LT(*std::max_element(both.begin(), both.end()), 14);
}

TEST(Hash, SpreadsAHundredThousandSimilarMembersEvenly) {
  for (const char* prefix : {"", "u", "user:", "player:00000000:", "a-rather-long-prefix-of-40-"}) {
    SCOPED_TRACE(prefix);
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < 100'000; ++i) {
      hashes.push_back(HashBytes(prefix + std::to_string(i), kSeed));
    }
    ExpectEvenlySpread(hashes);
  }
}

TEST(Hash, SpreadsConsecutiveAndStridedIntegersEvenly) {
  for (const std::uint64_t stride :
       {std::uint64_t{1}, std::uint64_t{256}, std::uint64_t{1} << 32}) {
    SCOPED_TRACE(stride);
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t i = 0; i < 100'000; ++i) hashes.push_back(HashInteger(i * stride, kSeed));
    ExpectEvenlySpread(hashes);
  }
}

}  // namespace
}  // namespace laurel::base
