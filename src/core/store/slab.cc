#include "core/store/slab.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/bytes.h"

namespace laurel::core {
namespace {

constexpr std::size_t kFirstPageBytes = 512;

std::uint64_t* BitsOf(char* page) { return reinterpret_cast<std::uint64_t*>(page); }

std::size_t BitWords(std::size_t slots) { return (slots + 63) / 64; }

}  // namespace

template <std::size_t kUnitBytes>
Slab<kUnitBytes>::Slab(PagePool* pool)
    : pool_(pool),
      pages_(pool->memory()),
      infos_(pool->memory()),
      free_pages_(pool->memory()),
      classes_(pool->memory()),
      class_of_(pool->memory()) {
  pages_.resize(1);
  infos_.resize(1);
}

template <std::size_t kUnitBytes>
Slab<kUnitBytes>::~Slab() {
  while (FreeOnePage([](Handle) {})) {
  }
}

template <std::size_t kUnitBytes>
Handle Slab<kUnitBytes>::Allocate(std::size_t bytes, std::uint8_t kind) {
  LAUREL_ASSERT(bytes > 0 && bytes <= kMaxBlockBytes && kind < kKinds);
  const std::size_t units = (bytes + kUnitBytes - 1) / kUnitBytes;
  const std::uint16_t size_class = ClassOf(units, kind);
  std::uint32_t page = classes_[size_class].with_room;
  if (page == kNoPage) {
    page = AddPage(size_class, units, kind);
    if (page == kNoPage) return kNoHandle;
  }
  PageInfo& info = infos_[page];
  std::uint64_t* bits = BitsOf(pages_[page].base);
  std::size_t word = info.full_words;
  while (bits[word] == ~std::uint64_t{0}) ++word;
  info.full_words = static_cast<std::uint16_t>(word);
  const int bit = std::countr_one(bits[word]);
  bits[word] |= std::uint64_t{1} << bit;
  const std::size_t slot = word * 64 + bit;
  LAUREL_ASSERT(slot < info.slots);
  ++blocks_;
  if (++info.used == info.slots) Unlink(page);
  return HandleOf(page, slot);
}

template <std::size_t kUnitBytes>
void Slab<kUnitBytes>::Free(Handle handle) {
  const std::uint32_t page = handle >> kOffsetBits;
  PageInfo& info = infos_[page];
  const std::size_t offset = (handle & kOffsetMask) - info.first_unit;
  const std::size_t slot = offset / info.slot_units;
  std::uint64_t& bits = BitsOf(pages_[page].base)[slot / 64];
  LAUREL_ASSERT(slot * info.slot_units == offset && ((bits >> (slot % 64)) & 1) != 0);
  bits &= ~(std::uint64_t{1} << (slot % 64));
  info.full_words = std::min(info.full_words, static_cast<std::uint16_t>(slot / 64));
  --blocks_;
  if (info.used-- == info.slots) LinkWithRoom(page);
  if (info.used == 0) {
    Unlink(page);
    ReleasePage(page);
  }
}

template <std::size_t kUnitBytes>
std::uint16_t Slab<kUnitBytes>::ClassOf(std::size_t slot_units, std::uint8_t kind) {
  const std::size_t key = slot_units * kKinds + kind;
  if (key >= class_of_.size()) class_of_.resize(key + 1);
  if (class_of_[key] == 0) {
    classes_.emplace_back();
    class_of_[key] = static_cast<std::uint16_t>(classes_.size());
  }
  return class_of_[key] - 1;
}

template <std::size_t kUnitBytes>
std::uint32_t Slab<kUnitBytes>::AddPage(std::uint16_t size_class, std::size_t slot_units,
                                        std::uint8_t kind) {
  if (free_pages_.empty() && pages_.size() == kMaxPages) return kNoPage;

  // An eighth of what the class holds, at least one slot, at most 64 KiB.
  const std::size_t slot_bytes = slot_units * kUnitBytes;
  const std::size_t wanted =
      std::max({kFirstPageBytes, classes_[size_class].bytes / 8, slot_bytes});
  std::size_t slots = wanted / slot_bytes;
  const auto first_unit = [](std::size_t count) {
    return (BitWords(count) * 8 + kUnitBytes - 1) / kUnitBytes;
  };
  std::size_t bytes = first_unit(slots) * kUnitBytes + slots * slot_bytes;
  if (bytes > kPageBytes / 2) {
    bytes = kPageBytes;
    slots = kPageBytes / slot_bytes;
    while (first_unit(slots) * kUnitBytes + slots * slot_bytes > kPageBytes) --slots;
  }

  LAUREL_ASSERT(slots > 0 && first_unit(slots) + slots * slot_units <= kUnitsPerPage);
  std::uint32_t page = 0;
  if (free_pages_.empty()) {
    page = static_cast<std::uint32_t>(pages_.size());
    pages_.emplace_back();
    infos_.emplace_back();
  } else {
    page = free_pages_.back();
    free_pages_.pop_back();
  }
  char* base = bytes == kPageBytes
                   ? pool_->Allocate()
                   : static_cast<char*>(pool_->memory()->allocate(bytes, kAlignment));
  std::fill_n(BitsOf(base), BitWords(slots), std::uint64_t{0});
  pages_[page] = PageRef{base, kind};
  PageInfo& info = infos_[page];
  info = PageInfo{};
  info.bytes = static_cast<std::uint32_t>(bytes);
  info.slots = static_cast<std::uint16_t>(slots);
  info.slot_units = static_cast<std::uint16_t>(slot_units);
  info.first_unit = static_cast<std::uint16_t>(first_unit(slots));
  info.size_class = size_class;
  classes_[size_class].bytes += bytes;
  page_bytes_ += bytes;
  LinkWithRoom(page);
  return page;
}

template <std::size_t kUnitBytes>
void Slab<kUnitBytes>::ReleasePage(std::uint32_t page) {
  ReleaseMemory(page);
  free_pages_.push_back(page);
}

template <std::size_t kUnitBytes>
void Slab<kUnitBytes>::ReleaseMemory(std::uint32_t page) {
  const std::size_t bytes = infos_[page].bytes;
  LAUREL_ASSERT(pages_[page].base != nullptr && bytes <= page_bytes_);
  if (bytes == kPageBytes) {
    pool_->Free(pages_[page].base);
  } else {
    pool_->memory()->deallocate(pages_[page].base, bytes, kAlignment);
  }
  classes_[infos_[page].size_class].bytes -= bytes;
  page_bytes_ -= bytes;
  pages_[page] = PageRef{};
  infos_[page] = PageInfo{};
}

template <std::size_t kUnitBytes>
void Slab<kUnitBytes>::LinkWithRoom(std::uint32_t page) {
  SizeClass& size_class = classes_[infos_[page].size_class];
  infos_[page].next = size_class.with_room;
  infos_[page].previous = kNoPage;
  if (size_class.with_room != kNoPage) infos_[size_class.with_room].previous = page;
  size_class.with_room = page;
}

template <std::size_t kUnitBytes>
void Slab<kUnitBytes>::Unlink(std::uint32_t page) {
  const PageInfo& info = infos_[page];
  if (info.previous != kNoPage) {
    infos_[info.previous].next = info.next;
  } else {
    classes_[info.size_class].with_room = info.next;
  }
  if (info.next != kNoPage) infos_[info.next].previous = info.previous;
}

template <std::size_t kUnitBytes>
std::uint32_t Slab<kUnitBytes>::LastPage() {
  while (pages_.size() > 1 && pages_.back().base == nullptr) {
    pages_.pop_back();
    infos_.pop_back();
  }
  return static_cast<std::uint32_t>(pages_.size() - 1);
}

template <std::size_t kUnitBytes>
std::size_t Slab<kUnitBytes>::MemoryUsage() const {
  return page_bytes_ + pages_.capacity() * sizeof(PageRef) + infos_.capacity() * sizeof(PageInfo) +
         free_pages_.capacity() * sizeof(std::uint32_t) + classes_.capacity() * sizeof(SizeClass) +
         class_of_.capacity() * sizeof(std::uint16_t);
}

template class Slab<4>;
template class Slab<64>;

}  // namespace laurel::core
