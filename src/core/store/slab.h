// An allocator of many small blocks, each identified by a 32-bit handle.
//
//   handle   [ page number | offset in units ]     0 is no block
//   page     [ one bit per slot: in use | slot 0 | slot 1 | … ]
//
// All slots of a page have one size and one kind (a number that the owner chooses), so cells need
// no header for their kind. The first pages of a size are small; later pages are an eighth of what
// the size already holds, from 512 bytes up to 64 KiB (those come from the PagePool). So both a
// board of 100 entries and one of 100 million waste little. A page whose last used slot is freed is
// released.
//
// Blocks never move. Cost per block: one bit, and the unused end of each size's last page.
//
// Rejected: malloc per cell (16 bytes of overhead and rounding where 36 are stored, 64-bit
// pointers in leaves and index); one free list threaded through the blocks (cannot distinguish live
// slots from free ones, which walking the slots in order needs).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/store/page_pool.h"

namespace laurel::core {

using Handle = std::uint32_t;
inline constexpr Handle kNoHandle = 0;

// kUnitBytes: block sizes are multiples of it, and blocks are aligned to it. 4 for cells (at most
// 16 GiB of them), 64 for nodes.
template <std::size_t kUnitBytes>
class Slab {
 public:
  static constexpr std::size_t kMaxBlockBytes = kPageBytes / 8;
  // Blocks of one size take at most kSmallPages pages, because the first pages are small, and one
  // more page for each kFullPageBytes of blocks.
  static constexpr std::size_t kSmallPages = 64;
  static constexpr std::size_t kFullPageBytes = kPageBytes - kMaxBlockBytes;

  explicit Slab(PagePool* pool);
  ~Slab();
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  // Allocates a block of at least `bytes`, uninitialised. Returns kNoHandle if no handle is left.
  // REQUIRES: 0 < bytes <= kMaxBlockBytes.
  [[nodiscard]] Handle Allocate(std::size_t bytes, std::uint8_t kind = 0);
  void Free(Handle handle);

  [[nodiscard]] char* At(Handle handle) const {
    return pages_[handle >> kOffsetBits].base + (handle & kOffsetMask) * kUnitBytes;
  }
  [[nodiscard]] std::uint8_t KindOf(Handle handle) const {
    return pages_[handle >> kOffsetBits].kind;
  }

  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  // How many more pages the slab can have: page numbers are limited. A block needs at most one new
  // page.
  [[nodiscard]] std::size_t PagesLeft() const {
    return kMaxPages - pages_.size() + free_pages_.size();
  }
  [[nodiscard]] std::size_t MemoryUsage() const;

  // A position of a walk over the blocks, in order of page number and slot.
  struct Cursor {
    std::uint32_t page = 1;
    std::uint32_t slot = 0;
  };
  // Calls visit(handle) for the blocks from the cursor on, and advances the cursor. Skips pages for
  // whose kind wants(kind) is false. Stops after `limit` blocks and pages in total. Returns false
  // at the end. Blocks may be allocated and freed between calls; a block that exists throughout the
  // walk is visited once.
  template <typename Wants, typename Visit>
  bool Walk(Cursor* cursor, std::size_t limit, const Wants& wants, const Visit& visit) const;

  // Frees all blocks of one page, after calling `visit` with the handle of each. Returns false if
  // no page is left. For dropping a huge board in slices: afterwards only this function,
  // MemoryUsage and the destructor may be called.
  template <typename Visit>
  bool FreeOnePage(const Visit& visit) {
    const std::uint32_t page = LastPage();
    if (page == kNoPage) return false;
    const PageInfo& info = infos_[page];
    const auto* bits = reinterpret_cast<const std::uint64_t*>(pages_[page].base);
    for (std::uint32_t slot = 0; slot < info.slots; ++slot) {
      if (((bits[slot / 64] >> (slot % 64)) & 1) != 0) visit(HandleOf(page, slot));
    }
    blocks_ -= info.used;
    ReleaseMemory(page);
    return true;
  }

