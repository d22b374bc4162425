// Inserting, erasing and moving cells.
#include <bit>

#include "base/assert.h"
#include "core/store/rank_tree.h"

namespace laurel::core {

void RankTree::Insert(Handle cell, const Route* to) {
  MemberBuffer buffer;
  const Probe probe = ProbeOf(cell, buffer);
  Path path;
  const bool current = IsCurrent(to, probe.words);
  if (!current) Descend(probe, &path);
  InsertAlong(current ? &to->path_ : &path, probe, cell);
}

void RankTree::InsertAlong(const Path* path, const Probe& probe, Handle cell) {
  Path again;
  while (true) {
    const Fragment fragment = FragmentFor(path->leaf, probe.words);
    const unsigned place = LowerBound(path->leaf, probe, fragment);
    if (path->leaf->count < leaf_entries_) {
      InsertAt(*path, probe, fragment, place, cell);
      return;
    }
    MakeRoom(*path, place);
    Descend(probe, &again);
    path = &again;
  }
}

void RankTree::Erase(Handle cell) {
  MemberBuffer buffer;
  const Probe probe = ProbeOf(cell, buffer);
  Path path;
  Descend(probe, &path);
  EraseAt(path, PlaceOf(path.leaf, cell, FragmentFor(path.leaf, probe.words)));
  if (path.leaf->count < merge_below_ && height_ > 0) MergeLeaf(path);
}

void RankTree::Move(Handle cell, const Words& words, const Route* route_from,
                    const Route* route_to) {
  MemberBuffer buffer;
  const Probe from = ProbeOf(cell, buffer);
  const Probe to{words, Probe::Among::kAtMember, from.member};
  Path found_from;
  Path found_to;
  const Path* path_from = &found_from;
  const Path* path_to = &found_to;
  if (IsCurrent(route_from, from.words) && IsCurrent(route_to, words)) {
    path_from = &route_from->path_;
    path_to = &route_to->path_;
  } else {
    DescendBoth(from, &found_from, to, &found_to);
  }
  Leaf* leaf = path_from->leaf;
  EraseAt(*path_from, PlaceOf(leaf, cell, FragmentFor(leaf, from.words)));
  cells_->SetWords(cell, words);
  if (leaf != path_to->leaf && leaf->count < merge_below_ && MergeLeaf(*path_from)) {
    Descend(to, &found_to);
    path_to = &found_to;
  }
  InsertAlong(path_to, to, cell);
}

void RankTree::Replace(Handle from, Handle to, const Probe& key) {
  Path path;
  Descend(key, &path);
  HandlesOf(path.leaf)[PlaceOf(path.leaf, from, FragmentFor(path.leaf, key.words))] = to;
}

void RankTree::AddCounts(const Path& path, std::int32_t entries, std::int32_t score_starts) {
  for (unsigned level = 0; level < height_; ++level) {
    const auto [node, slot] = path.steps[level];
    node->counts[slot] += static_cast<std::uint32_t>(entries);
    node->score_starts[slot] += static_cast<std::uint32_t>(score_starts);
  }
  size_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(entries));
}

void RankTree::AddScoreStartsToNext(const Path& path, std::int32_t score_starts) {
  // Goes up to the lowest node in which the path has a right neighbour, then down the left edge of
  // that neighbour.
  unsigned level = height_;
  while (level > 0 && path.steps[level - 1].slot + 1 == path.steps[level - 1].node->count) --level;
  LAUREL_ASSERT(level > 0);
  for (unsigned i = 0; i + 1 < level; ++i) {
    path.steps[i].node->score_starts[path.steps[i].slot] +=
        static_cast<std::uint32_t>(score_starts);
  }
  Inner* node = path.steps[level - 1].node;
  unsigned slot = path.steps[level - 1].slot + 1;
  for (;; ++level, slot = 0) {
    node->score_starts[slot] += static_cast<std::uint32_t>(score_starts);
    if (level == height_) break;
    node = InnerAt(node->children[slot]);
  }
}

// An insert affects the score starts of the new entry and of its successor. If the successor is no
// score start, it has the same score as its predecessor, and so has an entry between the two.
void RankTree::InsertAt(const Path& path, const Probe& probe, Fragment fragment, unsigned place,
                        Handle cell) {
  Leaf* leaf = path.leaf;
  const Fragment* fragments = FragmentsOf(leaf);
  const Handle* handles = HandlesOf(leaf);
  const auto same_as = [&](unsigned other) {
    const auto known = SameScoreByFragment(leaf, fragment, fragments[other]);
    return known ? *known : SameScore(probe.words, handles[other]);
  };

  const bool next_in_leaf = place < leaf->count;
  Leaf* next_leaf = next_in_leaf || leaf->next == kNoHandle ? nullptr : LeafAt(leaf->next);
  const bool next_is_score_start = next_in_leaf ? ((leaf->score_starts >> place) & 1) != 0
                                   : next_leaf  ? (next_leaf->score_starts & 1) != 0
                                                : true;
  bool is_score_start = false;
  bool next_stays_score_start = next_is_score_start;
  if (next_is_score_start) {
    if (place > 0) {
      is_score_start = !same_as(place - 1);
    } else if (leaf->previous != kNoHandle) {
      const Leaf* previous = LeafAt(leaf->previous);
      is_score_start = !SameScore(probe.words, HandlesOf(previous)[previous->count - 1]);
    } else {
      is_score_start = true;
    }
    if (is_score_start) {
      next_stays_score_start = next_in_leaf ? !same_as(place)
                               : next_leaf  ? !SameScore(probe.words, HandlesOf(next_leaf)[0])
                                            : true;
    }
  }
  LeafInsert(leaf, place, cell, fragment, is_score_start);
  std::int32_t score_starts = is_score_start ? 1 : 0;
  if (next_is_score_start && !next_stays_score_start) {
    if (next_in_leaf) {
      leaf->score_starts &= ~(std::uint64_t{1} << (place + 1));
      --score_starts;
    } else {
      next_leaf->score_starts &= ~std::uint64_t{1};
      AddScoreStartsToNext(path, -1);
    }
  }
  AddCounts(path, 1, score_starts);
  if (leaf->count == leaf->reframe_at) Reframe(leaf);
}

// A successor with the same score inherits the score start of the erased entry.
void RankTree::EraseAt(const Path& path, unsigned place) {
  Leaf* leaf = path.leaf;
  const bool is_score_start = ((leaf->score_starts >> place) & 1) != 0;
  std::int32_t score_starts = is_score_start ? -1 : 0;
  if (is_score_start && place + 1u < leaf->count) {
    const std::uint64_t next = std::uint64_t{1} << (place + 1);
    if ((leaf->score_starts & next) == 0) ++score_starts;
    leaf->score_starts |= next;
  } else if (is_score_start && leaf->next != kNoHandle) {
    Leaf* next_leaf = LeafAt(leaf->next);
    if ((next_leaf->score_starts & 1) == 0) {
      next_leaf->score_starts |= 1;
      AddScoreStartsToNext(path, 1);
    }
  }
  LeafErase(leaf, place);
  AddCounts(path, -1, score_starts);
}

}  // namespace laurel::core
