// The order of a board's cells: a counted B+-tree.
//
//   inner   child 0 │ child 1 │ child 2 │ …      per child: its node, its entries, its marks,
//                   ▲         ▲                  and the separator on its left
//   leaf    ⇄ base words │ 64 fragments, 2 bytes each │ 64 handles, 4 bytes each ⇄
//
// Rank, select and range are one descent: inner nodes add up the entry counts of the children they
// pass by. Leaves are linked both ways.
//
// Fragments. A leaf does not hold keys but, beside each cell's handle, a 16-bit image of its key:
// the key's first word that is not the same throughout the leaf, and as much of the word after it
// as fits, both counted from the leaf's base and shifted so that the leaf's keys, with room on both
// sides, fill the 16 bits. Keys outside that range are clamped to 0 or to the largest value.
// The map from key to fragment is monotone for every key there is, whatever the base; so searching
// compares fragments (three cache lines) and touches cells only among equal fragments, which are
// rare: 51 entries share 16,384 values. Writes never invalidate fragments.
// Base and shifts, the leaf's "frame", are chosen from its entries, which means touching all their
// cells; so neighbours keep the frame they have in common when entries move between them, until
// it tells too few of them apart.
//
// Marks. Bit i of a leaf's mask is set if entry i's score differs from the entry before it (across
// the leaf's edge too; the very first entry's is set). Inner nodes keep the sum of marks beside the
// count, so dense ranks come from the same descent.
//
// Separators. The words of the first key on the right and, only if the key on the left has the same
// words, as many bytes of its member as tell the two apart (the "tail", a block of its own). A
// separator is a copy: removing the cell it came from changes nothing.
//
// Balance. A full leaf first shares with a sibling; where there is no room either, three leaves
// become four. A leaf less than three quarters full asks whether two, three or four neighbours fit
// into one fewer. All of it is one function, Redistribute(). Input that arrives in order fills
// leaves to the brim. An inner node splits in halves.
//
// What a search costs is cache lines: 175 ns for the first one that is not in the core's own cache,
// 15 ns for each that can be fetched along with it (measured). Hence inner nodes of 32 children,
// whose first words fill four lines, fragments of 2 bytes, prefetching on the way down, and
// operations in batches.
//
// Bytes per entry (W order words, fill f): (24 + 8 W + 384) / 64 / f for leaves, rounded up to
// whole cache lines, and about (18 + 8 W) / 64 / f / 0.7 for inner nodes: 8.6 + 0.9 at W = 2,
// f = 0.81.
//
// Complexity: O(log n) each. Thread rule: readers may share, a writer is alone.
//
// Invariants (Validate() checks each):
//  1. Keys rise strictly from left to right, within leaves and across them.
//  2. Every key of child i is at or above separator i and below separator i + 1.
//  3. counts[i] and marks[i] of an inner node are the sums over child i.
//  4. A mark is set if and only if the score differs from the entry before.
//  5. Fragments are what the leaf's base makes of the keys. Unused fragments, and unused first
//  words
//     of inner nodes, are the largest value.
//  6. No node but the root is empty; an inner root has two children or more.
//
// Rejected: keys inline (16 bytes and more per entry for what fragments do with 2); fragments of 4
// bytes (2.4 bytes more per entry and two cache lines more per search, for fewer looks at cells
// that are rare already); a fragment
// window derived from separators (must be rewritten when they move; clamping needs no care);
// binary trees and skip lists (a cache miss per comparison: 5 to 10 times slower at 10 M).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/cell_store.h"
#include "core/store/score_key.h"
#include "core/store/slab.h"

namespace laurel::core {

// A position between entries: all words given, and which members of exactly those words are before
// it.
struct Probe {
  enum class Among : std::uint8_t { kBeforeAll, kAtMember, kAfterAll };
  Words words{};
  Among among = Among::kBeforeAll;
  std::string_view member{};
};

class RankTree {
 public:
  static constexpr unsigned kLeafEntries = 64;
  static constexpr unsigned kInnerChildren = 32;
  static constexpr unsigned kBatch = 32;

