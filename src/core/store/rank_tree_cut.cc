// Cutting a range of entries out of the tree, and dissolving what was cut off.
//
//            root                      root
//       ┌──────┼──────┐            ┌────┴────┐
//       a      b      c      ►     a'        c'        + b, a subtree, and the cells that a and c
//     ▓▓▒▒   ▒▒▒▒   ▒▒▓▓           ▓▓        ▓▓          have lost
//
// Only the nodes on the two edges of the range are read. Each of them keeps at least one child or
// entry. Nodes that have become too small are then merged with their neighbours, the highest node
// first: its parent then always has another child to merge it with.
#include <bit>

#include "base/assert.h"
#include "core/store/rank_tree.h"

namespace laurel::core {

void RankTree::Cut(std::uint64_t first, std::uint64_t count, Cuttings* cuttings) {
  LAUREL_ASSERT(count > 0 && count < size_ && first <= size_ - count);
  Path before;
  Path behind;
  const bool has_before = first > 0;
  const bool has_behind = first + count < size_;
  if (has_before) DescendTo(first - 1, &before);
  if (has_behind) DescendTo(first + count, &behind);
  const Handle left = has_before ? LeafHandle(before) : kNoHandle;
  const Handle right = has_behind ? LeafHandle(behind) : kNoHandle;

  ++version_;
  const Sums cut = CutBelow(root_, height_, first, count, cuttings);
  LAUREL_ASSERT(cut.entries == count);  // invariant 3
  size_ -= count;
  if (left != right) {
    if (has_before) LeafAt(left)->next = right;
    if (has_behind) LeafAt(right)->previous = left;
  }
  if (has_before) MendAt(first - 1);
  if (has_behind) {
    MendAt(first);
    UpdateScoreStart(first);
  }
}

RankTree::Sums RankTree::CutBelow(Handle handle, unsigned height, std::uint64_t first,
                                  std::uint64_t count, Cuttings* cuttings) {
  if (height == 0) return CutLeaf(LeafAt(handle), first, count, cuttings);
  Inner* node = InnerAt(handle);
  Sums cut;
  unsigned first_whole = 0;  // slot of the first child that is cut off as a whole
  unsigned whole = 0;        // number of such children, which are neighbours
  std::uint64_t begin = 0;   // index of the child's first entry within the node
  for (unsigned slot = 0; slot < node->count && begin < first + count; ++slot) {
    const std::uint64_t entries = node->counts[slot];
    const std::uint64_t from = std::max(first, begin);
    const std::uint64_t to = std::min(first + count, begin + entries);
    if (from < to && to - from == entries) {
      if (whole++ == 0) first_whole = slot;
      cuttings->subtrees.push_back({node->children[slot], height - 1});
      cut.entries += node->counts[slot];
      cut.score_starts += node->score_starts[slot];
    } else if (from < to) {
      const Sums part =
          CutBelow(node->children[slot], height - 1, from - begin, to - from, cuttings);
      node->counts[slot] -= part.entries;
      node->score_starts[slot] -= part.score_starts;
      cut.entries += part.entries;
      cut.score_starts += part.score_starts;
    }
    begin += entries;
  }
  LAUREL_ASSERT(whole < node->count);
  ++node->version;
  if (whole == 0) return cut;
  for (unsigned slot = first_whole; slot < first_whole + whole; ++slot) {
    FreeTail(node->tails[slot]);
  }
  ResizeSlots(node, first_whole, whole, 0);
  if (first_whole == 0) {  // the first child has no separator on its left
    FreeTail(node->tails[0]);
    SetSeparator(node, 0, Separator{});
  }
  return cut;
}

RankTree::Sums RankTree::CutLeaf(Leaf* leaf, std::uint64_t first, std::uint64_t count,
                                 Cuttings* cuttings) {
  LAUREL_ASSERT(first + count <= leaf->count && count < leaf->count);
  const auto place = static_cast<unsigned>(first);
  const auto gone = static_cast<unsigned>(count);
  const unsigned behind = leaf->count - place - gone;
  Handle* handles = HandlesOf(leaf);
  Fragment* fragments = FragmentsOf(leaf);
  cuttings->cells.insert(cuttings->cells.end(), handles + place, handles + place + gone);
  std::copy_n(handles + place + gone, behind, handles + place);
  std::copy_n(fragments + place + gone, behind, fragments + place);
  const auto score_starts = static_cast<std::uint32_t>(std::popcount(leaf->score_starts));
  const std::uint64_t below = (std::uint64_t{1} << place) - 1;
  const std::uint64_t above = behind == 0 ? 0 : leaf->score_starts >> (place + gone) << place;
  leaf->score_starts = (leaf->score_starts & below) | above;
  leaf->count = static_cast<std::uint8_t>(leaf->count - gone);
  SetUnused(fragments, leaf->count);
  return {gone, score_starts - static_cast<std::uint32_t>(std::popcount(leaf->score_starts))};
}

void RankTree::MendAt(std::uint64_t index) {
  const unsigned least = std::max(2u, inner_children_ / 4);
  for (bool mended = true; mended;) {
    mended = false;
    CollapseRoot();
    Path path;
    DescendTo(index, &path);
    for (unsigned level = 1; level < height_ && !mended; ++level) {
      if (path.steps[level].node->count >= least) continue;
      FixInner(path, level);
      mended = true;
    }
    if (!mended && height_ > 0 && path.leaf->count < merge_below_) mended = MergeLeaf(path);
  }
}

void RankTree::UpdateScoreStart(std::uint64_t index) {
  Path path;
  const unsigned place = DescendTo(index, &path);
  const std::uint64_t bit = std::uint64_t{1} << place;
  const bool was_score_start = (path.leaf->score_starts & bit) != 0;
  const bool is_score_start =
      index == 0 || !SameScore(cells_->WordsOf(Select(index - 1)), HandlesOf(path.leaf)[place]);
  if (is_score_start == was_score_start) return;
  path.leaf->score_starts ^= bit;
  AddCounts(path, 0, is_score_start ? 1 : -1);
}

bool RankTree::Dissolve(Cuttings* cuttings) {
  if (cuttings->subtrees.empty()) return false;
  const Subtree subtree = cuttings->subtrees.back();
  cuttings->subtrees.pop_back();
  if (subtree.height == 0) {
    const Leaf* leaf = LeafAt(subtree.node);
    const Handle* handles = HandlesOf(leaf);
    cuttings->cells.insert(cuttings->cells.end(), handles, handles + leaf->count);
    FreeLeaf(subtree.node);
    return true;
  }
  const Inner* node = InnerAt(subtree.node);
  for (unsigned slot = 0; slot < node->count; ++slot) {
    cuttings->subtrees.push_back({node->children[slot], subtree.height - 1});
    FreeTail(node->tails[slot]);
  }
  FreeInner(subtree.node);
  return true;
}

void RankTree::Rebuild(std::span<const Handle> cells) {
  LAUREL_ASSERT(size_ == 0 || size_ == cells.size());  // 0: the cells are not in the tree yet
  Cuttings all;
  all.subtrees.push_back({root_, height_});
  while (Dissolve(&all)) all.cells.clear();
  root_ = NewLeaf();
  height_ = 0;
  size_ = 0;
  Build(cells);
}

bool RankTree::Contains(Handle cell) const {
  MemberBuffer buffer;
  const Probe probe = ProbeOf(cell, buffer);
  Path path;
  Descend(probe, &path);
  const unsigned place = LowerBound(path.leaf, probe, FragmentFor(path.leaf, probe.words));
  return place < path.leaf->count && HandlesOf(path.leaf)[place] == cell;
}

unsigned RankTree::DescendTo(std::uint64_t index, Path* path) const {
  LAUREL_ASSERT(index < size_);
  Handle at = root_;
  for (unsigned level = 0; level < height_; ++level) {
    Inner* node = InnerAt(at);
    unsigned slot = 0;
    while (index >= node->counts[slot]) index -= node->counts[slot++];
    path->steps[level] = {node, slot};
    at = node->children[slot];
  }
  path->leaf = LeafAt(at);
  return static_cast<unsigned>(index);
}

Handle RankTree::LeafHandle(const Path& path) const {
  if (height_ == 0) return root_;
  const auto [node, slot] = path.steps[height_ - 1];
  return node->children[slot];
}

}  // namespace laurel::core
