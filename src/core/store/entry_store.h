// The visible entries of a board, in order: packed while they are few, cells with a member index
// and a rank tree when they are many.
//
// The change of form happens on the way: above Shape::packed_entries (or 4 KiB) upwards, at three
// eighths of that downwards. Both forms answer the same questions; nobody above knows which it is.
//
// EraseRange removes any number of entries in O(log n): it cuts them out of the tree. Their cells
// stay in the cell store and in the member index until they are swept, some with every write and
// the rest by Environment::Reclaim. As long as such *dead* cells are left, an entry that was
// found by its member or by its slot is looked up in the tree as well: it is there if and only if
// the tree has it. The alternative, a bit in each cell, would have to be set on every cell that
// goes.
//
// Thread rule: readers may share, a writer is alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/cell_store.h"
#include "core/store/environment.h"
#include "core/store/member_index.h"
#include "core/store/packed_entries.h"
#include "core/store/rank_tree.h"

namespace laurel::core {

// An entry of a store, valid until the next change: a cell's handle, or 1 + the place in the
// packed form. 0 is none.
using Location = std::uint32_t;
inline constexpr Location kNowhere = 0;

class EntryStore {
 public:
  static constexpr unsigned kBatch = RankTree::kBatch;

  // Both outlive the store.
  EntryStore(const KeyLayout* layout, Environment* environment);
  ~EntryStore();

  [[nodiscard]] std::uint64_t size() const;

  [[nodiscard]] Location Find(const MemberKey& member) const;
  // Up to kBatch of them, with memory fetched ahead.
  void FindMany(std::span<const MemberKey> members, Location* locations) const;

  // A number that changes whenever locations found before may have become void.
  [[nodiscard]] std::uint32_t generation() const { return generation_; }

  void Read(Location location, EntryView* view) const;
  [[nodiscard]] Words WordsAt(Location location) const;
  [[nodiscard]] std::string_view MetaAt(Location location) const;

  // The number of entries before it. `way`: null, or one that was found ahead.
  [[nodiscard]] std::uint64_t IndexOf(Location location,
                                      const RankTree::Route* way = nullptr) const;
  // Up to kBatch of them. REQUIRES: none of them is kNowhere.
  void IndexOfMany(std::span<const Location> locations, std::uint64_t* indexes) const;

  // What is known of a write before it is executed: where its entry is, and the ways to its old and
  // its new place. What an earlier write has made stale is found out.
  struct Ahead {
    Location location = kNowhere;
    RankTree::Route from;
    RankTree::Route to;
  };
  // Finds the ways of up to kBatch writes at once. The caller has set location, from.probe (if the
  // entry is there) and to.probe.
  void FindWays(std::span<Ahead> writes) const;

