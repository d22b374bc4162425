#include "engine/keyspace/name_table.h"

#include <algorithm>
#include <new>

#include "base/assert.h"
#include "base/hash.h"

namespace laurel::engine {

NameTable::NameTable(std::pmr::memory_resource* memory, std::uint64_t hash_seed)
    : memory_(memory), hash_seed_(hash_seed), directory_(memory) {
  directory_.push_back(NewPage(0));
}

NameTable::~NameTable() {
  for (std::size_t slot = 0; slot < directory_.size();) {
    Page* page = directory_[slot];
    slot += std::size_t{1} << (depth_ - page->depth);
    FreePage(page);
  }
  LAUREL_ASSERT(pages_ == 0);
}

std::uint64_t NameTable::HashOf(std::string_view name) const {
  return base::HashBytes(name, hash_seed_);
}

unsigned NameTable::LowerBound(const Page& page, std::uint64_t hash) {
  const auto* begin = page.hashes.data();
  return static_cast<unsigned>(std::lower_bound(begin, begin + page.count, hash) - begin);
}

Named* NameTable::Find(std::string_view name) const {
  const std::uint64_t hash = HashOf(name);
  const Page& page = *directory_[SlotOf(hash)];
  for (unsigned i = LowerBound(page, hash); i < page.count && page.hashes[i] == hash; ++i) {
    if (page.boards[i]->name == name) return page.boards[i];
  }
  return nullptr;
}

void NameTable::Insert(Named* board) {
  const std::uint64_t hash = HashOf(board->name);
  while (directory_[SlotOf(hash)]->count == kPageBoards) Split(hash);
  Page& page = *directory_[SlotOf(hash)];
  const unsigned at = LowerBound(page, hash);
  std::copy_backward(&page.hashes[at], &page.hashes[0] + page.count,
                     &page.hashes[0] + page.count + 1);
  std::copy_backward(&page.boards[at], &page.boards[0] + page.count,
                     &page.boards[0] + page.count + 1);
  page.hashes[at] = hash;
  page.boards[at] = board;
  ++page.count;
  ++size_;
}

void NameTable::Erase(const Named* board) {
  const std::uint64_t hash = HashOf(board->name);
  Page& page = *directory_[SlotOf(hash)];
  unsigned at = LowerBound(page, hash);
  while (at < page.count && page.boards[at] != board) ++at;
  LAUREL_ASSERT(at < page.count);
  std::copy(&page.hashes[0] + at + 1, &page.hashes[0] + page.count, &page.hashes[at]);
  std::copy(&page.boards[0] + at + 1, &page.boards[0] + page.count, &page.boards[at]);
  --page.count;
  --size_;
  if (page.count < kPageBoards / 8) JoinBuddy(hash);
}

NameTable::Page* NameTable::NewPage(unsigned depth) {
  Page* page = new (memory_->allocate(sizeof(Page), alignof(Page))) Page;
  page->depth = depth;
  ++pages_;
  return page;
}

void NameTable::FreePage(Page* page) {
  LAUREL_ASSERT(pages_ > 0);
  memory_->deallocate(page, sizeof(Page), alignof(Page));
  --pages_;
}

void NameTable::Publish(Page* page, std::uint64_t hash) {
  LAUREL_ASSERT(page->depth <= depth_);  // invariant 1
  const std::size_t covered = std::size_t{1} << (depth_ - page->depth);
  const std::size_t first = SlotOf(hash) & ~(covered - 1);
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(first), covered, page);
}

void NameTable::Split(std::uint64_t hash) {
  Page* low = directory_[SlotOf(hash)];
  if (low->depth == depth_) {
    LAUREL_ASSERT(depth_ < 48);  // with a seeded hash, 128 names never share a 48-bit prefix
    directory_.resize(directory_.size() * 2);
    for (std::size_t i = directory_.size(); i-- > 0;) directory_[i] = directory_[i / 2];
    ++depth_;
  }
  Page* high = NewPage(++low->depth);
  const std::uint64_t bit = std::uint64_t{1} << (64 - low->depth);
  const std::uint64_t boundary = (hash & ~(bit - 1)) | bit;  // the lowest hash of the upper half
  const unsigned kept = LowerBound(*low, boundary);
  high->count = low->count - kept;
  std::copy_n(&low->hashes[0] + kept, high->count, &high->hashes[0]);
  std::copy_n(&low->boards[0] + kept, high->count, &high->boards[0]);
  low->count = kept;
  Publish(high, boundary);
}

void NameTable::JoinBuddy(std::uint64_t hash) {
  Page* page = directory_[SlotOf(hash)];
  if (page->depth == 0) return;
  const std::uint64_t bit = std::uint64_t{1} << (64 - page->depth);
  Page* low = directory_[SlotOf(hash & ~bit)];
  Page* high = directory_[SlotOf(hash | bit)];
  if (low->depth != high->depth || low->count + high->count > kPageBoards / 2) return;
  std::copy_n(&high->hashes[0], high->count, &low->hashes[0] + low->count);
  std::copy_n(&high->boards[0], high->count, &low->boards[0] + low->count);
  low->count += high->count;
  --low->depth;
  FreePage(high);
  Publish(low, hash);
}

std::size_t NameTable::MemoryUsage() const {
  return pages_ * sizeof(Page) + directory_.capacity() * sizeof(void*);
}

std::string NameTable::Validate() const {
  std::size_t boards = 0;
  for (std::size_t slot = 0; slot < directory_.size();) {
    const Page& page = *directory_[slot];
    if (page.depth > depth_) return "name table: a page deeper than the directory";
    const std::size_t covered = std::size_t{1} << (depth_ - page.depth);
    for (std::size_t i = 0; i < covered; ++i) {
      if (directory_[slot + i] != &page) return "name table: a page is not in all its slots";
    }
    for (unsigned i = 0; i < page.count; ++i) {
      if (page.hashes[i] != HashOf(page.boards[i]->name)) return "name table: a wrong hash";
      if (directory_[SlotOf(page.hashes[i])] != &page) return "name table: a name in a wrong page";
      if (i > 0 && page.hashes[i - 1] > page.hashes[i]) return "name table: out of order";
    }
    boards += page.count;
    slot += covered;
  }
  return boards == size_ ? "" : "name table: a wrong size";
}

}  // namespace laurel::engine
