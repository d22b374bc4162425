#include "core/store/page_pool.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/memory.h"

namespace laurel::core {
namespace {

constexpr std::size_t kPageAlignment = 64;  // a cache line

}  // namespace

PagePool::~PagePool() {
  LAUREL_ASSERT(loose_ == 0 && extents_.empty());
  LAUREL_ASSERT(used_ == 0 && spare_ == 0);
}

char* PagePool::Allocate() {
  if (direct_) return static_cast<char*>(memory_->allocate(kPageBytes, kPageAlignment));
  ++used_;
  if (spare_ == 0) {
    if (loose_ < kLoosePages) {
      ++loose_;
      return static_cast<char*>(memory_->allocate(kPageBytes, kPageAlignment));
    }
    auto* base = static_cast<char*>(memory_->allocate(kExtentBytes, base::kHugePageBytes));
    const auto after = std::find_if(extents_.begin(), extents_.end(),
                                    [base](const Extent& extent) { return extent.base > base; });
    extents_.insert(after, Extent{base, ~std::uint32_t{0}});
    spare_ += kPagesPerExtent;
  }
  for (Extent& extent : extents_) {
    if (extent.free == 0) continue;
    const int page = std::countr_zero(extent.free);
    extent.free &= extent.free - 1;
    --spare_;
    return extent.base + page * kPageBytes;
  }
  LAUREL_ASSERT(false);
  return nullptr;
}

void PagePool::Free(char* page) {
  if (direct_) return memory_->deallocate(page, kPageBytes, kPageAlignment);
  LAUREL_ASSERT(used_ > 0);
  --used_;
  auto extent = std::upper_bound(extents_.begin(), extents_.end(), page,
                                 [](char* p, const Extent& e) { return p < e.base; });
  if (extent == extents_.begin() || page >= (extent - 1)->base + kExtentBytes) {
    LAUREL_ASSERT(loose_ > 0);
    --loose_;
    memory_->deallocate(page, kPageBytes, kPageAlignment);
  } else {
    --extent;
    const auto offset = static_cast<std::size_t>(page - extent->base);
    const std::uint32_t bit = std::uint32_t{1} << (offset / kPageBytes);
    LAUREL_ASSERT(offset % kPageBytes == 0 && (extent->free & bit) == 0);
    extent->free |= bit;
    ++spare_;
  }
  if (used_ == 0) {
    ReleaseEmptyExtents(0);
  } else if (spare_ >= 2 * kPagesPerExtent) {
    ReleaseEmptyExtents(kPagesPerExtent);
  }
}

void PagePool::ReleaseEmptyExtents(std::size_t keep_spare) {
  std::erase_if(extents_, [&](const Extent& extent) {
    if (extent.free != ~std::uint32_t{0} || spare_ < keep_spare + kPagesPerExtent) return false;
    memory_->deallocate(extent.base, kExtentBytes, base::kHugePageBytes);
    spare_ -= kPagesPerExtent;
    return true;
  });
}

}  // namespace laurel::core
