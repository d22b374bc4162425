// Descent and reads.
#include "core/store/rank_tree.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace laurel::core {
namespace {

// The number of words at or below `word` in a rising column, found without branches.
unsigned UpperBound(const std::uint64_t* column, unsigned count, std::uint64_t word) {
  unsigned low = 0;
  while (count > 1) {
    const unsigned half = count / 2;
    low += half * static_cast<unsigned>(column[low + half - 1] <= word);
    count -= half;
  }
  return low + static_cast<unsigned>(count == 1 && column[low] <= word);
}

// The last slot of a whole column whose word is at or below `word`, not counting slot 0; 0 if there
// is none. Unused slots hold the largest word.
unsigned LastAtOrBelow(const std::uint64_t* column, std::uint64_t word) {
  static_assert(RankTree::kInnerChildren == 32);
  unsigned slot = 0;
  for (unsigned step = RankTree::kInnerChildren / 2; step > 0; step /= 2) {
    slot += step * static_cast<unsigned>(column[slot + step] <= word);
  }
  return slot;
}

void PrefetchBytes(const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  for (std::size_t offset = 0; offset < bytes; offset += 64) __builtin_prefetch(at + offset);
}

}  // namespace

RankTree::RankTree(CellStore* cells, Slab<64>* nodes, std::uint32_t generation,
                   unsigned leaf_entries, unsigned inner_children)
    : cells_(cells),
      nodes_(nodes),
      leaf_entries_(leaf_entries),
      inner_children_(inner_children),
      merge_below_(leaf_entries * 3 / 4),
      order_words_(cells->layout().order_words()),
      version_(std::uint64_t{generation} << 32) {
  LAUREL_ASSERT(leaf_entries >= 4 && leaf_entries <= kLeafEntries);
  LAUREL_ASSERT(inner_children >= 4 && inner_children <= kInnerChildren);
  root_ = NewLeaf();
}

Handle RankTree::NewLeaf() {
  const Handle handle = nodes_->Allocate(LeafBytes());
  LAUREL_ASSERT(handle != kNoHandle);
  Leaf* leaf = LeafAt(handle);
  *leaf = Leaf{};
  leaf->reframe_at = 1;
  std::fill_n(BaseOf(leaf), order_words_, std::uint64_t{0});
  SetUnused(FragmentsOf(leaf), 0);
  ++leaves_;
  return handle;
}

Handle RankTree::NewInner() {
  const Handle handle =
      nodes_->Allocate(sizeof(Inner) + (order_words_ - 1) * kInnerChildren * sizeof(std::uint64_t));
  LAUREL_ASSERT(handle != kNoHandle);
  SetCount(InnerAt(handle), 0);
  InnerAt(handle)->version = 0;
  return handle;
}

void RankTree::FreeLeaf(Handle handle) {
  LAUREL_ASSERT(leaves_ > 0);
  nodes_->Free(handle);
  --leaves_;
}

void RankTree::FreeInner(Handle handle) { nodes_->Free(handle); }

unsigned RankTree::ChildFor(const Inner* node, const Probe& probe) const {
  const std::uint64_t* first = node->first_words.data();
  const std::uint64_t wanted = probe.words[0];
  // The largest word equals the padding of unused slots: hence the bound.
  const unsigned slot = std::min(LastAtOrBelow(first, wanted), node->count - 1);
  if (slot == 0 || first[slot] != wanted) return slot;
  return ChildAmongEqual(node, probe, slot);
}

