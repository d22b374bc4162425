#include "base/memory.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace laurel::base {
namespace {

bool IsMapped(void* block) {
  unsigned char resident = 0;
  return mincore(block, 1, &resident) == 0 || errno != ENOMEM;
}

// With an alignment above that of the kernel's mappings, more is mapped and both ends are cut off.
TEST(SystemMemoryTest, LargeBlocksAreAlignedAndDoNotOverlap) {
  for (const std::size_t alignment : {kHugePageBytes, 4 * kHugePageBytes}) {
    std::vector<char*> blocks;
    for (int i = 0; i < 8; ++i) {
      auto* block = static_cast<char*>(SystemMemory()->allocate(kHugePageBytes, alignment));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
      std::memset(block, i + 1, kHugePageBytes);
      blocks.push_back(block);
    }
    for (int i = 0; i < 8; ++i) {
      const char* block = blocks[static_cast<std::size_t>(i)];
      EXPECT_EQ(block[0], i + 1);
      EXPECT_EQ(block[kHugePageBytes - 1], i + 1);
    }
    for (char* block : blocks) SystemMemory()->deallocate(block, kHugePageBytes, alignment);
  }
}

// Addresses that stay mapped would keep the advice to use huge pages for later blocks of malloc.
TEST(SystemMemoryTest, LargeBlocksAreUnmappedWhenFreed) {
  std::vector<char*> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(
        static_cast<char*>(SystemMemory()->allocate(kHugePageBytes + 1, kHugePageBytes)));
    EXPECT_TRUE(IsMapped(blocks.back() + kHugePageBytes));
  }
  for (char* block : blocks) {
    SystemMemory()->deallocate(block, kHugePageBytes + 1, kHugePageBytes);
    EXPECT_FALSE(IsMapped(block));
    EXPECT_FALSE(IsMapped(block + kHugePageBytes));
  }
}

}  // namespace
}  // namespace laurel::base
