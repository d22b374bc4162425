// The order of a board's cells: a counted B+-tree.
//
//   inner   child 0 │ child 1 │ child 2 │ …      per child: its node, its counts of entries and of
//                   ▲         ▲                  score starts, and the separator on its left
//   leaf    ⇄ base words │ 64 fragments, 2 bytes each │ 64 handles, 4 bytes each ⇄
//
// Rank, select and range take one descent, which adds up the entry counts of the children to the
// left of its path. Leaves are linked in both directions.
//
// Fragments. A leaf does not hold keys. Beside each cell's handle it holds a fragment, a 16-bit
// image of the cell's key: the first word that differs within the leaf, and as much of the next
// word as fits. Both are taken relative to the leaf's base and shifted so that the leaf's keys,
// with room on both sides, fill the 16 bits. Keys outside that range are clamped to 0 or to the
// largest value. The map from keys to fragments is monotone for all keys, whatever the base. So a
// search compares fragments (three cache lines) and reads cells only among equal fragments, which
// are rare: 51 entries share 16,384 values. Writes never invalidate fragments.
//
// Base and shifts are the leaf's "frame". Choosing a frame reads all cells of the leaf. So when
// entries move between leaves with the same frame, the frame is kept until too many neighbouring
// entries have equal fragments.
//
// Score starts. Bit i of a leaf's mask is set if entry i's score differs from the entry before it
// (across the leaf's edge too; the bit of the very first entry is set). Inner nodes keep the sum of
// score starts beside the count, so dense ranks come from the same descent.
//
// Separators. A separator is the words of the first key on its right and, only if the key on its
// left has the same words, as many bytes of the right key's member as distinguish the two (the
// "tail", a block of its own). A separator is a copy: removing the cell it came from changes
// nothing.
//
// Balance. A full leaf first shares with a sibling; if the siblings have no room, three leaves
// become four. When a leaf is less than three quarters full, two, three or four neighbours are
// merged into one leaf fewer if they fit. Redistribute() does all of this. Input that arrives in
// order fills leaves completely. An inner node splits in halves, except that rising input leaves
// the left node nearly full.
//
// The cost of a search is cache lines: 175 ns for the first one that is not in the core's own
// cache, 15 ns for each that can be fetched along with it (measured). Hence inner nodes of 32
// children, whose first words fill four lines, fragments of 2 bytes, prefetching on the way down,
// and operations in batches.
//
// Bytes per entry (W order words, fill f): (24 + 8 W + 384) / 64 / f for leaves, rounded up to
// whole cache lines, and about (18 + 8 W) / 64 / f / 0.7 for inner nodes: 8.6 + 0.9 at W = 2,
// f = 0.81.
//
// Complexity: O(log n) per operation. Threads: concurrent reads are allowed; a write needs
// exclusive access.
//
// Invariants (Validate() checks each):
//  1. Keys rise strictly from left to right, within leaves and across them.
//  2. Every key of child i is at or above separator i and below separator i + 1.
//  3. counts[i] and score_starts[i] of an inner node are the sums over child i.
//  4. A score start is set if and only if the score differs from the entry before.
//  5. Fragments are the images of the keys in the leaf's frame. Unused fragments, and unused words
//     of inner nodes, are the largest value.
//  6. No node but the root is empty; an inner root has two children or more.
//
// Rejected: keys inline (16 bytes and more per entry for what fragments do with 2); fragments of 4
// bytes (2.4 bytes more per entry and two cache lines more per search, to avoid reads of cells that
// are rare already); a fragment window derived from separators (must be rewritten when they move;
// clamping needs no rewrite); binary trees and skip lists (a cache miss per comparison: 5 to 10
// times slower at 10 M).
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