// Compares word by word: the next word matters only among separators that are equal in this one.
// Tails come last.
unsigned RankTree::ChildAmongEqual(const Inner* node, const Probe& probe, unsigned last) const {
  const std::uint64_t* first = node->first_words.data();
  unsigned low = 1;
  if (first[1] != first[last]) {
    low = static_cast<unsigned>(std::lower_bound(first + 1, first + last, first[last]) - first);
  }
  unsigned high = last + 1;
  for (unsigned word = 1; word < order_words_; ++word) {
    const std::uint64_t* column = Column(node, word);
    const std::uint64_t wanted = probe.words[word];
    const unsigned above = low == 1 && high == node->count
                               ? std::min(LastAtOrBelow(column, wanted), node->count - 1) + 1
                               : low + UpperBound(column + low, high - low, wanted);
    if (above == low || column[above - 1] != wanted) return above - 1;
    low = static_cast<unsigned>(std::lower_bound(column + low, column + above, wanted) - column);
    high = above;
  }
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (CompareTail(probe, node->tails[middle]) >= 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

int RankTree::CompareTail(const Probe& probe, Handle tail) const {
  if (tail == kNoHandle) return 0;
  if (probe.among != Probe::Among::kAtMember) {
    return probe.among == Probe::Among::kBeforeAll ? -1 : 1;
  }
  return probe.member.compare(cells_->BytesAt(tail));
}

void RankTree::Descend(const Probe& probe, Path* path) const {
  Handle at = root_;
  for (unsigned level = 0; level < height_; ++level) {
    Inner* node = InnerAt(at);
    const unsigned slot = ChildFor(node, probe);
    path->steps[level] = {node, slot};
    at = node->children[slot];
    if (level + 2 == height_) PrefetchInner(node, slot);
  }
  path->leaf = LeafAt(at);
  PrefetchLeaf(path->leaf);
}

void RankTree::DescendBoth(const Probe& a, Path* path_a, const Probe& b, Path* path_b) const {
  Handle at_a = root_;
  Handle at_b = root_;
  const auto step = [this](const Probe& probe, unsigned level, Handle* at, Path* path) {
    Inner* node = InnerAt(*at);
    const unsigned slot = ChildFor(node, probe);
    path->steps[level] = {node, slot};
    *at = node->children[slot];
    if (level + 1 == height_) {
      path->leaf = LeafAt(*at);
      PrefetchLeaf(path->leaf);
    } else if (level + 2 == height_) {  // higher nodes are few and stay in the cache
      PrefetchInner(node, slot);
    }
  };
  path_a->leaf = path_b->leaf = height_ == 0 ? LeafAt(root_) : nullptr;
  for (unsigned level = 0; level < height_; ++level) {
    step(a, level, &at_a, path_a);
    step(b, level, &at_b, path_b);
  }
}

std::uint64_t RankTree::IndexOf(Handle cell, const Route* route) const {
  const Words words = cells_->WordsOf(cell);
  if (IsCurrent(route, words)) {
    std::uint64_t index = 0;
    for (unsigned level = 0; level < height_; ++level) {
      const auto [node, slot] = route->path_.steps[level];
      index += SumOf(node->counts, 0, slot);
    }
    const Leaf* leaf = route->path_.leaf;
    return index + PlaceOf(leaf, cell, FragmentFor(leaf, words));
  }
  MemberBuffer buffer;
  const Probe probe = ProbeOf(cell, buffer);
  std::uint64_t index = 0;
  Handle at = root_;
  for (unsigned level = 0; level < height_; ++level) {
    const Inner* node = InnerAt(at);
    const unsigned slot = ChildFor(node, probe);
    at = node->children[slot];
    if (level + 1 == height_) {
      PrefetchFragments(LeafAt(at));
    } else if (level + 2 == height_) {
      PrefetchInner(node, slot);
    }
    index += SumOf(node->counts, 0, slot);
  }
  const Leaf* leaf = LeafAt(at);
  return index + PlaceOf(leaf, cell, FragmentFor(leaf, probe.words));
}

// All searches descend level by level together, so that the cache misses of a level overlap.
void RankTree::IndexOfMany(std::span<const Handle> cells, std::uint64_t* indexes) const {
  LAUREL_ASSERT(cells.size() <= kBatch);
  std::array<MemberBuffer, kBatch> buffers;
  std::array<Probe, kBatch> probes;
  std::array<Handle, kBatch> at;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    probes[i] = ProbeOf(cells[i], buffers[i]);
    at[i] = root_;
    indexes[i] = 0;
  }
  for (unsigned level = 0; level < height_; ++level) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Inner* node = InnerAt(at[i]);
      const unsigned slot = ChildFor(node, probes[i]);
      indexes[i] += SumOf(node->counts, 0, slot);
      at[i] = node->children[slot];
      if (level + 1 == height_) {
        PrefetchFragments(LeafAt(at[i]));
      } else if (level + 2 == height_) {
        PrefetchInner(node, slot);
      }
    }
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Leaf* leaf = LeafAt(at[i]);
    indexes[i] += PlaceOf(leaf, cells[i], FragmentFor(leaf, probes[i].words));
  }
}

