// Checks the invariants of rank_tree.h.
#include <bit>

#include "core/store/rank_tree.h"

namespace laurel::core {

std::string RankTree::Validate() const {
  Handle last_cell = kNoHandle;
  Handle last_leaf = kNoHandle;
  std::uint64_t entries = 0;
  std::uint64_t score_starts = 0;
  std::string broken = ValidateNode(root_, height_, nullptr, nullptr, &last_cell, &last_leaf,
                                    &entries, &score_starts);
  if (!broken.empty()) return "tree: " + broken;
  if (entries != size_) return "tree: size is not the number of entries";
  if (last_leaf != kNoHandle && LeafAt(last_leaf)->next != kNoHandle)
    return "tree: last leaf's link";
  if (height_ > 0 && InnerAt(root_)->count < 2) return "tree: root with one child";
  return {};
}

std::string RankTree::ValidateNode(Handle handle, unsigned height, const Separator* low,
                                   const Separator* high, Handle* last_cell, Handle* last_leaf,
                                   std::uint64_t* entries, std::uint64_t* score_starts) const {
  if (height == 0) {
    const Leaf* leaf = LeafAt(handle);
    if (leaf->previous != *last_leaf) return "leaf links";
    if (*last_leaf != kNoHandle && LeafAt(*last_leaf)->next != handle) return "leaf links";
    if (leaf->count == 0 && height_ > 0) return "empty leaf";
    if (leaf->count > leaf_entries_) return "overfull leaf";
    *last_leaf = handle;
    *entries += leaf->count;
    *score_starts += static_cast<std::uint64_t>(std::popcount(leaf->score_starts));
    return ValidateLeaf(leaf, low, high, last_cell);
  }
  const Inner* node = InnerAt(handle);
  if (node->count == 0 || node->count > inner_children_) return "inner node size";
  if (node->tails[0] != kNoHandle) return "separator left of the first child";
  for (unsigned word = 0; word < order_words_; ++word) {
    for (unsigned i = node->count; i < kInnerChildren; ++i) {
      if (Column(node, word)[i] != UINT64_MAX) return "word in an unused slot";
    }
  }
  for (unsigned i = 0; i < node->count; ++i) {
    const Separator left = GetSeparator(node, i);
    const Separator right = i + 1 < node->count ? GetSeparator(node, i + 1) : Separator{};
    std::uint64_t child_entries = 0;
    std::uint64_t child_score_starts = 0;
    std::string broken = ValidateNode(node->children[i], height - 1, i > 0 ? &left : low,
                                      i + 1 < node->count ? &right : high, last_cell, last_leaf,
                                      &child_entries, &child_score_starts);
    if (!broken.empty()) return broken;
    if (child_entries != node->counts[i]) return "entry count of a child";
    if (child_score_starts != node->score_starts[i]) return "mark count of a child";
    *entries += child_entries;
    *score_starts += child_score_starts;
  }
  return {};
}

std::string RankTree::ValidateLeaf(const Leaf* leaf, const Separator* low, const Separator* high,
                                   Handle* last_cell) const {
  // <0, 0, >0: the probe is before, at or after the separator.
  const auto compare = [this](const Probe& probe, const Separator& separator) {
    for (unsigned i = 0; i < order_words_; ++i) {
      if (probe.words[i] != separator.words[i]) {
        return probe.words[i] < separator.words[i] ? -1 : 1;
      }
    }
    return CompareTail(probe, separator.tail);
  };
  if (leaf->count < 64 && leaf->score_starts >> leaf->count != 0)
    return "mark beyond the leaf's end";
  for (unsigned i = 0; i < leaf->count; ++i) {
    const Handle cell = HandlesOf(leaf)[i];
    MemberBuffer buffer;
    const Probe probe = ProbeOf(cell, buffer);
    if (*last_cell != kNoHandle && Compare(probe, *last_cell) <= 0) return "keys out of order";
    if (low != nullptr && compare(probe, *low) < 0) return "key below its separator";
    if (high != nullptr && compare(probe, *high) >= 0) return "key above its separator";
    const bool is_score_start = *last_cell == kNoHandle || !SameScore(probe.words, *last_cell);
    if (is_score_start != (((leaf->score_starts >> i) & 1) != 0)) return "wrong mark";
    if (FragmentsOf(leaf)[i] != FragmentFor(leaf, probe.words)) return "wrong fragment";
    if (i > 0 && FragmentsOf(leaf)[i] < FragmentsOf(leaf)[i - 1]) return "falling fragments";
    *last_cell = cell;
  }
  for (unsigned i = leaf->count; i < kLeafEntries; ++i) {
    if (FragmentsOf(leaf)[i] != kClampedHigh) return "fragment in an unused slot";
  }
  return {};
}

}  // namespace laurel::core