// A position between entries, given by all order words. `among` is the position among entries with
// exactly these words: before all of them, at `member`, or after all of them.
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

  // `cells` and `nodes` outlive the tree. Tests use smaller nodes, of at least 4 entries or
  // children. `generation` must differ between the trees of one owner: a route of one tree is then
  // recognised as stale by the others.
  RankTree(CellStore* cells, Slab<64>* nodes, std::uint32_t generation = 0,
           unsigned leaf_entries = kLeafEntries, unsigned inner_children = kInnerChildren);
  ~RankTree() = default;  // the slab frees the nodes
  RankTree(const RankTree&) = delete;
  RankTree& operator=(const RankTree&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }

  // A path down the tree, found ahead of the write that uses it. Opaque; valid for one write.
  class Route;

  // REQUIRES: the cell is not in the tree. `to`: null, or a route to the cell's key.
  void Insert(Handle cell, const Route* to = nullptr);
  // REQUIRES: the cell is in the tree, with the words it was inserted with.
  void Erase(Handle cell);
  // Gives the cell new words and moves it to its new place. `from` and `to`: null, or routes to its
  // old and its new key; stale routes are detected and ignored. REQUIRES: as Erase.
  void Move(Handle cell, const Words& words, const Route* from = nullptr,
            const Route* to = nullptr);
  // Replaces the handle of a cell; `key` is its key. REQUIRES: `from` is in the tree; `to` has the
  // same words and member.
  void Replace(Handle from, Handle to, const Probe& key);
  // Builds the tree from sorted cells. REQUIRES: the tree is empty; `cells` are in strict order.
  void Build(std::span<const Handle> cells);
  // Frees the nodes, and builds the tree from its own cells, whose words may be others now.
  void Rebuild(std::span<const Handle> cells);

  // A part that was cut off: `height` is the number of inner levels above its leaves.
  struct Subtree {
    Handle node;
    unsigned height;
  };
  struct Cuttings {
    std::vector<Subtree> subtrees;
    std::vector<Handle> cells;
    [[nodiscard]] bool empty() const { return subtrees.empty() && cells.empty(); }
  };
  // Cuts the entries [first, first + count) out of the tree in O(log n), by moving whole subtrees
  // to `cuttings`. Their cells are not changed. REQUIRES: count > 0; some entries are left.
  void Cut(std::uint64_t first, std::uint64_t count, Cuttings* cuttings);
  // Frees one node of the cuttings and adds its children (inner node) or its cells (leaf) to the
  // cuttings. False if no node is left.
  bool Dissolve(Cuttings* cuttings);
  // Whether the cell is in the tree; false if it was cut off. REQUIRES: its words are those it was
  // inserted with.
  [[nodiscard]] bool Contains(Handle cell) const;

  // The number of entries before the cell. `route`: null, or a route to its key; a stale route is
  // detected and ignored. REQUIRES: the cell is in the tree.
  [[nodiscard]] std::uint64_t IndexOf(Handle cell, const Route* route = nullptr) const;
  // IndexOf for up to kBatch cells, fetching memory ahead.
  void IndexOfMany(std::span<const Handle> cells, std::uint64_t* indexes) const;
  // Finds the path to each route's probe, fetching memory ahead.
  void FindRoutes(std::span<Route* const> routes) const;

  // The number of entries before the probe.
  [[nodiscard]] std::uint64_t CountBefore(const Probe& probe) const;
  // The number of distinct scores among the first `count` entries.
  [[nodiscard]] std::uint64_t DistinctScores(std::uint64_t count) const;
  // REQUIRES: index < size().
  [[nodiscard]] Handle Select(std::uint64_t index) const;

  // Calls visit(handle) for `count` entries from `first` on, in order or, with `backward`, in
  // reverse order, until it returns false. Stops at the ends.
  template <typename Visit>
  void ForRange(std::uint64_t first, std::uint64_t count, bool backward, const Visit& visit) const;

  [[nodiscard]] std::uint64_t leaves() const { return leaves_; }
  // An empty string, or a description of a broken invariant.
  [[nodiscard]] std::string Validate() const;

 private:
  static constexpr unsigned kMaxHeight = 24;  // nodes have at least two children, in tests too
  static constexpr unsigned kGroup = 4;       // at most this many leaves are redistributed together
  using Fragment = std::uint16_t;
  static constexpr unsigned kFragmentBits = 16;
  static constexpr Fragment kClampedLow = 0;
  static constexpr Fragment kClampedHigh = UINT16_MAX;

  struct Leaf {
    std::uint64_t score_starts;
    Handle previous;
    Handle next;
    std::uint8_t count;
    std::uint8_t reframe_at;  // choose a new frame at this number of entries
    std::uint8_t unused[2];
    // The frame; its base words follow the struct.
    std::uint8_t word;       // first word of the fragment; order_words() if all words are equal
    std::uint8_t shift;      // right shift of that word
    std::uint8_t low_bits;   // bits of the fragment that come from the next word
    std::uint8_t low_shift;  // right shift of the next word
    // Then follow: base words, fragments, handles.
  };
  static_assert(sizeof(Leaf) == 24);
  static_assert(kLeafEntries <= 64, "score starts are one word");

  struct Inner {
    std::uint32_t count;
    std::uint32_t version;  // changes when its leaves are redistributed or cut
    std::uint32_t unused[14];
    std::array<std::uint64_t, kInnerChildren> first_words;  // of separators; slot 0 has none
    std::array<Handle, kInnerChildren> children;
    std::array<std::uint32_t, kInnerChildren> counts;
    std::array<std::uint32_t, kInnerChildren> score_starts;
    std::array<Handle, kInnerChildren> tails;  // kNoHandle: none
    // Then follow: kInnerChildren second words, kInnerChildren third words, …
  };
  static_assert(sizeof(Inner) % 64 == 0, "whole cache lines");

  // The path to a leaf. Not initialised: a descent fills only a few of its 400 bytes.
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
    return reinterpret_cast<Fragment*>(BaseOf(leaf) + order_words_);
  }
  Handle* HandlesOf(const Leaf* leaf) const {
    return reinterpret_cast<Handle*>(FragmentsOf(leaf) + kLeafEntries);
  }
  // The words number `word` of all separators of the node.
  static std::uint64_t* Column(const Inner* node, unsigned word) {
    auto* inner = const_cast<Inner*>(node);
    if (word == 0) return inner->first_words.data();
    return reinterpret_cast<std::uint64_t*>(inner + 1) + (word - 1) * kInnerChildren;
  }
  [[nodiscard]] std::size_t LeafBytes() const {
    return sizeof(Leaf) + order_words_ * sizeof(std::uint64_t) +
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
  // Chooses a frame for `cells`, which are in order, and sets it on all leaves, whose fragments are
  // computed again.
  void Reframe(std::span<const Handle> cells, std::span<Leaf* const> leaves);
  void Reframe(Leaf* leaf);
  static void SetUnused(Fragment* fragments, unsigned count);
  [[nodiscard]] bool SameFrame(const Leaf* a, const Leaf* b) const;
  void CopyFrame(const Leaf* from, Leaf* to) const;
  [[nodiscard]] bool SameScore(const Words& words, Handle cell) const;
  // Whether two entries with these fragments have equal scores; nullopt if the fragments do not
  // determine it.
  [[nodiscard]] std::optional<bool> SameScoreByFragment(const Leaf* leaf, Fragment a,
                                                        Fragment b) const;
  // The place in the leaf of the first entry that is not before the probe.
  [[nodiscard]] unsigned LowerBound(const Leaf* leaf, const Probe& probe, Fragment fragment) const;
  // The place of the cell in the leaf. REQUIRES: the leaf holds it.
  [[nodiscard]] unsigned PlaceOf(const Leaf* leaf, Handle cell, Fragment fragment) const;
  void LeafInsert(Leaf* leaf, unsigned place, Handle cell, Fragment fragment, bool is_score_start);
  void LeafErase(Leaf* leaf, unsigned place);

  // Descent -----------------------------------------------------------------------------------
  [[nodiscard]] unsigned ChildFor(const Inner* node, const Probe& probe) const;
  // ChildFor among the separators up to slot `last` whose first word equals the probe's.
  [[nodiscard]] unsigned ChildAmongEqual(const Inner* node, const Probe& probe,
                                         unsigned last) const;
  [[nodiscard]] int CompareTail(const Probe& probe, Handle tail) const;
  void Descend(const Probe& probe, Path* path) const;
  // Descends to both probes at once, so that their cache misses overlap.
  void DescendBoth(const Probe& a, Path* path_a, const Probe& b, Path* path_b) const;
  // Returns the leaf that holds the entry at `index`, and its place in that leaf.
  [[nodiscard]] Leaf* LeafOfIndex(std::uint64_t index, unsigned* place) const;
  // Finds the path to the leaf that holds the entry at `index`; returns its place in that leaf.
  unsigned DescendTo(std::uint64_t index, Path* path) const;
  [[nodiscard]] Handle LeafHandle(const Path& path) const;
  static std::uint64_t SumOf(const std::array<std::uint32_t, kInnerChildren>& sums, unsigned slot,
                             unsigned count) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < count; ++i) sum += sums[slot + i];
    return sum;
  }
  // Prefetches what ChildFor reads in child `slot` of `parent`.
  void PrefetchInner(const Inner* parent, unsigned slot) const;
  void PrefetchFragments(const Leaf* leaf) const;
  void PrefetchLeaf(const Leaf* leaf) const;

  // Writes (rank_tree_write.cc) ---------------------------------------------------------------
  void InsertAlong(const Path* path, const Probe& probe, Handle cell);
  // Whether the route is not stale and leads to a key of these words.
  [[nodiscard]] bool IsCurrent(const Route* route, const Words& words) const;
  void InsertAt(const Path& path, const Probe& probe, Fragment fragment, unsigned place,
                Handle cell);
  void EraseAt(const Path& path, unsigned place);
  void AddCounts(const Path& path, std::int32_t entries, std::int32_t score_starts);
  // Adds to the score-start sums above the leaf that follows the path's leaf, after the score start
  // of its first entry has changed.
  void AddScoreStartsToNext(const Path& path, std::int32_t score_starts);

  // Cutting (rank_tree_cut.cc) ----------------------------------------------------------------
  struct Sums {
    std::uint32_t entries = 0;
    std::uint32_t score_starts = 0;
  };
  // Cuts the range out of the node; returns the sums of the removed part. REQUIRES: the node keeps
  // at least one entry.
  Sums CutBelow(Handle handle, unsigned height, std::uint64_t first, std::uint64_t count,
                Cuttings* cuttings);
  Sums CutLeaf(Leaf* leaf, std::uint64_t first, std::uint64_t count, Cuttings* cuttings);
  // Merges nodes that are too small on the path to the entry at `index`.
  void MendAt(std::uint64_t index);
  // Recomputes the score start of the entry at `index` after the entries before it have changed.
  void UpdateScoreStart(std::uint64_t index);

  // Balance (rank_tree_balance.cc) ------------------------------------------------------------
  // The separator on the left of a child: words from the parent's columns, and a tail.
  struct Separator {
    Words words{};
    Handle tail = kNoHandle;
  };
  [[nodiscard]] Separator GetSeparator(const Inner* node, unsigned slot) const;
  void SetSeparator(Inner* node, unsigned slot, const Separator& separator);
  // Makes a separator between two neighbouring cells; the caller owns its tail.
  [[nodiscard]] Separator Between(Handle left, Handle right);
  void FreeTail(Handle tail);
  // Makes room for an entry at `place` of the full leaf at the end of the path. Takes one step,
  // which may not be enough: the caller descends again and retries.
  void MakeRoom(const Path& path, unsigned place);
  // Called when the leaf at the end of the path has become small: merges it or shares with a
  // sibling if that pays. Returns true if it did; then all paths are invalid.
  bool MergeLeaf(const Path& path);
  // Puts an inner root with one child above the present root.
  void RaiseRoot();
  // Splits the lowest full inner node of the path whose parent is not full. If all are full, raises
  // the root instead.
  void SplitFullInner(const Path& path);
  void SplitInner(const Path& path, unsigned level);
  void FixInner(const Path& path, unsigned level);
  void CollapseRoot();
  struct Gathered;  // the entries of the leaves that are redistributed
  Handle NewLeafAfter(Handle previous);
  void UnlinkAndFree(Handle handle);  // REQUIRES: the leaf is not the first one
  // Moves the entries of the `before` leaves from `slot` on into leaves of the given sizes.
  void Redistribute(Inner* parent, unsigned slot, unsigned before, std::span<const unsigned> sizes);
  void RedistributeEvenly(Inner* parent, unsigned slot, unsigned before, unsigned after);
  // Sets the number of children and pads the columns after them.
  void SetCount(Inner* node, unsigned count) const;
  // Replaces the `before` slots from `slot` on by `after` slots. The caller sets their contents.
  void ResizeSlots(Inner* node, unsigned slot, unsigned before, unsigned after);
  // A node of a level that Build has finished, and the separator on its left.
  struct Built {
    Handle node;
    std::uint32_t entries;
    std::uint32_t score_starts;
    Separator separator;
  };
  std::vector<Built> BuildLeaves(std::span<const Handle> cells);
  std::vector<Built> BuildLevelAbove(std::span<const Built> level);
  void MoveChildren(Inner* from, unsigned from_slot, Inner* to, unsigned to_slot, unsigned count);
  [[nodiscard]] std::uint32_t TotalEntries(const Inner* node) const;
  [[nodiscard]] std::uint32_t TotalScoreStarts(const Inner* node) const;

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
  unsigned merge_below_;   // a leaf with fewer entries calls MergeLeaf
  unsigned order_words_;   // order words
  unsigned height_ = 0;    // inner levels above the leaves
  std::uint64_t version_;  // high half: generation; low half: counts changes of inner nodes
  Handle root_ = kNoHandle;
  std::uint64_t size_ = 0;
  std::uint64_t leaves_ = 0;
};

class RankTree::Route {
 public:
  Probe probe;

  // Makes the route stale for every tree.
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
    // Prefetches the cells to visit in this leaf.
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