  // `cells` and `nodes` outlive the tree. Smaller nodes are for tests: at least 4.
  // `generation` tells the trees of one owner apart: no route of one is good for another.
  RankTree(CellStore* cells, Slab<64>* nodes, std::uint32_t generation = 0,
           unsigned leaf_entries = kLeafEntries, unsigned inner_children = kInnerChildren);
  ~RankTree() = default;  // the nodes go with their slab
  RankTree(const RankTree&) = delete;
  RankTree& operator=(const RankTree&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }

  // A way down the tree, found ahead of the write that takes it. Opaque; good for one write.
  class Route;

  // REQUIRES: the cell is not in the tree. `to`: null, or a route to the cell's key.
  void Insert(Handle cell, const Route* to = nullptr);
  // REQUIRES: the cell is in the tree, with the words it was inserted with.
  void Erase(Handle cell);
  // Gives the cell new words and its new place. Routes: null, or to its old and its new key;
  // stale ones are found out. REQUIRES: as Erase.
  void Move(Handle cell, const Words& words, const Route* from = nullptr,
            const Route* to = nullptr);
  // The cell has a new handle. REQUIRES: `from` is in the tree; `to` has its words and member.
  void Replace(Handle from, Handle to, const Probe& key);
  // REQUIRES: the tree is empty; `cells` are in strict order.
  void Build(std::span<const Handle> cells);

  // Parts that were cut off: `height` inner levels above the leaves.
  struct Subtree {
    Handle node;
    unsigned height;
  };
  struct Cuttings {
    std::vector<Subtree> subtrees;
    std::vector<Handle> cells;
    [[nodiscard]] bool empty() const { return subtrees.empty() && cells.empty(); }
  };
  // Takes `count` entries from `first` on out of the tree in O(log n), by adding whole subtrees to
  // `cuttings`; their cells stay as they are. REQUIRES: some entries are left.
  void Cut(std::uint64_t first, std::uint64_t count, Cuttings* cuttings);
  // Takes one node off the cuttings: of an inner node the children remain to be dissolved, of a
  // leaf the cells. False if there is no node left.
  bool Dissolve(Cuttings* cuttings);
  // Whether the cell is in the tree: no if it was cut off. REQUIRES: it has its words still.
  [[nodiscard]] bool Contains(Handle cell) const;

  // The number of entries before the cell. `way`: null, or a route to its key; a stale one is
  // found out. REQUIRES: it is in the tree.
  [[nodiscard]] std::uint64_t IndexOf(Handle cell, const Route* way = nullptr) const;
  // Up to kBatch of them, fetching memory ahead.
  void IndexOfMany(std::span<const Handle> cells, std::uint64_t* indexes) const;
  // Finds the way to each route's probe, fetching memory ahead.
  void FindRoutes(std::span<Route* const> routes) const;

  // The number of entries before the probe.
  [[nodiscard]] std::uint64_t CountBefore(const Probe& probe) const;
  // The number of distinct scores among the first `count` entries.
  [[nodiscard]] std::uint64_t DistinctScores(std::uint64_t count) const;
  // REQUIRES: index < size().
  [[nodiscard]] Handle Select(std::uint64_t index) const;

  // Calls visit(handle) for `count` entries from `first` on, upwards or, with `backward`,
  // downwards, until it returns false. Stops at the ends.
  template <typename Visit>
  void ForRange(std::uint64_t first, std::uint64_t count, bool backward, const Visit& visit) const;

  [[nodiscard]] std::uint64_t leaves() const { return leaves_; }
  [[nodiscard]] std::string Validate() const;

 private:
  static constexpr unsigned kMaxHeight = 24;  // nodes for tests have at least two children
  static constexpr unsigned kGroup = 4;       // leaves that are redistributed together, at most
  using Fragment = std::uint16_t;
  static constexpr unsigned kFragmentBits = 16;
  static constexpr Fragment kClampedLow = 0;
  static constexpr Fragment kClampedHigh = UINT16_MAX;

