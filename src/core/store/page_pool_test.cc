#include "core/store/page_pool.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"

namespace laurel::core {
namespace {

constexpr std::size_t kLoose = kPagesPerExtent;  // pages allocated one by one before extents

class PagePoolTest : public testing::Test {
 protected:
  std::vector<char*> Take(std::size_t count) {
    std::vector<char*> pages;
    for (std::size_t i = 0; i < count; ++i) pages.push_back(pool_.Allocate());
    return pages;
  }
  void Give(const std::vector<char*>& pages) {
    for (char* page : pages) pool_.Free(page);
  }
  // The pages that the pool holds; rounding down drops the pool's own small allocations.
  [[nodiscard]] std::size_t PagesHeld() const { return memory_.bytes_in_use() / kPageBytes; }

  base::CountingMemory memory_{base::SystemMemory()};
  PagePool pool_{&memory_};
};

TEST_F(PagePoolTest, FirstPagesAreAllocatedOneByOne) {
  EXPECT_EQ(memory_.bytes_in_use(), 0U);
  const std::vector<char*> pages = Take(3);
  EXPECT_EQ(memory_.bytes_in_use(), 3 * kPageBytes);
  Give(pages);
  EXPECT_EQ(memory_.bytes_in_use(), 0U);
}

TEST_F(PagePoolTest, FurtherPagesAreAllocatedInExtents) {
  const std::vector<char*> loose = Take(kLoose);
  EXPECT_EQ(PagesHeld(), kLoose);
  std::vector<char*> more = Take(1);
  EXPECT_EQ(PagesHeld(), kLoose + kPagesPerExtent) << "a whole extent for the first of its pages";
  const std::vector<char*> rest = Take(kPagesPerExtent - 1);
  EXPECT_EQ(PagesHeld(), kLoose + kPagesPerExtent) << "which serves the next ones";
  more.insert(more.end(), rest.begin(), rest.end());
  for (const char* page : more) {
    const auto distance = static_cast<std::size_t>(page - more.front());
    EXPECT_LT(distance, kExtentBytes);
    EXPECT_EQ(distance % kPageBytes, 0U);
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(more.front()) % base::kHugePageBytes, 0U);
  Give(loose);
  Give(more);
}

TEST_F(PagePoolTest, PagesAreDistinctAlignedAndKeepTheirContents) {
  const std::vector<char*> pages = Take(3 * kPagesPerExtent);
  EXPECT_EQ(std::set<char*>(pages.begin(), pages.end()).size(), pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages[i]) % 64, 0U);
    std::memset(pages[i], static_cast<int>(i), kPageBytes);
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    EXPECT_EQ(static_cast<unsigned char>(pages[i][0]), i);
    EXPECT_EQ(static_cast<unsigned char>(pages[i][kPageBytes - 1]), i);
  }
  Give(pages);
}

TEST_F(PagePoolTest, AFreedPageOfAnExtentIsTheNextToBeUsed) {
  const std::vector<char*> loose = Take(kLoose);
  const std::vector<char*> pages = Take(kPagesPerExtent);
  pool_.Free(pages[7]);
  const std::size_t held = memory_.bytes_in_use();
  EXPECT_EQ(pool_.Allocate(), pages[7]);
  EXPECT_EQ(memory_.bytes_in_use(), held);
  Give(pages);
  Give(loose);
}

TEST_F(PagePoolTest, EmptyExtentsAreReleasedExceptForOneReserve) {
  const std::vector<char*> loose = Take(kLoose);
  const std::vector<char*> pages = Take(2 * kPagesPerExtent);
  for (std::size_t i = 1; i < pages.size(); ++i) pool_.Free(pages[i]);
  EXPECT_EQ(PagesHeld(), kLoose + 2 * kPagesPerExtent) << "one page in use, one extent as reserve";
  pool_.Free(pages[0]);
  EXPECT_EQ(PagesHeld(), kLoose + kPagesPerExtent);
  pool_.Free(pool_.Allocate());
  EXPECT_EQ(PagesHeld(), kLoose + kPagesPerExtent) << "at the edge nothing is taken and returned";
  Give(loose);
  EXPECT_EQ(PagesHeld(), 0U);
}

TEST_F(PagePoolTest, RandomTrafficGivesDistinctPagesAndReleasesAll) {
  base::Random random(1);
  std::vector<char*> pages;
  std::set<char*> live;
  for (int step = 0; step < 20'000; ++step) {
    const bool growing = step % 4000 < 2000;
    if (pages.empty() || random.Below(10) < (growing ? 6U : 4U)) {
      pages.push_back(pool_.Allocate());
      ASSERT_TRUE(live.insert(pages.back()).second) << "a page was handed out twice";
    } else {
      std::swap(pages[random.Below(pages.size())], pages.back());
      live.erase(pages.back());
      pool_.Free(pages.back());
      pages.pop_back();
    }
    ASSERT_GE(PagesHeld(), pages.size());
  }
  Give(pages);
  EXPECT_LT(memory_.bytes_in_use(), kPageBytes) << "all pages are back";
}

TEST(DirectPagePool, EveryPageComesFromTheMemoryResource) {
  base::CountingMemory memory(base::SystemMemory());
  PagePool pool(&memory, /*direct=*/true);
  std::vector<char*> pages;
  for (std::size_t i = 0; i < 3 * kPagesPerExtent; ++i) {
    pages.push_back(pool.Allocate());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.back()) % 64, 0U);
    EXPECT_EQ(memory.bytes_in_use(), pages.size() * kPageBytes) << "no extents";
  }
  for (; !pages.empty(); pages.pop_back()) pool.Free(pages.back());
  EXPECT_EQ(memory.bytes_in_use(), 0U);
}

}  // namespace
}  // namespace laurel::core
