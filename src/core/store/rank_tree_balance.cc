// Keeping nodes well filled: sharing, splitting and merging, and building from sorted input.
#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "base/assert.h"
#include "core/store/rank_tree.h"

namespace laurel::core {
namespace {

// `parts` sizes with the sum `total`, as even as possible.
std::vector<unsigned> EvenSizes(std::size_t total, std::size_t parts) {
  std::vector<unsigned> sizes(parts, static_cast<unsigned>(total / parts));
  for (std::size_t i = 0; i < total % parts; ++i) ++sizes[i];
  return sizes;
}

}  // namespace

// Separators ----------------------------------------------------------------------------------

RankTree::Separator RankTree::GetSeparator(const Inner* node, unsigned slot) const {
  Separator separator;
  for (unsigned word = 0; word < order_words_; ++word) {
    separator.words[word] = Column(node, word)[slot];
  }
  separator.tail = node->tails[slot];
  return separator;
}

void RankTree::SetSeparator(Inner* node, unsigned slot, const Separator& separator) {
  for (unsigned word = 0; word < order_words_; ++word) {
    Column(node, word)[slot] = separator.words[word];
  }
  node->tails[slot] = separator.tail;
}

RankTree::Separator RankTree::Between(Handle left, Handle right) {
  Separator separator;
  separator.words = cells_->WordsOf(right);
  for (unsigned word = 0; word < order_words_; ++word) {
    if (cells_->WordAt(left, word) != separator.words[word]) return separator;
  }
  MemberBuffer left_buffer;
  MemberBuffer right_buffer;
  const std::string_view before = cells_->MemberOf(left, left_buffer);
  const std::string_view after = cells_->MemberOf(right, right_buffer);
  const auto differs = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const auto shared = static_cast<std::size_t>(differs.second - after.begin());
  separator.tail = cells_->NewBytes(after.substr(0, shared + 1));
  LAUREL_ASSERT(separator.tail != kNoHandle);
  return separator;
}

void RankTree::FreeTail(Handle tail) {
  if (tail != kNoHandle) cells_->FreeBytes(tail);
}

// Children of an inner node ------------------------------------------------------------------

void RankTree::MoveChildren(Inner* from, unsigned from_slot, Inner* to, unsigned to_slot,
                            unsigned count) {
  const auto move = [&](auto* source, auto* target) {
    std::copy_n(source + from_slot, count, target + to_slot);
  };
  move(from->children.data(), to->children.data());
  move(from->counts.data(), to->counts.data());
  move(from->score_starts.data(), to->score_starts.data());
  move(from->tails.data(), to->tails.data());
  for (unsigned word = 0; word < order_words_; ++word) move(Column(from, word), Column(to, word));
}

void RankTree::SetCount(Inner* node, unsigned count) const {
  LAUREL_ASSERT(count <= kInnerChildren);
  node->count = count;
  for (unsigned word = 0; word < order_words_; ++word) {
    std::fill(Column(node, word) + count, Column(node, word) + kInnerChildren, UINT64_MAX);
  }
}

void RankTree::ResizeSlots(Inner* node, unsigned slot, unsigned before, unsigned after) {
  LAUREL_ASSERT(slot + before <= node->count);
  const unsigned behind = node->count - slot - before;
  const auto shift = [&](auto* array) {
    auto* from = array + slot + before;
    auto* to = array + slot + after;
    if (after > before) {
      std::copy_backward(from, from + behind, to + behind);
    } else {
      std::copy(from, from + behind, to);
    }
  };
  shift(node->children.data());
  shift(node->counts.data());
  shift(node->score_starts.data());
  shift(node->tails.data());
  for (unsigned word = 0; word < order_words_; ++word) shift(Column(node, word));
  SetCount(node, node->count + after - before);
}

std::uint32_t RankTree::TotalEntries(const Inner* node) const {
  return std::accumulate(node->counts.begin(), node->counts.begin() + node->count, 0u);
}

std::uint32_t RankTree::TotalScoreStarts(const Inner* node) const {
  return std::accumulate(node->score_starts.begin(), node->score_starts.begin() + node->count, 0u);
}

// Leaves --------------------------------------------------------------------------------------

// The entries of up to kGroup neighbouring leaves, in order. Not initialised: only the first
// `total` elements of the arrays are set.
struct RankTree::Gathered {
  std::array<Handle, kGroup * kLeafEntries> handles;
  std::array<Fragment, kGroup * kLeafEntries> fragments;
  std::array<std::uint8_t, kGroup * kLeafEntries> score_starts;
  unsigned total = 0;

