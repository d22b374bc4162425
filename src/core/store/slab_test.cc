#include "core/store/slab.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"

namespace laurel::core {
namespace {

class SlabTest : public testing::Test {
 protected:
  base::CountingMemory memory_{base::SystemMemory()};
  PagePool pool_{&memory_};
};

TEST_F(SlabTest, HandlesAreDistinctAndBlocksDoNotOverlap) {
  Slab<4> slab(&pool_);
  std::map<Handle, std::size_t> sizes;
  base::Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t bytes = 1 + random.Below(60);
    const Handle handle = slab.Allocate(bytes);
    ASSERT_NE(handle, kNoHandle);
    ASSERT_TRUE(sizes.emplace(handle, bytes).second);
    std::memset(slab.At(handle), static_cast<int>(handle % 251), bytes);
  }
  EXPECT_EQ(slab.blocks(), sizes.size());
  for (const auto& [handle, bytes] : sizes) {
    const char* at = slab.At(handle);
    const auto written = static_cast<char>(handle % 251);
    ASSERT_EQ(std::count(at, at + bytes, written), static_cast<std::ptrdiff_t>(bytes));
  }
}

// EntryStore::HasRoom relies on this bound.
TEST_F(SlabTest, BlocksOfOneSizeStayWithinThePageBound) {
  for (std::size_t bytes = 4; bytes <= Slab<4>::kMaxBlockBytes; bytes += bytes < 600 ? 4 : 52) {
    Slab<4> slab(&pool_);
    const std::size_t most = slab.PagesLeft();
    for (std::size_t total = 0; total < 8 * kPageBytes; total += bytes) {
      ASSERT_NE(slab.Allocate(bytes), kNoHandle);
      ASSERT_LE(most - slab.PagesLeft(), Slab<4>::kSmallPages + total / Slab<4>::kFullPageBytes)
          << total << " bytes in blocks of " << bytes;
    }
  }
  // After the small pages, the slab needs one page for each kFullPageBytes, even with the block
  // size that wastes most.
  Slab<4> slab(&pool_);
  const std::size_t most = slab.PagesLeft();
  std::size_t total = 0;
  for (; total < 400 * kPageBytes; total += Slab<4>::kMaxBlockBytes) {
    ASSERT_NE(slab.Allocate(Slab<4>::kMaxBlockBytes), kNoHandle);
  }
  EXPECT_LE(most - slab.PagesLeft(), Slab<4>::kSmallPages + total / Slab<4>::kFullPageBytes);
}

TEST_F(SlabTest, BlocksDoNotMoveWhileOthersAreAllocatedAndFreed) {
  Slab<4> slab(&pool_);
  struct Block {
    Handle handle;
    const char* at;
    std::uint64_t contents;
  };
  std::vector<Block> blocks;
  base::Random random(2);
  for (int step = 0; step < 50'000; ++step) {
    if (blocks.empty() || random.Below(100) < (step < 25'000 ? 60U : 40U)) {
      const Handle handle = slab.Allocate(sizeof(std::uint64_t) + random.Below(5) * 8);
      const std::uint64_t contents = random.Next();
      std::memcpy(slab.At(handle), &contents, sizeof(contents));
      blocks.push_back({handle, slab.At(handle), contents});
    } else {
      std::swap(blocks[random.Below(blocks.size())], blocks.back());
      const Block& block = blocks.back();
      ASSERT_EQ(slab.At(block.handle), block.at);
      ASSERT_EQ(std::memcmp(block.at, &block.contents, sizeof(block.contents)), 0);
      slab.Free(block.handle);
      blocks.pop_back();
    }
    ASSERT_EQ(slab.blocks(), blocks.size());
  }
}

TEST_F(SlabTest, BlocksOfDifferentKindsKeepTheirKind) {
  Slab<4> slab(&pool_);
  std::vector<std::pair<Handle, std::uint8_t>> blocks;
  for (int i = 0; i < 3'000; ++i) {
    const auto kind = static_cast<std::uint8_t>(i % 16);
    blocks.emplace_back(slab.Allocate(20, kind), kind);
  }
  for (const auto& [handle, kind] : blocks) EXPECT_EQ(slab.KindOf(handle), kind);
}

TEST_F(SlabTest, FreedSlotsAreReusedBeforeAPageIsAdded) {
  Slab<4> slab(&pool_);
  std::vector<Handle> handles;
  for (int i = 0; i < 1'000; ++i) handles.push_back(slab.Allocate(36));
  const std::size_t full = slab.MemoryUsage();
  std::set<Handle> freed;
  for (std::size_t i = 0; i < handles.size(); i += 3) {
    slab.Free(handles[i]);
    freed.insert(handles[i]);
  }
  const std::size_t count = freed.size();
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(freed.erase(slab.Allocate(36)), 1U);
  EXPECT_EQ(slab.MemoryUsage(), full);
}

TEST_F(SlabTest, AFewBlocksTakeLittleMemoryAndPagesGrowWithTheContents) {
  Slab<4> slab(&pool_);
  const Handle first = slab.Allocate(36);
  EXPECT_NE(first, kNoHandle);
  EXPECT_LT(memory_.bytes_in_use(), 2048U);
  // As it grows, the slab takes at most a quarter more memory than its blocks.
  for (std::size_t blocks = 2; blocks <= 200'000; ++blocks) {
    ASSERT_NE(slab.Allocate(36), kNoHandle);
    if (blocks >= 100 && (blocks & (blocks - 1)) == 0) {
      EXPECT_LT(slab.MemoryUsage(), blocks * 36 * 5 / 4 + 2048) << blocks << " blocks";
    }
  }
}

TEST_F(SlabTest, MemoryUsageEqualsTheMemoryTakenFromTheResource) {
  Slab<4> slab(&pool_);
  for (int i = 0; i < 500; ++i) ASSERT_NE(slab.Allocate(4 + i % 40), kNoHandle);
  EXPECT_EQ(slab.MemoryUsage(), memory_.bytes_in_use());
}

TEST_F(SlabTest, AnEmptiedSlabReleasesItsPagesAndCanBeReused) {
  Slab<4> slab(&pool_);
  std::vector<Handle> handles;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100'000; ++i) handles.push_back(slab.Allocate(16 + i % 5 * 4));
    EXPECT_GT(memory_.bytes_in_use(), 2'000'000U);
    base::Random random(3);
    while (!handles.empty()) {
      std::swap(handles[random.Below(handles.size())], handles.back());
      slab.Free(handles.back());
      handles.pop_back();
    }
    EXPECT_EQ(slab.blocks(), 0U);
    EXPECT_LT(memory_.bytes_in_use(), 32'768U) << "all but the list of pages";
  }
}

TEST_F(SlabTest, ADestroyedSlabFreesItsMemory) {
  {
    Slab<64> slab(&pool_);
    for (int i = 0; i < 5'000; ++i) ASSERT_NE(slab.Allocate(64 + i % 20 * 64), kNoHandle);
  }
  EXPECT_LT(memory_.bytes_in_use(), 4096U) << "the pool keeps a list of extents";
}

TEST_F(SlabTest, BlocksAreAlignedToTheirUnitAndUpToTheLargestSize) {
  Slab<4> cells(&pool_);
  Slab<64> nodes(&pool_);
  for (std::size_t bytes = 1; bytes <= Slab<64>::kMaxBlockBytes; bytes = bytes * 2 + 1) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(cells.At(cells.Allocate(bytes))) % 4, 0U);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(nodes.At(nodes.Allocate(bytes))) % 64, 0U);
    }
  }
  const Handle largest = nodes.Allocate(Slab<64>::kMaxBlockBytes);
  std::memset(nodes.At(largest), 1, Slab<64>::kMaxBlockBytes);
}