  // REQUIRES: index < size().
  [[nodiscard]] Location At(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t CountBefore(const Probe& probe) const;
  // The number of distinct scores among the first `count` entries.
  [[nodiscard]] std::uint64_t DistinctScores(std::uint64_t count) const;

  // Calls visit(view) for `count` entries from `first` on, upwards or backward, until it returns
  // false.
  template <typename Visit>
  void ForRange(std::uint64_t first, std::uint64_t count, bool backward, const Visit& visit) const;

  // Calls visit(view) for some entries whose member's hash is at or above `cursor`; returns the
  // cursor to go on with, 0 at the end. See MemberIndex::Scan.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, const Visit& visit) const;

  // A walk over all entries in any order, in slices between which the store may change.
  struct WalkCursor {
    std::uint32_t form = 0;  // that the walk began in
    bool begun = false;
    CellStore::Cursor place;
  };
  enum class WalkState : std::uint8_t {
    kMore,
    kDone,
    kVoid,  // the entries have been stored anew since the walk began: it must begin again
  };
  // Calls visit(view) for about `limit` entries from the cursor on; of the packed form for all. A
  // walk that comes to kDone has met every entry that was there throughout and not written to.
  template <typename Visit>
  WalkState Walk(WalkCursor* cursor, std::size_t limit, const Visit& visit) const;

  // `ahead` may be null. REQUIRES: the member is absent.
  void Insert(const MemberKey& member, const Words& words, std::string_view meta,
              const Ahead* ahead = nullptr);
  // REQUIRES: the member is at `location`; neither view points into this store.
  void Update(Location location, const MemberKey& member, const Words& words, std::string_view meta,
              const Ahead* ahead = nullptr);
  void Erase(Location location, const MemberKey& member);
  // Removes `count` entries from `first` on in O(log n). REQUIRES: they are there.
  void EraseRange(std::uint64_t first, std::uint64_t count);
  // In O(1); the memory of many entries is left to Environment::Reclaim.
  void Clear();
  // Takes over all entries of the other store. REQUIRES: this one is empty; both have the same
  // layout and environment.
  void TakeFrom(EntryStore* other);

  // Bulk load, entry by entry in any order; of a member that comes repeatedly the last entry stays.
  // Entries that come in order are not sorted again. All that has been added, the replaced entries
  // too, is kept until Finish builds index and tree at once; nothing else may be asked of the store
  // in between but HasRoom and Clear. Besides the store's own memory it takes 4 bytes per entry,
  // and 32 more while it sorts.
  // REQUIRES: the store is empty when the loader is made.
  class Loader {
   public:
    explicit Loader(EntryStore* store) : store_(store) {}
    // False if there is no room left; the store is to be cleared then.
    [[nodiscard]] bool Add(const MemberKey& member, const Words& words, std::string_view meta);
    [[nodiscard]] std::size_t size() const { return cells_.size(); }
    // The two long parts of Finish, which does what of them was not done. After the last Add they
    // may run on two threads at once.
    void Index();
    void Sort();
    void Finish();

   private:
    // False if the entry does not fit into the packed form; no entry of the member is there then.
    bool AddPacked(const MemberKey& member, const Words& words, std::string_view meta);
    // Whether the new entry follows the last cell.
    [[nodiscard]] bool InOrder(const MemberKey& member, const Words& words) const;
    // Takes those that were replaced out of the order, and destroys them.
    void DestroyReplaced();

    EntryStore* store_;
    std::vector<std::uint32_t> packed_hashes_;  // of the members in the packed form
    std::vector<Handle> cells_;                 // as they came
    std::vector<Handle> replaced_;              // by a later one of the same member
    std::vector<Handle> order_;                 // sorted
    bool indexed_ = false;
    bool ordered_ = false;
    bool sorted_ = true;
    Words last_{};  // no entry is behind this, as long as they are sorted
  };

  // Whether one write, however large, is sure to find room for its cell and meta.
  [[nodiscard]] bool HasRoom() const { return HasRoom(1, 0); }
  // The same for `writes` writes, with `bytes` of members and meta in total.
  [[nodiscard]] bool HasRoom(std::size_t writes, std::size_t bytes) const;
  [[nodiscard]] std::size_t MemoryUsage() const;
  [[nodiscard]] std::string Validate() const;
  // Share of leaf slots in use, for the bench; 0 in the packed form.
  [[nodiscard]] double LeafFill() const;

 private:
  struct Large;
  struct LargeDeleter {
    void operator()(Large* large) const;
  };
  class Retired;

  // Where the probe stands to an entry of the packed form.
  [[nodiscard]] int Compare(const Probe& probe, const EntryView& view) const;
  [[nodiscard]] unsigned PackedLowerBound(const Probe& probe) const;
  void ReadCell(Handle handle, EntryView* view) const;
  // Turns the packed entries into cells, in order; index and tree are the caller's to build.
  std::vector<Handle> Unpack();
  // Enters the cells into the empty index; returns those that a later one of the same member
  // replaces.
  std::vector<Handle> IndexCells(std::span<const Handle> cells);
  // Goes back to the packed form if few entries are left. Whether their bytes fit is found out by
  // trying: not at `every_count`, or a few large members would be copied at every erase.
  void PackIfSmall(bool every_count = false);
  // Gives up the large form: frees it, or leaves it to Environment::Reclaim.
  void RetireLarge();
  [[nodiscard]] bool IsLive(Handle cell) const;
  void InsertLarge(const MemberKey& member, const Words& words, std::string_view meta,
                   const Ahead* ahead);

  const KeyLayout* layout_;
  Environment* environment_;
  PackedEntries packed_;
  std::unique_ptr<Large, LargeDeleter> large_;
  std::uint32_t generation_ = 0;
  std::uint32_t form_ = 0;  // changes when all entries are stored anew
};

// The form of many entries. As a leftover it is what a sweep of its dead cells is left to do.
struct EntryStore::Large final : Leftover {
  Large(const KeyLayout* layout, Environment* environment, std::uint32_t generation);
  ~Large() override;