  void Add(const RankTree& tree, const Leaf* leaf) {
    const unsigned count = leaf->count;
    const std::uint64_t starts = leaf->score_starts;
    std::copy_n(tree.HandlesOf(leaf), count, handles.begin() + total);
    std::copy_n(tree.FragmentsOf(leaf), count, fragments.begin() + total);
    std::uint8_t* to = score_starts.data() + total;
    for (unsigned k = 0; k < count; ++k) to[k] = static_cast<std::uint8_t>((starts >> k) & 1);
    total += count;
  }

  // Replaces the entries of the leaf by `count` of these. The leaf keeps its frame.
  void Fill(const RankTree& tree, Leaf* leaf, unsigned from, unsigned count) const {
    std::uint64_t starts = 0;
    for (unsigned k = 0; k < count; ++k) starts |= std::uint64_t{score_starts[from + k]} << k;
    leaf->count = static_cast<std::uint8_t>(count);
    leaf->reframe_at = 0;
    leaf->score_starts = starts;
    std::copy_n(handles.begin() + from, count, tree.HandlesOf(leaf));
    std::copy_n(fragments.begin() + from, count, tree.FragmentsOf(leaf));
    SetUnused(tree.FragmentsOf(leaf), count);
  }

  // Whether more than an eighth of the neighbours have equal fragments: a new frame then pays.
  [[nodiscard]] bool HasManyEqualFragments() const {
    unsigned alike = 0;
    for (unsigned i = 1; i < total; ++i) alike += fragments[i] == fragments[i - 1] ? 1u : 0u;
    return alike > total / 8;
  }
};

Handle RankTree::NewLeafAfter(Handle previous) {
  const Handle handle = NewLeaf();
  Leaf* leaf = LeafAt(handle);
  Leaf* left = LeafAt(previous);
  leaf->previous = previous;
  leaf->next = left->next;
  left->next = handle;
  if (leaf->next != kNoHandle) LeafAt(leaf->next)->previous = handle;
  return handle;
}

void RankTree::UnlinkAndFree(Handle handle) {
  const Leaf* leaf = LeafAt(handle);
  LAUREL_ASSERT(leaf->previous != kNoHandle);
  LeafAt(leaf->previous)->next = leaf->next;
  if (leaf->next != kNoHandle) LeafAt(leaf->next)->previous = leaf->previous;
  FreeLeaf(handle);
}

void RankTree::Redistribute(Inner* parent, unsigned slot, unsigned before,
                            std::span<const unsigned> sizes) {
  const auto after = static_cast<unsigned>(sizes.size());
  LAUREL_ASSERT(before > 0 && before <= kGroup && after > 0 && after <= kGroup);
  LAUREL_ASSERT(slot + before <= parent->count);
  ++parent->version;
  Gathered gathered;
  std::array<Handle, kGroup> leaves{};
  bool same_frame = true;
  for (unsigned i = 0; i < before; ++i) {
    leaves[i] = parent->children[slot + i];
    const Leaf* leaf = LeafAt(leaves[i]);
    same_frame = same_frame && SameFrame(leaf, LeafAt(leaves[0]));
    gathered.Add(*this, leaf);
    if (i > 0) FreeTail(parent->tails[slot + i]);
  }
  for (unsigned i = before; i < after; ++i) leaves[i] = NewLeafAfter(leaves[i - 1]);
  for (unsigned i = after; i < before; ++i) UnlinkAndFree(leaves[i]);
  const Separator first = slot > 0 ? GetSeparator(parent, slot) : Separator{};
  ResizeSlots(parent, slot, before, after);
  const auto& handles = gathered.handles;
  std::array<Leaf*, kGroup> filled{};
  unsigned taken = 0;
  for (unsigned i = 0; i < after; ++i) {
    Leaf* leaf = filled[i] = LeafAt(leaves[i]);
    gathered.Fill(*this, leaf, taken, sizes[i]);
    if (i > 0) CopyFrame(filled[0], leaf);
    parent->children[slot + i] = leaves[i];
    parent->counts[slot + i] = sizes[i];
    parent->score_starts[slot + i] = static_cast<std::uint32_t>(std::popcount(leaf->score_starts));
    SetSeparator(parent, slot + i, i == 0 ? first : Between(handles[taken - 1], handles[taken]));
    taken += sizes[i];
  }
  LAUREL_ASSERT(taken == gathered.total);
  if (!same_frame || gathered.HasManyEqualFragments()) {
    Reframe({handles.data(), taken}, {filled.data(), after});
  }
}

void RankTree::RedistributeEvenly(Inner* parent, unsigned slot, unsigned before, unsigned after) {
  const std::size_t total = SumOf(parent->counts, slot, before);
  Redistribute(parent, slot, before, EvenSizes(total, after));
}

void RankTree::MakeRoom(const Path& path, unsigned place) {
  if (height_ == 0) {
    RaiseRoot();
    return;
  }
  Inner* parent = path.steps[height_ - 1].node;
  const unsigned slot = path.steps[height_ - 1].slot;
  const unsigned full = leaf_entries_;
  const bool at_edge = place == 0 || place == full;
  const unsigned room_left = slot > 0 ? full - parent->counts[slot - 1] : 0;
  const unsigned room_right = slot + 1 < parent->count ? full - parent->counts[slot + 1] : 0;
  // The room in a sibling for which moving entries pays: an eighth of a leaf. At the edge of a leaf
  // half a leaf, because input that arrives in order would otherwise be moved again and again.
  const unsigned worthwhile = at_edge ? full / 2 : std::max(2u, full / 8);
  if (std::max(room_left, room_right) >= worthwhile) {
    RedistributeEvenly(parent, room_left > room_right ? slot - 1 : slot, 2, 2);
    return;
  }
  if (parent->count == inner_children_) {
    SplitFullInner(path);
    return;
  }
  if (at_edge) {
    const std::array<unsigned, 2> sizes =
        place == 0 ? std::array{1u, full - 1} : std::array{full - 1, 1u};
    Redistribute(parent, slot, 1, sizes);
    return;
  }
  const unsigned first = slot > 0 ? slot - 1 : 0;
  const unsigned group = std::min(parent->count - first, kGroup - 1);
  RedistributeEvenly(parent, first, group, group + 1);
}

bool RankTree::MergeLeaf(const Path& path) {
  Inner* parent = path.steps[height_ - 1].node;
  const unsigned slot = path.steps[height_ - 1].slot;
  const unsigned good = leaf_entries_ - leaf_entries_ / 16;  // entries of a well filled leaf
  for (unsigned group = 2; group <= std::min(kGroup, parent->count); ++group) {
    const unsigned lowest = slot + 1 >= group ? slot + 1 - group : 0;
    const unsigned highest = std::min(slot, parent->count - group);
    for (unsigned first = lowest; first <= highest; ++first) {
      if (SumOf(parent->counts, first, group) > (group - 1) * good) continue;
      RedistributeEvenly(parent, first, group, group - 1);
      FixInner(path, height_ - 1);
      return true;
    }
  }
  const unsigned count = parent->counts[slot];
  if (count >= leaf_entries_ / 4 && count > 0) return false;
  RedistributeEvenly(parent, slot > 0 ? slot - 1 : slot, 2, 2);
  return true;
}

// Inner nodes ---------------------------------------------------------------------------------

void RankTree::RaiseRoot() {
  LAUREL_ASSERT(height_ < kMaxHeight);
  ++version_;
  const Handle handle = NewInner();
  Inner* root = InnerAt(handle);
  SetCount(root, 1);
  root->children[0] = root_;
  if (height_ == 0) {
    root->counts[0] = LeafAt(root_)->count;
    root->score_starts[0] = static_cast<std::uint32_t>(std::popcount(LeafAt(root_)->score_starts));
  } else {
    root->counts[0] = TotalEntries(InnerAt(root_));
    root->score_starts[0] = TotalScoreStarts(InnerAt(root_));
  }
  SetSeparator(root, 0, Separator{});
  root_ = handle;
  ++height_;
}

void RankTree::SplitFullInner(const Path& path) {
  unsigned level = height_ - 1;
  while (level > 0 && path.steps[level - 1].node->count == inner_children_) --level;
  if (level == 0) {
    RaiseRoot();  // the new root has room, so the next attempt splits
    return;
  }
  SplitInner(path, level);
}

void RankTree::SplitInner(const Path& path, unsigned level) {
  ++version_;
  Inner* parent = path.steps[level - 1].node;
  const unsigned slot = path.steps[level - 1].slot;
  Inner* left = path.steps[level].node;
  LAUREL_ASSERT(parent->count < inner_children_);
  // Rising input fills nodes: the right node gets only the last two children.
  const bool rising = path.steps[level].slot + 1 == left->count && slot + 1 == parent->count;
  const unsigned keep = rising ? left->count - 2 : left->count / 2;
  const Handle right_handle = NewInner();
  Inner* right = InnerAt(right_handle);
  SetCount(right, left->count - keep);
  MoveChildren(left, keep, right, 0, right->count);
  SetCount(left, keep);
  const Separator middle = GetSeparator(right, 0);
  SetSeparator(right, 0, Separator{});
  ResizeSlots(parent, slot + 1, 0, 1);
  parent->children[slot + 1] = right_handle;
  SetSeparator(parent, slot + 1, middle);
  for (const unsigned i : {slot, slot + 1}) {
    parent->counts[i] = TotalEntries(InnerAt(parent->children[i]));
    parent->score_starts[i] = TotalScoreStarts(InnerAt(parent->children[i]));
  }
}

void RankTree::FixInner(const Path& path, unsigned level) {
  Inner* node = path.steps[level].node;
  const unsigned least = std::max(2u, inner_children_ / 4);
  if (level == 0) {
    CollapseRoot();
    return;
  }
  if (node->count >= least) return;
  ++version_;
  Inner* parent = path.steps[level - 1].node;
  const unsigned own_slot = path.steps[level - 1].slot;
  const unsigned slot = own_slot > 0 ? own_slot - 1 : own_slot;
  LAUREL_ASSERT(slot + 1 < parent->count);
  const Handle left_handle = parent->children[slot];
  const Handle right_handle = parent->children[slot + 1];
  Inner* left = InnerAt(left_handle);
  Inner* right = InnerAt(right_handle);
  const unsigned total = left->count + right->count;
  SetSeparator(right, 0, GetSeparator(parent, slot + 1));
  if (total <= inner_children_ - inner_children_ / 8) {
    MoveChildren(right, 0, left, left->count, right->count);
    SetCount(left, total);
    FreeInner(right_handle);
    ResizeSlots(parent, slot + 1, 1, 0);
    parent->counts[slot] = TotalEntries(left);
    parent->score_starts[slot] = TotalScoreStarts(left);
    FixInner(path, level - 1);
    return;
  }
  const unsigned keep = total / 2;
  if (left->count > keep) {
    const unsigned moved = left->count - keep;
    ResizeSlots(right, 0, 0, moved);
    MoveChildren(left, keep, right, 0, moved);
    SetCount(left, keep);
  } else {
    const unsigned moved = keep - left->count;
    MoveChildren(right, 0, left, left->count, moved);
    SetCount(left, keep);
    ResizeSlots(right, 0, moved, 0);
  }
  SetSeparator(parent, slot + 1, GetSeparator(right, 0));
  SetSeparator(right, 0, Separator{});
  for (const unsigned i : {slot, slot + 1}) {
    parent->counts[i] = TotalEntries(InnerAt(parent->children[i]));
    parent->score_starts[i] = TotalScoreStarts(InnerAt(parent->children[i]));
  }
}

void RankTree::CollapseRoot() {
  while (height_ > 0 && InnerAt(root_)->count == 1) {
    ++version_;
    const Handle child = InnerAt(root_)->children[0];
    FreeInner(root_);
    root_ = child;
    --height_;
  }
}

// Bulk build ----------------------------------------------------------------------------------

void RankTree::Build(std::span<const Handle> cells) {
  LAUREL_ASSERT(size_ == 0 && height_ == 0);
  ++version_;
  if (cells.empty()) return;
  FreeLeaf(root_);
  std::vector<Built> level = BuildLeaves(cells);
  while (level.size() > 1) {
    level = BuildLevelAbove(level);
    ++height_;
  }
  LAUREL_ASSERT(level[0].entries == cells.size());  // invariant 3
  root_ = level[0].node;
  size_ = cells.size();
}

std::vector<RankTree::Built> RankTree::BuildLeaves(std::span<const Handle> cells) {
  // A sixteenth of every leaf stays free, so that the first writes after a load do not split them
  // all.
  const unsigned per_leaf = leaf_entries_ - leaf_entries_ / 16;
  std::vector<Built> level;
  Handle previous = kNoHandle;
  std::size_t taken = 0;
  Words before{};
  for (const unsigned size : EvenSizes(cells.size(), (cells.size() + per_leaf - 1) / per_leaf)) {
    const Handle handle = NewLeaf();
    Leaf* leaf = LeafAt(handle);
    leaf->count = static_cast<std::uint8_t>(size);
    const std::size_t after_next = std::min<std::size_t>(cells.size(), taken + 2 * size);
    for (std::size_t i = taken + size; i < after_next; ++i) cells_->Prefetch(cells[i]);
    for (unsigned i = 0; i < size; ++i) {
      const Handle cell = cells[taken + i];
      HandlesOf(leaf)[i] = cell;
      const bool is_score_start = taken + i == 0 || !SameScore(before, cell);
      leaf->score_starts |= std::uint64_t{is_score_start} << i;
      if (is_score_start) before = cells_->WordsOf(cell);
    }
    Reframe(leaf);
    SetUnused(FragmentsOf(leaf), size);
    leaf->previous = previous;
    if (previous != kNoHandle) LeafAt(previous)->next = handle;
    previous = handle;
    level.push_back({handle, size, static_cast<std::uint32_t>(std::popcount(leaf->score_starts)),
                     taken == 0 ? Separator{} : Between(cells[taken - 1], cells[taken])});
    taken += size;
  }
  LAUREL_ASSERT(taken == cells.size());
  return level;
}

std::vector<RankTree::Built> RankTree::BuildLevelAbove(std::span<const Built> level) {
  const unsigned per_inner = inner_children_ - inner_children_ / 4;
  std::vector<Built> above;
  std::size_t child = 0;
  for (const unsigned size : EvenSizes(level.size(), (level.size() + per_inner - 1) / per_inner)) {
    const Handle handle = NewInner();
    Inner* node = InnerAt(handle);
    SetCount(node, size);
    const Separator own = level[child].separator;
    for (unsigned i = 0; i < size; ++i, ++child) {
      node->children[i] = level[child].node;
      node->counts[i] = level[child].entries;
      node->score_starts[i] = level[child].score_starts;
      SetSeparator(node, i, i == 0 ? Separator{} : level[child].separator);
    }
    above.push_back({handle, TotalEntries(node), TotalScoreStarts(node), own});
  }
  LAUREL_ASSERT(child == level.size());
  return above;
}

}  // namespace laurel::core