 private:
  static constexpr std::size_t kUnitsPerPage = kPageBytes / kUnitBytes;
  static constexpr unsigned kOffsetBits = kUnitBytes == 4 ? 14 : 10;
  static constexpr Handle kOffsetMask = (Handle{1} << kOffsetBits) - 1;
  static_assert(kUnitsPerPage == std::size_t{1} << kOffsetBits);
  static constexpr std::uint32_t kMaxPages = std::uint32_t{1} << (32 - kOffsetBits);
  static constexpr std::uint32_t kNoPage = 0;  // page 0 is never used, so handle 0 is no block
  static constexpr std::size_t kAlignment = kUnitBytes == 4 ? 8 : kUnitBytes;  // of small pages
  static constexpr std::size_t kKinds = kUnitBytes == 4 ? 16 : 1;
  // Pages count slots and units in 16 bits, and handles reach 2^32 units.
  static_assert(kUnitsPerPage <= UINT16_MAX);
  static_assert((kMaxBlockBytes / kUnitBytes + 1) * kKinds <= UINT16_MAX, "size classes");
  static_assert(std::size_t{kMaxPages} * kPageBytes == std::size_t{kUnitBytes} << 32);

  struct PageRef {  // only what every access needs
    char* base = nullptr;
    std::uint8_t kind = 0;
  };
  struct PageInfo {
    std::uint32_t bytes = 0;
    std::uint16_t slots = 0;
    std::uint16_t used = 0;
    std::uint16_t slot_units = 0;
    std::uint16_t first_unit = 0;  // of slot 0, after the bits
    std::uint16_t full_words = 0;  // the first full_words words of bits have no free slot
    std::uint16_t size_class = 0;
    std::uint32_t next = kNoPage;  // in the size class's list of pages with room
    std::uint32_t previous = kNoPage;
  };
  struct SizeClass {
    std::uint32_t with_room = kNoPage;
    std::size_t bytes = 0;  // of all its pages
  };

  std::uint16_t ClassOf(std::size_t slot_units, std::uint8_t kind);
  std::uint32_t AddPage(std::uint16_t size_class, std::size_t slot_units, std::uint8_t kind);
  void ReleasePage(std::uint32_t page);
  void ReleaseMemory(std::uint32_t page);
  std::uint32_t LastPage();
  [[nodiscard]] Handle HandleOf(std::uint32_t page, std::size_t slot) const {
    const PageInfo& info = infos_[page];
    return static_cast<Handle>((page << kOffsetBits) | (info.first_unit + slot * info.slot_units));
  }
  void LinkWithRoom(std::uint32_t page);
  void Unlink(std::uint32_t page);

  PagePool* pool_;
  std::pmr::vector<PageRef> pages_;
  std::pmr::vector<PageInfo> infos_;
  std::pmr::vector<std::uint32_t> free_pages_;  // page numbers to reuse
  std::pmr::vector<SizeClass> classes_;
  std::pmr::vector<std::uint16_t> class_of_;  // by size in units and kind: 1 + index into classes_
  std::size_t blocks_ = 0;
  std::size_t page_bytes_ = 0;
};

template <std::size_t kUnitBytes>
template <typename Wants, typename Visit>
bool Slab<kUnitBytes>::Walk(Cursor* cursor, std::size_t limit, const Wants& wants,
                            const Visit& visit) const {
  for (; cursor->page < pages_.size(); ++cursor->page, cursor->slot = 0) {
    if (limit == 0) return true;
    const auto* bits = reinterpret_cast<const std::uint64_t*>(pages_[cursor->page].base);
    const bool wanted = bits != nullptr && wants(pages_[cursor->page].kind);
    const std::uint32_t slots = wanted ? infos_[cursor->page].slots : 0;
    while (cursor->slot < slots) {
      const std::uint64_t left = bits[cursor->slot / 64] >> (cursor->slot % 64);
      if (left == 0) {
        cursor->slot = (cursor->slot / 64 + 1) * 64;
        continue;
      }
      if (limit == 0) return true;
      --limit;
      cursor->slot += static_cast<std::uint32_t>(std::countr_zero(left));
      visit(HandleOf(cursor->page, cursor->slot++));
    }
    if (limit > 0) --limit;
  }
  return false;
}

extern template class Slab<4>;
extern template class Slab<64>;

}  // namespace laurel::core
