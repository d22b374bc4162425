// The visible entries of standings, in order. Few entries are in the packed form; many are in the
// large form: cells with a member index and a rank tree.
//
// The store changes its form by itself: to the large form above Shape::packed_entries entries (or 4
// KiB), and back at three eighths of that count (and half of the bytes). Callers do not see which
// form it has.
//
// EraseRange removes any number of entries in O(log n): it cuts them out of the tree. Their cells
// stay in the cell store and in the member index until they are swept: a few by every write, the
// rest by Environment::Reclaim. While such *dead* cells are left, a cell that was found by member
// or by slot is also looked up in the tree: the entry exists if and only if the tree has it. The
// alternative, a bit in each cell, was rejected: EraseRange would have to set it on every cell.
//
// Threads: concurrent reads are allowed; a write needs exclusive access.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "core/store/cell_store.h"
#include "core/store/environment.h"
#include "core/store/member_index.h"
#include "core/store/packed_entries.h"
#include "core/store/rank_tree.h"

namespace laurel::core {

// Identifies an entry of a store until the next change: a cell's handle, or 1 + the place in the
// packed form. 0 means no entry.
using Location = std::uint32_t;
inline constexpr Location kNowhere = 0;

class EntryStore {
 public:
  static constexpr unsigned kBatch = RankTree::kBatch;

  // `layout` and `environment` outlive the store.
  EntryStore(const KeyLayout* layout, Environment* environment);
  ~EntryStore();

  [[nodiscard]] std::uint64_t size() const;

  [[nodiscard]] Location Find(const MemberKey& member) const;
  // Find for up to kBatch members, fetching memory ahead.
  void FindMany(std::span<const MemberKey> members, Location* locations) const;

  // A number that changes whenever locations found earlier may have become invalid.
  [[nodiscard]] std::uint32_t generation() const { return generation_; }

  void Read(Location location, EntryView* view) const;
  [[nodiscard]] Words WordsAt(Location location) const;
  [[nodiscard]] std::string_view MetaAt(Location location) const;

  // The number of entries before the entry. `route`: null, or a route that was found ahead.
  [[nodiscard]] std::uint64_t IndexOf(Location location,
                                      const RankTree::Route* route = nullptr) const;
  // IndexOf for up to kBatch entries. REQUIRES: no location is kNowhere.
  void IndexOfMany(std::span<const Location> locations, std::uint64_t* indexes) const;

  // A lookup before a write is executed has found the location of its entry, and the routes to its
  // old and its new place in the tree. Stale routes are detected and ignored.
  struct WriteHint {
    Location location = kNowhere;
    RankTree::Route from;
    RankTree::Route to;
  };
  // Finds the routes of up to kBatch writes at once. The caller has set location, to.probe and, if
  // the entry is present, from.probe.
  void FindRoutes(std::span<WriteHint> writes) const;