  struct Leaf {
    std::uint64_t score_starts;
    Handle previous;
    Handle next;
    std::uint8_t count;
    std::uint8_t reframe_at;  // look for a better frame when the leaf has so many entries
    std::uint8_t unused[2];
    // The frame, with the base words that follow.
    std::uint8_t word;       // the first word of the fragment; order_words() if all words are equal
    std::uint8_t shift;      // right shift of that word
    std::uint8_t low_bits;   // bits of the fragment that come from the word after it
    std::uint8_t low_shift;  // right shift of that one
    // Then: base words, fragments, handles.
  };
  static_assert(sizeof(Leaf) == 24);

  struct Inner {
    std::uint32_t count;
    std::uint32_t version;  // changes when leaves below it do
    std::uint32_t unused[14];
    std::array<std::uint64_t, kInnerChildren> first_words;  // of separators; slot 0 has none
    std::array<Handle, kInnerChildren> children;
    std::array<std::uint32_t, kInnerChildren> counts;
    std::array<std::uint32_t, kInnerChildren> score_starts;
    std::array<Handle, kInnerChildren> tails;  // kNoHandle: none
    // Then: kInnerChildren second words, kInnerChildren third words, …
  };

  // The way to a leaf. Not initialised: of 400 bytes a descent fills a few.
  struct Step {
    Inner* node;
    unsigned slot;
  };
  struct Path {
    std::array<Step, kMaxHeight> steps;
    Leaf* leaf;
  };

  // Node layout -------------------------------------------------------------------------------
  [[nodiscard]] Leaf* LeafAt(Handle handle) const {
    return reinterpret_cast<Leaf*>(nodes_->At(handle));
  }
  [[nodiscard]] Inner* InnerAt(Handle handle) const {
    return reinterpret_cast<Inner*>(nodes_->At(handle));
  }
  static std::uint64_t* BaseOf(const Leaf* leaf) {
    return reinterpret_cast<std::uint64_t*>(const_cast<Leaf*>(leaf) + 1);
  }
  Fragment* FragmentsOf(const Leaf* leaf) const {
    return reinterpret_cast<Fragment*>(BaseOf(leaf) + width_);
  }
  Handle* HandlesOf(const Leaf* leaf) const {
    return reinterpret_cast<Handle*>(FragmentsOf(leaf) + kLeafEntries);
  }
  // The separators' words of one index.
  static std::uint64_t* Column(const Inner* node, unsigned word) {
    auto* inner = const_cast<Inner*>(node);
    if (word == 0) return inner->first_words.data();
    return reinterpret_cast<std::uint64_t*>(inner + 1) + (word - 1) * kInnerChildren;
  }
  [[nodiscard]] std::size_t LeafBytes() const {
    return sizeof(Leaf) + width_ * sizeof(std::uint64_t) +
           kLeafEntries * (sizeof(Fragment) + sizeof(Handle));
  }
  Handle NewLeaf();
  Handle NewInner();
  void FreeLeaf(Handle handle);
  void FreeInner(Handle handle);

  // Keys and fragments (rank_tree_leaf.cc) ----------------------------------------------------
  [[nodiscard]] Probe ProbeOf(Handle cell, MemberBuffer& buffer) const;
  // <0, 0, >0: the probe is before, at or after the cell.
  [[nodiscard]] int Compare(const Probe& probe, Handle cell) const;
  [[nodiscard]] Fragment FragmentFor(const Leaf* leaf, const Words& words) const;
  // Chooses a frame for cells in order and sets it on all leaves.
  void Reframe(std::span<const Handle> cells, std::span<Leaf* const> leaves);
  void Reframe(Leaf* leaf);
  static void SetUnused(Fragment* fragments, unsigned count);
  [[nodiscard]] bool SameFrame(const Leaf* a, const Leaf* b) const;
  void CopyFrame(const Leaf* from, Leaf* to) const;
  [[nodiscard]] bool SameScore(const Words& words, Handle cell) const;
  // Whether the scores behind two fragments are equal; nullopt if the fragments cannot tell.
  [[nodiscard]] std::optional<bool> SameScoreByFragment(const Leaf* leaf, Fragment a,
                                                        Fragment b) const;
  // The place of the first entry of the leaf that is not before the probe.
  [[nodiscard]] unsigned LowerBound(const Leaf* leaf, const Probe& probe, Fragment fragment) const;
  [[nodiscard]] unsigned PlaceOf(const Leaf* leaf, Handle cell, Fragment fragment) const;
  void LeafInsert(Leaf* leaf, unsigned place, Handle cell, Fragment fragment, bool is_score_start);
  void LeafErase(Leaf* leaf, unsigned place);