void RankTree::FindRoutes(std::span<Route* const> routes) const {
  for (Route* route : routes) {
    route->version_ = version_;
    route->path_.leaf = height_ == 0 ? LeafAt(root_) : nullptr;
  }
  for (unsigned level = 0; level < height_; ++level) {
    for (Route* route : routes) {
      Path& path = route->path_;
      Inner* node = level == 0 ? InnerAt(root_) : path.steps[level].node;
      const unsigned slot = ChildFor(node, route->probe);
      path.steps[level] = {node, slot};
      if (level + 1 < height_) {
        path.steps[level + 1].node = InnerAt(node->children[slot]);
        if (level + 2 == height_) PrefetchInner(node, slot);
      } else {
        path.leaf = LeafAt(node->children[slot]);
        route->parent_version_ = node->version;
        PrefetchLeaf(path.leaf);
      }
    }
  }
}

bool RankTree::IsCurrent(const Route* route, const Words& words) const {
  if (route == nullptr || route->version_ != version_) return false;
  if (height_ > 0 && route->path_.steps[height_ - 1].node->version != route->parent_version_) {
    return false;
  }
  return std::equal(words.begin(), words.begin() + order_words_, route->probe.words.begin());
}

void RankTree::PrefetchInner(const Inner* parent, unsigned slot) const {
  const Inner* node = InnerAt(parent->children[slot]);
  PrefetchBytes(node->first_words.data(),
                sizeof(node->first_words) + sizeof(node->children) + sizeof(node->counts));
  // If the separators on both sides of the child have the same first word, ChildFor also reads
  // second words in the child.
  if (order_words_ > 1 && slot + 1 < parent->count &&
      parent->first_words[slot] == parent->first_words[slot + 1]) {
    PrefetchBytes(Column(node, 1), kInnerChildren * sizeof(std::uint64_t));
  }
}

void RankTree::PrefetchFragments(const Leaf* leaf) const {
  PrefetchBytes(leaf, LeafBytes() - kLeafEntries * sizeof(Handle));
}

void RankTree::PrefetchLeaf(const Leaf* leaf) const { PrefetchBytes(leaf, LeafBytes()); }

std::uint64_t RankTree::CountBefore(const Probe& probe) const {
  Path path;
  Descend(probe, &path);
  std::uint64_t count = 0;
  for (unsigned level = 0; level < height_; ++level) {
    count += SumOf(path.steps[level].node->counts, 0, path.steps[level].slot);
  }
  return count + LowerBound(path.leaf, probe, FragmentFor(path.leaf, probe.words));
}

std::uint64_t RankTree::DistinctScores(std::uint64_t count) const {
  if (count == 0) return 0;
  LAUREL_ASSERT(count <= size_);
  std::uint64_t index = count - 1;  // the last entry that counts
  std::uint64_t distinct = 0;
  Handle at = root_;
  for (unsigned level = 0; level < height_; ++level) {
    const Inner* node = InnerAt(at);
    unsigned slot = 0;
    while (index >= node->counts[slot]) {
      index -= node->counts[slot];
      distinct += node->score_starts[slot];
      ++slot;
    }
    at = node->children[slot];
  }
  const std::uint64_t upto = ~std::uint64_t{0} >> (63 - index);
  return distinct + static_cast<std::uint64_t>(std::popcount(LeafAt(at)->score_starts & upto));
}

RankTree::Leaf* RankTree::LeafOfIndex(std::uint64_t index, unsigned* place) const {
  LAUREL_ASSERT(index < size_);
  Handle at = root_;
  for (unsigned level = 0; level < height_; ++level) {
    const Inner* node = InnerAt(at);
    unsigned slot = 0;
    while (index >= node->counts[slot]) index -= node->counts[slot++];
    at = node->children[slot];
  }
  *place = static_cast<unsigned>(index);
  return LeafAt(at);
}

Handle RankTree::Select(std::uint64_t index) const {
  unsigned place = 0;
  const Leaf* leaf = LeafOfIndex(index, &place);
  return HandlesOf(leaf)[place];
}

}  // namespace laurel::core
