#include "storage/log_index.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/random.h"

namespace laurel::storage {
namespace {

constexpr std::uint64_t kScheme = 7;

FileHeader SomeSegment() {
  FileHeader header;
  header.history = 0x1122334455667788;
  header.epoch = 3;
  header.first = 1000;
  header.created_us = 1'700'000'000'000'000;
  return header;
}

std::uint64_t Seed() {
  const char* text = std::getenv("LAUREL_TEST_SEED");
  const std::uint64_t seed =
      text != nullptr ? std::strtoull(text, nullptr, 10) : base::SystemEntropy();
  std::printf("LAUREL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

// An index of batches with random sizes and tags, and the expected blocks of each tag.
struct Sample {
  explicit Sample(std::uint64_t seed, std::uint64_t batches) : builder(SomeSegment().first) {
    base::Random random(seed);
    for (std::uint64_t i = 0; i < batches; ++i) {
      BatchView batch;
      batch.offset = builder.end();
      batch.end = batch.offset + 40 + 8 * random.Below(random.OneIn(50) ? 20'000 : 60);
      batch.first = builder.last() + 1;
      batch.number = batch.first + (random.OneIn(20) ? random.Below(5) : 0);
      std::vector<std::uint64_t> tags;
      for (std::uint64_t count = random.Below(4); count > 0; --count) {
        tags.push_back(random.OneIn(3) ? random.Next() : random.Below(200));
      }
      builder.Add(batch, tags);
      const auto block = static_cast<std::uint32_t>(builder.blocks().size() - 1);
      for (const std::uint64_t tag : tags) blocks[tag].insert(block);
    }
  }

  IndexBuilder builder;
  std::map<std::uint64_t, std::set<std::uint32_t>> blocks;
};

std::vector<std::uint32_t> Collected(const BlockIndex& index, std::uint64_t tag,
                                     std::uint32_t from) {
  std::vector<std::uint32_t> blocks;
  index.Collect(tag, from, &blocks);
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

void ExpectSame(const BlockIndex& index, const Sample& sample) {
  ASSERT_EQ(index.blocks().size(), sample.builder.blocks().size());
  for (std::size_t i = 0; i < index.blocks().size(); ++i) {
    EXPECT_EQ(index.blocks()[i].offset, sample.builder.blocks()[i].offset);
    EXPECT_EQ(index.blocks()[i].first, sample.builder.blocks()[i].first);
  }
  EXPECT_EQ(index.last(), sample.builder.last());
  EXPECT_EQ(index.end(), sample.builder.end());
  for (const auto& [tag, blocks] : sample.blocks) {
    for (const std::uint32_t from : {0U, 3U, 100'000U}) {
      EXPECT_EQ(Collected(index, tag, from),
                std::vector<std::uint32_t>(blocks.lower_bound(from), blocks.end()));
    }
    EXPECT_EQ(Collected(index, tag + 1, 0).empty(), !sample.blocks.contains(tag + 1));
  }
}

TEST(LogIndex, ABlockBeginsWithTheFirstBatchThatBeginsInItsBytes) {
  IndexBuilder builder(1);
  builder.Add({64, 16'000, 1, 1, {}}, {});
  builder.Add({16'000, 16'400, 2, 2, {}}, {});
  builder.Add({16'400, 80'000, 3, 5, {}}, {});
  builder.Add({80'000, 80'100, 6, 6, {}}, {});
  ASSERT_EQ(builder.blocks().size(), 3U);
  EXPECT_EQ(builder.blocks()[1].offset, 16'400U);
  EXPECT_EQ(builder.blocks()[1].first, 3U);
  EXPECT_EQ(builder.blocks()[2].offset, 80'000U);
  EXPECT_EQ(builder.last(), 6U);
  EXPECT_EQ(builder.end(), 80'100U);
}

TEST(LogIndex, BothFormsReturnTheBlocksOfEveryTag) {
  const std::uint64_t seed = Seed();
  for (const std::uint64_t batches : {0, 1, 30, 3000}) {
    const Sample sample(seed, batches);
    ExpectSame(sample.builder, sample);
    const auto whole =
        LogIndex::Parse(sample.builder.Encode(SomeSegment(), kScheme), SomeSegment(), kScheme);
    ASSERT_NE(whole, nullptr);
    ExpectSame(*whole, sample);
  }
}

TEST(LogIndex, ARareTagTakesAFewBytesAndABusyOneAByteABlock) {
  IndexBuilder builder(1);
  constexpr std::uint64_t kBatches = 1 << 18;
  for (std::uint64_t i = 0; i < kBatches; ++i) {
    const std::uint64_t tags[] = {1, 2 + i / 64};
    const std::uint64_t at = kFileHeaderBytes + i * 64;
    builder.Add({at, at + 64, i + 1, i + 1, {}}, tags);
  }
  const std::size_t blocks = builder.blocks().size();
  EXPECT_EQ(blocks, kBatches * 64 / kIndexBlockBytes + 1);
  EXPECT_LT(builder.Encode(SomeSegment(), kScheme).size(), 7 * blocks + 6 * kBatches / 64 + 100);
}

TEST(LogIndex, AnIndexOfAnotherSegmentOrSchemeIsRejected) {
  const Sample sample(1, 100);
  const std::string bytes = sample.builder.Encode(SomeSegment(), kScheme);
  EXPECT_NE(LogIndex::Parse(bytes, SomeSegment(), kScheme), nullptr);
  EXPECT_EQ(LogIndex::Parse(bytes, SomeSegment(), kScheme + 1), nullptr);
  for (const auto change :
       {+[](FileHeader* header) { ++header->history; },
        +[](FileHeader* header) { ++header->epoch; }, +[](FileHeader* header) { ++header->first; },
        +[](FileHeader* header) { ++header->created_us; }}) {
    FileHeader other = SomeSegment();
    change(&other);
    EXPECT_EQ(LogIndex::Parse(bytes, other, kScheme), nullptr);
  }
}

TEST(LogIndex, EveryFlippedBitAndEveryTruncationIsDetected) {
  const Sample sample(1, 60);
  const std::string bytes = sample.builder.Encode(SomeSegment(), kScheme);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    EXPECT_EQ(LogIndex::Parse(flipped, SomeSegment(), kScheme), nullptr) << bit;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(LogIndex::Parse(bytes.substr(0, size), SomeSegment(), kScheme), nullptr) << size;
  }
}

// The checksum does not protect against an index that was written wrong: an index that passes it
// must still be safe to use.
TEST(LogIndex, WrongBytesWithARightChecksumAreRejectedOrSafe) {
  const std::uint64_t seed = Seed();
  base::Random random(seed);
  const Sample sample(seed, 200);
  const std::string bytes = sample.builder.Encode(SomeSegment(), kScheme);
  const std::uint64_t history = SomeSegment().history;
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = bytes;
    for (std::uint64_t i = random.Below(4) + 1; i > 0; --i) {
      changed[48 + random.Below(changed.size() - 48)] = static_cast<char>(random.Next());
    }
    if (random.OneIn(4)) changed.resize(64 + random.Below(changed.size() - 64));
    const std::uint32_t crc =
        base::Crc32c(std::string_view(changed).substr(16),
                     base::Crc32c({reinterpret_cast<const char*>(&history), sizeof(history)}));
    base::Store(&changed[12], crc);
    const auto index = LogIndex::Parse(changed, SomeSegment(), kScheme);
    if (index == nullptr) continue;
    for (const auto& block : index->blocks()) {
      ASSERT_LT(block.offset, index->end());
      ASSERT_LE(block.first, index->last());
    }
    for (const auto& [tag, blocks] : sample.blocks) {
      for (const std::uint32_t block : Collected(*index, tag, 0)) {
        ASSERT_LT(block, index->blocks().size());
      }
    }
  }
}

}  // namespace
}  // namespace laurel::storage