  // Descent -----------------------------------------------------------------------------------
  [[nodiscard]] unsigned ChildFor(const Inner* node, const Probe& probe) const;
  // Among separators up to `last` that share the probe's first word with it.
  [[nodiscard]] unsigned ChildAmongEqual(const Inner* node, const Probe& probe,
                                         unsigned last) const;
  [[nodiscard]] int CompareTail(const Probe& probe, Handle tail) const;
  void Descend(const Probe& probe, Path* path) const;
  // Both at once: their cache misses overlap.
  void DescendBoth(const Probe& a, Path* path_a, const Probe& b, Path* path_b) const;
  // The leaf that holds the entry and its place in it.
  [[nodiscard]] Leaf* LeafOfIndex(std::uint64_t index, unsigned* place) const;
  // The path to the leaf that holds the entry; returns its place in it.
  unsigned DescendTo(std::uint64_t index, Path* path) const;
  [[nodiscard]] Handle LeafHandle(const Path& path) const;
  static std::uint64_t SumOf(const std::array<std::uint32_t, kInnerChildren>& sums, unsigned slot,
                             unsigned count) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < count; ++i) sum += sums[slot + i];
    return sum;
  }
  // Fetches what ChildFor will look at in child `slot` of `parent`.
  void PrefetchInner(const Inner* parent, unsigned slot) const;
  void PrefetchFragments(const Leaf* leaf) const;
  void PrefetchLeaf(const Leaf* leaf) const;

  // Writes (rank_tree_write.cc) ---------------------------------------------------------------
  void InsertAlong(const Path* path, const Probe& probe, Handle cell);
  // Whether the route leads to the key of these words, still.
  [[nodiscard]] bool IsCurrent(const Route* route, const Words& words) const;
  void InsertAt(const Path& path, const Probe& probe, Fragment fragment, unsigned place,
                Handle cell);
  void EraseAt(const Path& path, unsigned place);
  void AddCounts(const Path& path, std::int32_t entries, std::int32_t score_starts);
  // Adds to the marks of the leaf after the path's, whose first entry's mark has changed.
  void AddScoreStartsToNext(const Path& path, std::int32_t score_starts);

  // Cutting (rank_tree_cut.cc) ----------------------------------------------------------------
  struct Sums {
    std::uint32_t entries = 0;
    std::uint32_t score_starts = 0;
  };
  // Cuts the range out of the node, which keeps at least one entry; returns what it lost.
  Sums CutBelow(Handle handle, unsigned height, std::uint64_t first, std::uint64_t count,
                Cuttings* cuttings);
  Sums CutLeaf(Leaf* leaf, std::uint64_t first, std::uint64_t count, Cuttings* cuttings);
  // Merges nodes on the path to the entry that have become too small.
  void MendAt(std::uint64_t index);
  // Sets or takes the entry's mark, after the entries before it have changed.
  void UpdateScoreStart(std::uint64_t index);

  // Balance (rank_tree_balance.cc) ------------------------------------------------------------
  // What stands left of a child: words in the parent's columns and a tail.
  struct Separator {
    Words words{};
    Handle tail = kNoHandle;
  };
  [[nodiscard]] Separator GetSeparator(const Inner* node, unsigned slot) const;
  void SetSeparator(Inner* node, unsigned slot, const Separator& separator);
  [[nodiscard]] Separator Between(Handle left, Handle right);
  void FreeTail(Handle tail);
  // Makes room in the full leaf at the end of the path; the caller descends again.
  void MakeRoom(const Path& path, unsigned place);
  // The leaf at the end of the path has become small: merges it or shares with a sibling if that
  // pays. True if it did, and then every path is void.
  bool MergeLeaf(const Path& path);
  // Puts an inner root with one child above the present root.
  void RaiseRoot();
  // Splits the lowest inner node of the path that is full while its parent is not.
  void SplitFullInner(const Path& path);
  void SplitInner(const Path& path, unsigned level);
  void FixInner(const Path& path, unsigned level);
  void CollapseRoot();
  // Spreads the entries of `before` neighbouring children of `parent` over `sizes`.
  void Redistribute(Inner* parent, unsigned slot, unsigned before, std::span<const unsigned> sizes);
  void RedistributeEvenly(Inner* parent, unsigned slot, unsigned before, unsigned after);
  // Sets the number of children and pads the columns behind them.
  void SetCount(Inner* node, unsigned count) const;
  // Makes `after` slots of the `before` slots from `slot` on; contents are the caller's to set.
  void ResizeSlots(Inner* node, unsigned slot, unsigned before, unsigned after);
  void MoveChildren(Inner* from, unsigned from_slot, Inner* to, unsigned to_slot, unsigned count);
  [[nodiscard]] std::uint32_t CountsOf(const Inner* node) const;
  [[nodiscard]] std::uint32_t ScoreStartsOf(const Inner* node) const;

  [[nodiscard]] std::string ValidateNode(Handle handle, unsigned height, const Separator* low,
                                         const Separator* high, Handle* last_cell,
                                         Handle* last_leaf, std::uint64_t* entries,
                                         std::uint64_t* score_starts) const;
  [[nodiscard]] std::string ValidateLeaf(const Leaf* leaf, const Separator* low,
                                         const Separator* high, Handle* last_cell) const;

  CellStore* cells_;
  Slab<64>* nodes_;
  unsigned leaf_entries_;
  unsigned inner_children_;
  unsigned least_entries_;  // of a leaf, below which MergeLeaf is asked
  unsigned width_;          // order words
  unsigned height_ = 0;     // inner levels above the leaves
  std::uint64_t version_;   // the generation above, changes of inner nodes below
  Handle root_ = kNoHandle;
  std::uint64_t size_ = 0;
  std::uint64_t leaves_ = 0;
};