  [[nodiscard]] bool has_dead() const { return dead > 0; }
  // Cuts the entries off; they are dead now.
  void Cut(std::uint64_t first, std::uint64_t count);
  // Frees up to `most` dead cells, and returns how many.
  std::size_t Sweep(std::size_t most);
  std::size_t FreeSome(std::size_t entries) override;
  [[nodiscard]] std::size_t MemoryUsage() const override;
  // Frees a page of what is no longer in use at all; false when all is gone.
  bool FreePage();

  Environment* environment;
  CellStore cells;
  Slab<64> nodes;
  MemberIndex index;
  RankTree tree;
  RankTree::Cuttings cuttings;  // what holds the dead cells
  std::uint64_t dead = 0;       // cells
  bool is_leftover = false;     // the environment knows of them
};

inline std::uint64_t EntryStore::size() const {
  return large_ ? large_->tree.size() : packed_.size();
}

inline bool EntryStore::IsLive(Handle cell) const {
  return !large_->has_dead() || large_->tree.Contains(cell);
}

template <typename Visit>
void EntryStore::ForRange(std::uint64_t first, std::uint64_t count, bool backward,
                          const Visit& visit) const {
  EntryView view;
  if (large_) {
    large_->tree.ForRange(first, count, backward, [&](Handle handle) {
      ReadCell(handle, &view);
      return visit(view);
    });
    return;
  }
  if (first >= packed_.size()) return;
  std::array<const char*, PackedEntries::kMaxBytes / 2> starts;  // an entry has at least 2 bytes
  unsigned known = 0;
  for (const char* at = packed_.begin(); at != packed_.end(); at = packed_.Read(at, &view)) {
    starts[known++] = at;
  }
  for (std::uint64_t i = first; count > 0 && i < known; --count, backward ? --i : ++i) {
    packed_.Read(starts[i], &view);
    if (!visit(view)) return;
  }
}

template <typename Visit>
EntryStore::WalkState EntryStore::Walk(WalkCursor* cursor, std::size_t limit,
                                       const Visit& visit) const {
  if (!cursor->begun) *cursor = {.form = form_, .begun = true, .place = {}};
  if (cursor->form != form_) return WalkState::kVoid;
  EntryView view;
  if (large_) {
    const bool more = large_->cells.Walk(&cursor->place, limit, [&](Handle handle) {
      if (!IsLive(handle)) return;
      ReadCell(handle, &view);
      visit(view);
    });
    return more ? WalkState::kMore : WalkState::kDone;
  }
  for (const char* at = packed_.begin(); at != packed_.end();) {
    at = packed_.Read(at, &view);
    visit(view);
  }
  return WalkState::kDone;
}

template <typename Visit>
std::uint64_t EntryStore::Scan(std::uint64_t cursor, const Visit& visit) const {
  EntryView view;
  if (large_) {
    return large_->index.Scan(cursor, [&](Handle handle, std::uint64_t) {
      if (!IsLive(handle)) return;
      ReadCell(handle, &view);
      visit(view);
    });
  }
  for (const char* at = packed_.begin(); at != packed_.end();) {
    at = packed_.Read(at, &view);
    if (MemberKey(view.member).Hash(environment_->hash_seed()) >= cursor) visit(view);
  }
  return 0;
}

}  // namespace laurel::core