TEST_F(SlabTest, FreeOnePageVisitsEveryLiveBlockOnceAndFreesPagesOneByOne) {
  Slab<4> slab(&pool_);
  std::set<Handle> live;
  for (int i = 0; i < 100'000; ++i)
    live.insert(slab.Allocate(36, static_cast<std::uint8_t>(i % 2)));
  for (auto at = live.begin(); at != live.end();) {
    if (*at % 3 != 0) {
      ++at;
      continue;
    }
    slab.Free(*at);
    at = live.erase(at);
  }
  int pages = 0;
  while (true) {
    const std::size_t before = live.size();
    const bool freed = slab.FreeOnePage([&](Handle handle) {
      EXPECT_EQ(live.erase(handle), 1U);
      EXPECT_NE(slab.At(handle), nullptr);
    });
    EXPECT_EQ(slab.blocks(), live.size());
    if (!freed) break;
    ++pages;
    EXPECT_LE(before - live.size(), kPageBytes / 36) << "no more than a page at a time";
  }
  EXPECT_TRUE(live.empty());
  EXPECT_GT(pages, 50);
  EXPECT_LT(memory_.bytes_in_use(), 32'768U);
}

TEST_F(SlabTest, AWalkVisitsEachRemainingBlockOnceDespiteChangesBetweenSlices) {
  base::Random random(6);
  for (int round = 0; round < 20; ++round) {
    Slab<4> slab(&pool_);
    std::vector<Handle> blocks;
    const auto allocate = [&] {
      blocks.push_back(
          slab.Allocate(12 + random.Below(6) * 8, static_cast<std::uint8_t>(random.Below(3))));
    };
    for (int i = 0; i < 3'000; ++i) allocate();
    std::set<Handle> staying;
    for (const Handle block : blocks) {
      if (slab.KindOf(block) != 2) staying.insert(block);
    }
    std::map<Handle, int> met;
    Slab<4>::Cursor cursor;
    const auto wants = [](std::uint8_t kind) { return kind != 2; };
    const auto meet = [&](Handle handle) {
      EXPECT_NE(slab.KindOf(handle), 2);
      ++met[handle];
    };
    while (slab.Walk(&cursor, 1 + random.Below(50), wants, meet)) {
      for (std::uint64_t i = random.Below(60); i > 0; --i) {
        if (random.OneIn(3)) {
          allocate();
        } else if (!blocks.empty()) {
          std::swap(blocks[random.Below(blocks.size())], blocks.back());
          staying.erase(blocks.back());
          slab.Free(blocks.back());
          blocks.pop_back();
        }
      }
    }
    EXPECT_GT(staying.size(), 100U);
    for (const Handle block : staying) ASSERT_EQ(met[block], 1);
  }
}

}  // namespace
}  // namespace laurel::core
