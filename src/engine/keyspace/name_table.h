// Boards by name: a hash table whose order is the order of hashes.
//
//   directory   [ 00 | 01 | 10 | 11 ]        by the top bits of the hash
//                  |    |    \___/
//   pages        page page   page            each sorted by hash, up to 128 boards
//
// A look-up reads one directory slot, searches at most 128 hashes and compares one name: about two
// cache misses at any size. A full page splits in two, and a page with few boards joins its buddy,
// so no write touches more than two pages. The order of hashes does not change when pages split, so
// a hash is a scan cursor: a scan visits every board that is present throughout it exactly once.
// About 23 bytes per board.
//
// Rejected: an ordinary hash table, which stops everything to rehash a million names; a tree of
// names (the first version), which compares 17 strings at 100,000 boards.
//
// Invariants: (1) a page of depth d holds exactly the hashes with its d-bit prefix and is in all
// directory slots of that prefix; (2) pages are sorted by hash; (3) size() is the sum of the pages'
// counts. Threads: any number of readers, or one writer alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::engine {

// Base of the objects in the table.
struct Named {
  Named(std::string_view given, std::pmr::memory_resource* memory) : name(given, memory) {}

  std::pmr::string name;
};

class NameTable {
 public:
  // The table does not own the boards.
  NameTable(std::pmr::memory_resource* memory, std::uint64_t hash_seed);
  ~NameTable();
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Named* Find(std::string_view name) const;
  // REQUIRES: the table has no board of that name.
  void Insert(Named* board);
  // REQUIRES: the board is in the table.
  void Erase(const Named* board);

  // Cursors have 52 bits, so that clients that keep numbers in doubles do not round them.
  static constexpr unsigned kCursorBits = 52;
  // Calls visit(board) for the boards from `cursor` on, until at least `count` were visited.
  // Returns the cursor to continue with, 0 at the end. `visit` must not change the table.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, std::size_t count, const Visit& visit) const;

  [[nodiscard]] std::size_t MemoryUsage() const;
  // Checks the invariants. Returns an empty string, or what is broken.
  [[nodiscard]] std::string Validate() const;

 private:
  static constexpr unsigned kPageBoards = 128;

  struct Page {
    unsigned depth = 0;
    unsigned count = 0;
    std::array<std::uint64_t, kPageBoards> hashes;
    std::array<Named*, kPageBoards> boards;
  };

  [[nodiscard]] std::uint64_t HashOf(std::string_view name) const;
  [[nodiscard]] std::size_t SlotOf(std::uint64_t hash) const {
    return depth_ == 0 ? 0 : hash >> (64 - depth_);
  }
  // The index of the first hash in the page that is not less than `hash`.
  static unsigned LowerBound(const Page& page, std::uint64_t hash);
  Page* NewPage(unsigned depth);
  void FreePage(Page* page);
  // Writes the page into all directory slots that share the first `page->depth` bits of `hash`.
  void Publish(Page* page, std::uint64_t hash);
  void Split(std::uint64_t hash);
  void JoinBuddy(std::uint64_t hash);

  std::pmr::memory_resource* memory_;
  std::uint64_t hash_seed_;
  unsigned depth_ = 0;
  std::size_t size_ = 0;
  std::size_t pages_ = 0;
  std::pmr::vector<Page*> directory_;
};

template <typename Visit>
std::uint64_t NameTable::Scan(std::uint64_t cursor, std::size_t count, const Visit& visit) const {
  constexpr unsigned kShift = 64 - kCursorBits;
  const std::uint64_t from = cursor << kShift;
  std::size_t visited = 0;
  std::uint64_t previous = 0;
  for (std::size_t slot = SlotOf(from); slot < directory_.size();) {
    const Page& page = *directory_[slot];
    for (unsigned i = LowerBound(page, from); i < page.count; ++i) {
      const std::uint64_t at = page.hashes[i] >> kShift;
      if (visited >= count && at != previous) return at;
      visit(*page.boards[i]);
      previous = at;
      ++visited;
    }
    const std::size_t covered = std::size_t{1} << (depth_ - page.depth);
    slot = (slot & ~(covered - 1)) + covered;
  }
  return 0;
}

}  // namespace laurel::engine