  // REQUIRES: index < size().
  [[nodiscard]] Location At(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t CountBefore(const Probe& probe) const;
  // The number of distinct scores among the first `count` entries.
  [[nodiscard]] std::uint64_t DistinctScores(std::uint64_t count) const;

  // Calls visit(view) for `count` entries from `first` on, in order or, with `backward`, in reverse
  // order, until it returns false. Stops at the ends.
  template <typename Visit>
  void ForRange(std::uint64_t first, std::uint64_t count, bool backward, const Visit& visit) const {
    ForLocations(first, count, backward,
                 [&](Location, const EntryView& view) { return visit(view); });
  }
  // Calls visit(location, view) for each.
  template <typename Visit>
  void ForLocations(std::uint64_t first, std::uint64_t count, bool backward,
                    const Visit& visit) const;

  // Calls visit(view) for some entries whose member's hash is at or above `cursor`. Returns the
  // cursor to continue with; 0 at the end. See MemberIndex::Scan.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, const Visit& visit) const;

  // The cursor of a walk over all entries in any order. The walk runs in slices; the store may
  // change between them.
  struct WalkCursor {
    std::uint32_t form = 0;  // value of form_ when the walk began
    bool begun = false;
    CellStore::Cursor place;
  };
  enum class WalkState : std::uint8_t {
    kMore,
    kDone,
    kVoid,  // the store was cleared or changed its form: the walk must begin again
  };
  // Calls visit(view) for about `limit` entries from the cursor on; in the packed form for all
  // entries. When the walk returns kDone, it has visited every entry that existed throughout and
  // was not written to.
  template <typename Visit>
  WalkState Walk(WalkCursor* cursor, std::size_t limit, const Visit& visit) const;

  // `hint` may be null. REQUIRES: the member is absent.
  void Insert(const MemberKey& member, const Words& words, std::string_view meta,
              const WriteHint* hint = nullptr);
  // REQUIRES: the member is at `location`; neither `member` nor `meta` points into this store.
  void Update(Location location, const MemberKey& member, const Words& words, std::string_view meta,
              const WriteHint* hint = nullptr);
  void Erase(Location location, const MemberKey& member);
  // Removes the entries [first, first + count) in O(log n). REQUIRES: they exist.
  void EraseRange(std::uint64_t first, std::uint64_t count);
  // Removes all entries in O(1). Environment::Reclaim frees the memory of many entries later.
  void Clear();
  // Takes over all entries of `other`. REQUIRES: this store is empty; both have the same layout and
  // environment.
  void TakeFrom(EntryStore* other);

  // An entry with another stamp. There may be a list with all entries, so it has no padding.
  struct __attribute__((packed)) Restamped {
    Stamp stamp = 0;
    Location entry = kNowhere;
  };
  static_assert(sizeof(Restamped) == 12);
  // Gives all entries other stamps, in O(n). `order`: every entry once, in the order that these
  // give. Takes 4 bytes per entry besides. REQUIRES: the layout has stamps; no cell is dead.
  void Restamp(std::span<const Restamped> order);

  // Bulk load of entries in any order. If a member is added repeatedly, its last entry stays.
  // Entries that are added in order are not sorted again. Once the store is in the large form, all
  // added entries, replaced ones included, stay in memory until Finish builds index and tree at
  // once. Before Finish only HasRoom and Clear of the store may be called. Besides the store's own
  // memory the loader takes 4 bytes per entry, and 32 more while it sorts.
  // REQUIRES: the store is empty when the loader is constructed.
  class Loader {
   public:
    explicit Loader(EntryStore* store) : store_(store) { LAUREL_ASSERT(store->size() == 0); }
    // False if there is no room left; the caller must then clear the store.
    [[nodiscard]] bool Add(const MemberKey& member, const Words& words, std::string_view meta);
    [[nodiscard]] std::size_t size() const { return cells_.size(); }
    // The two long parts of Finish; optional, because Finish runs those that did not run yet. After
    // the last Add they may run at the same time on two threads.
    void Index();
    void Sort();
    void Finish();

   private:
    // False if the entry does not fit into the packed form; the member is then absent from it.
    bool AddPacked(const MemberKey& member, const Words& words, std::string_view meta);
    // Whether the new entry comes after the last cell in order.
    [[nodiscard]] bool InOrder(const MemberKey& member, const Words& words) const;
    // Removes replaced cells from order_ and destroys them.
    void DestroyReplaced();

    EntryStore* store_;
    std::vector<std::uint32_t> packed_hashes_;  // hashes of the members in the packed form
    std::vector<Handle> cells_;                 // all cells in the order added
    std::vector<Handle> replaced_;              // cells replaced by later ones
    std::vector<Handle> order_;                 // all cells, sorted
    bool index_done_ = false;
    bool sort_done_ = false;
    bool added_in_order_ = true;
    Words last_{};  // while added_in_order_: no entry's words come after these
  };

  // Whether one write of any size certainly finds room for its cell and meta.
  [[nodiscard]] bool HasRoom() const { return HasRoom(1, 0); }
  // Whether `writes` writes, with `bytes` of members and meta in total, certainly find room.
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

  // <0, 0, >0: the probe is before, at or after the entry.
  [[nodiscard]] int Compare(const Probe& probe, const EntryView& view) const;
  [[nodiscard]] unsigned PackedLowerBound(const Probe& probe) const;
  void ReadCell(Handle handle, EntryView* view) const;
  // False, without a change, if the entries do not fit into the packed form any more.
  bool RestampPacked(std::span<const Restamped> order);
  // Converts the packed entries to cells and returns these in order. The caller builds index and
  // tree.
  std::vector<Handle> Unpack();
  // Inserts the cells into the empty index. Returns the cells that a later one of the same member
  // replaces.
  std::vector<Handle> IndexCells(std::span<const Handle> cells);
  // Returns to the packed form if few entries are left and their bytes fit. The only way to know
  // that they fit is to copy them. So without `try_any_count` this is tried at some counts only
  // (the threshold and powers of two): otherwise a few large members would be copied at every
  // erase.
  void PackIfSmall(bool try_any_count = false);
  // Drops the large form: frees it at once or, if it is large, leaves it to Environment::Reclaim.
  void RetireLarge();
  // Whether the cell is not dead.
  [[nodiscard]] bool IsLive(Handle cell) const;
  void InsertLarge(const MemberKey& member, const Words& words, std::string_view meta,
                   const WriteHint* hint);

  const KeyLayout* layout_;
  Environment* environment_;
  PackedEntries packed_;
  std::unique_ptr<Large, LargeDeleter> large_;
  std::uint32_t generation_ = 0;
  std::uint32_t form_ = 0;  // counts clears and changes of form
};

// The large form. While it has dead cells it is also a Leftover, which sweeps them.
struct EntryStore::Large final : Leftover {
  Large(const KeyLayout* layout, Environment* environment, std::uint32_t generation);
  ~Large() override;

  [[nodiscard]] bool has_dead() const { return dead > 0; }
  // Cuts the entries out of the tree; their cells are dead then.
  void Cut(std::uint64_t first, std::uint64_t count);
  // Frees up to `most` dead cells and returns how many.
  std::size_t Sweep(std::size_t most);
  std::size_t FreeSome(std::size_t entries) override;
  [[nodiscard]] std::size_t MemoryUsage() const override;
  // Frees a page of cells or nodes; for a large form that is no longer in use. False when no page
  // is left.
  bool FreePage();

  Environment* environment;
  CellStore cells;
  Slab<64> nodes;
  MemberIndex index;
  RankTree tree;
  RankTree::Cuttings cuttings;  // the subtrees and handles of the dead cells
  std::uint64_t dead = 0;       // the number of dead cells
  bool is_leftover = false;     // registered with the environment
};

inline std::uint64_t EntryStore::size() const {
  return large_ ? large_->tree.size() : packed_.size();
}

inline bool EntryStore::IsLive(Handle cell) const {
  return !large_->has_dead() || large_->tree.Contains(cell);
}

template <typename Visit>
void EntryStore::ForLocations(std::uint64_t first, std::uint64_t count, bool backward,
                              const Visit& visit) const {
  EntryView view;
  if (large_) {
    large_->tree.ForRange(first, count, backward, [&](Handle handle) {
      ReadCell(handle, &view);
      return visit(Location{handle}, view);
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
    if (!visit(static_cast<Location>(i + 1), view)) return;
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
