// Descent and reads.
#include "core/rank_tree.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace laurel::core {
namespace {

void PrefetchBytes(const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  for (std::size_t offset = 0; offset < bytes; offset += 64) __builtin_prefetch(at + offset);
}

}  // namespace

RankTree::RankTree(RecordStore* records, Slab<64>* nodes, unsigned leaf_entries,
                   unsigned inner_children)
    : records_(records),
      nodes_(nodes),
      leaf_entries_(leaf_entries),
      inner_children_(inner_children),
      least_entries_(leaf_entries * 3 / 4),
      width_(records->layout().order_words()) {
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
  std::fill_n(BaseOf(leaf), width_, std::uint64_t{0});
  SetUnused(FragmentsOf(leaf), 0);
  ++leaves_;
  return handle;
}

Handle RankTree::NewInner() {
  const Handle handle =
      nodes_->Allocate(sizeof(Inner) + (width_ - 1) * kInnerChildren * sizeof(std::uint64_t));
  LAUREL_ASSERT(handle != kNoHandle);
  SetCount(InnerAt(handle), 0);
  return handle;
}

void RankTree::FreeLeaf(Handle handle) {
  nodes_->Free(handle);
  --leaves_;
}

void RankTree::FreeInner(Handle handle) { nodes_->Free(handle); }

// The number of separators at or below the probe: slots 1 to 31, halved five times without a
// branch.
unsigned RankTree::ChildFor(const Inner* node, const Probe& probe) const {
  static_assert(kInnerChildren == 32);
  const std::uint64_t* first = node->first_words.data();
  const std::uint64_t wanted = probe.words[0];
  unsigned slot = 0;
  for (unsigned step = kInnerChildren / 2; step > 0; step /= 2) {
    slot += step * static_cast<unsigned>(first[slot + step] <= wanted);
  }
  slot = std::min(slot, node->count - 1);  // the largest word there is equals the padding
  if (slot == 0 || first[slot] != wanted) return slot;
  return ChildAmongEqual(node, probe, slot);
}

// Word by word: only among separators equal in one does the next one matter; then the tails.
unsigned RankTree::ChildAmongEqual(const Inner* node, const Probe& probe, unsigned last) const {
  unsigned low = 1;
  unsigned high = last + 1;
  for (unsigned word = 0; word < width_; ++word) {
    const std::uint64_t* column = Column(node, word);
    const auto [first, end] = std::equal_range(column + low, column + high, probe.words[word]);
    if (first == end) return static_cast<unsigned>(first - column) - 1;
    low = static_cast<unsigned>(first - column);
    high = static_cast<unsigned>(end - column);
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
  return probe.member.compare(records_->BytesAt(tail));
}

void RankTree::Descend(const Probe& probe, Path* path) const {
  Handle at = root_;
  for (unsigned level = 0; level < height_; ++level) {
    Inner* node = InnerAt(at);
    const unsigned slot = ChildFor(node, probe);
    path->steps[level] = {node, slot};
    at = node->children[slot];
    if (level + 2 == height_) PrefetchInner(InnerAt(at));
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
    } else if (level + 2 == height_) {  // those above are few and stay in the cache
      PrefetchInner(InnerAt(*at));
    }
  };
  path_a->leaf = path_b->leaf = height_ == 0 ? LeafAt(root_) : nullptr;
  for (unsigned level = 0; level < height_; ++level) {
    step(a, level, &at_a, path_a);
    step(b, level, &at_b, path_b);
  }
}

std::uint64_t RankTree::SumBefore(const std::array<std::uint32_t, kInnerChildren>& sums,
                                  unsigned slot) {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < slot; ++i) sum += sums[i];
  return sum;
}

std::uint64_t RankTree::IndexOf(Handle record) const {
  std::uint64_t index = 0;
  IndexOfMany({&record, 1}, &index);
  return index;
}

// All searches go down one level at a time, so that the cache misses of a level overlap.
void RankTree::IndexOfMany(std::span<const Handle> records, std::uint64_t* indexes) const {
  LAUREL_ASSERT(records.size() <= kBatch);
  std::array<MemberBuffer, kBatch> buffers;
  std::array<Probe, kBatch> probes;
  std::array<Handle, kBatch> at;
  for (std::size_t i = 0; i < records.size(); ++i) {
    probes[i] = ProbeOf(records[i], buffers[i]);
    at[i] = root_;
    indexes[i] = 0;
  }
  for (unsigned level = 0; level < height_; ++level) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Inner* node = InnerAt(at[i]);
      const unsigned slot = ChildFor(node, probes[i]);
      indexes[i] += SumBefore(node->counts, slot);
      at[i] = node->children[slot];
      if (level + 1 == height_) {
        PrefetchFragments(LeafAt(at[i]));
      } else if (level + 2 == height_) {
        PrefetchInner(InnerAt(at[i]));
      }
    }
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Leaf* leaf = LeafAt(at[i]);
    indexes[i] += PlaceOf(leaf, records[i], FragmentFor(leaf, probes[i].words));
  }
}

void RankTree::Warm(std::span<const Words> words) const {
  LAUREL_ASSERT(words.size() <= 2 * kBatch);
  std::array<Handle, 2 * kBatch> at;
  std::fill_n(at.begin(), words.size(), root_);
  Probe probe;
  for (unsigned level = 0; level < height_; ++level) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      probe.words = words[i];
      const Inner* node = InnerAt(at[i]);
      at[i] = node->children[ChildFor(node, probe)];
      if (level + 1 == height_) {
        PrefetchLeaf(LeafAt(at[i]));
      } else if (level + 2 == height_) {
        PrefetchInner(InnerAt(at[i]));
      }
    }
  }
}

void RankTree::PrefetchInner(const Inner* node) const {
  PrefetchBytes(node->first_words.data(),
                sizeof(node->first_words) + sizeof(node->children) + sizeof(node->counts));
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
    count += SumBefore(path.steps[level].node->counts, path.steps[level].slot);
  }
  return count + LowerBound(path.leaf, probe, FragmentFor(path.leaf, probe.words));
}

std::uint64_t RankTree::DistinctScores(std::uint64_t count) const {
  if (count == 0) return 0;
  std::uint64_t index = count - 1;  // the last entry that counts
  std::uint64_t distinct = 0;
  Handle at = root_;
  for (unsigned level = 0; level < height_; ++level) {
    const Inner* node = InnerAt(at);
    unsigned slot = 0;
    while (index >= node->counts[slot]) {
      index -= node->counts[slot];
      distinct += node->marks[slot];
      ++slot;
    }
    at = node->children[slot];
  }
  const std::uint64_t upto = ~std::uint64_t{0} >> (63 - index);
  return distinct + static_cast<std::uint64_t>(std::popcount(LeafAt(at)->marks & upto));
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