class RankTree::Route {
 public:
  Probe probe;

  // No tree takes it for a way any more.
  void Forget() { version_ = kNoVersion; }

 private:
  friend RankTree;
  Path path_;
  static constexpr std::uint64_t kNoVersion = UINT64_MAX;
  std::uint64_t version_ = kNoVersion;  // of the tree
  std::uint32_t parent_version_ = 0;    // of the leaf's parent
};

template <typename Visit>
void RankTree::ForRange(std::uint64_t first, std::uint64_t count, bool backward,
                        const Visit& visit) const {
  if (first >= size_) return;
  unsigned place = 0;
  const Leaf* leaf = LeafOfIndex(first, &place);
  while (count > 0) {
    // What is to be visited in this leaf, its cells fetched ahead.
    const unsigned here = backward ? place + 1u : leaf->count - place;
    const auto visited = static_cast<unsigned>(std::min<std::uint64_t>(count, here));
    const Handle* from = HandlesOf(leaf) + (backward ? place + 1 - visited : place);
    for (unsigned i = 0; i < visited; ++i) cells_->Prefetch(from[i]);
    for (unsigned i = 0; i < visited; ++i) {
      if (!visit(from[backward ? visited - 1 - i : i])) return;
    }
    count -= visited;
    const Handle next = backward ? leaf->previous : leaf->next;
    if (next == kNoHandle) return;
    leaf = LeafAt(next);
    place = backward ? leaf->count - 1u : 0;
  }
}

}  // namespace laurel::core
