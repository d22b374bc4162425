// Inserting, erasing and moving records.
#include <bit>

#include "base/assert.h"
#include "core/store/rank_tree.h"

namespace laurel::core {

void RankTree::Insert(Handle record, const Route* to) {
  MemberBuffer buffer;
  const Probe probe = ProbeOf(record, buffer);
  Path path;
  const bool current = IsCurrent(to, probe.words);
  if (!current) Descend(probe, &path);
  InsertAlong(current ? &to->path_ : &path, probe, record);
}

void RankTree::InsertAlong(const Path* path, const Probe& probe, Handle record) {
  Path again;
  while (true) {
    const Fragment fragment = FragmentFor(path->leaf, probe.words);
    const unsigned place = LowerBound(path->leaf, probe, fragment);
    if (path->leaf->count < leaf_entries_) {
      InsertAt(*path, probe, fragment, place, record);
      return;
    }
    MakeRoom(*path, place);
    Descend(probe, &again);
    path = &again;
  }
}

void RankTree::Erase(Handle record) {
  MemberBuffer buffer;
  const Probe probe = ProbeOf(record, buffer);
  Path path;
  Descend(probe, &path);
  EraseAt(path, PlaceOf(path.leaf, record, FragmentFor(path.leaf, probe.words)));
  if (path.leaf->count < least_entries_ && height_ > 0) MergeLeaf(path);
}

void RankTree::Move(Handle record, const Words& words, const Route* route_from,
                    const Route* route_to) {
  MemberBuffer buffer;
  const Probe from = ProbeOf(record, buffer);
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
  EraseAt(*path_from, PlaceOf(leaf, record, FragmentFor(leaf, from.words)));
  records_->SetWords(record, words);
  if (leaf != path_to->leaf && leaf->count < least_entries_ && MergeLeaf(*path_from)) {
    Descend(to, &found_to);
    path_to = &found_to;
  }
  InsertAlong(path_to, to, record);
}

void RankTree::Replace(Handle from, Handle to, const Probe& key) {
  Path path;
  Descend(key, &path);
  HandlesOf(path.leaf)[PlaceOf(path.leaf, from, FragmentFor(path.leaf, key.words))] = to;
}

void RankTree::AddCounts(const Path& path, std::int32_t entries, std::int32_t marks) {
  for (unsigned level = 0; level < height_; ++level) {
    const auto [node, slot] = path.steps[level];
    node->counts[slot] += static_cast<std::uint32_t>(entries);
    node->marks[slot] += static_cast<std::uint32_t>(marks);
  }
  size_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(entries));
}

void RankTree::AddMarksToNext(const Path& path, std::int32_t marks) {
  // Up to the first node in which the path has a neighbour on its right, then down its left edge.
  unsigned level = height_;
  while (level > 0 && path.steps[level - 1].slot + 1 == path.steps[level - 1].node->count) --level;
  LAUREL_ASSERT(level > 0);
  for (unsigned i = 0; i + 1 < level; ++i) {
    path.steps[i].node->marks[path.steps[i].slot] += static_cast<std::uint32_t>(marks);
  }
  Inner* node = path.steps[level - 1].node;
  unsigned slot = path.steps[level - 1].slot + 1;
  for (;; ++level, slot = 0) {
    node->marks[slot] += static_cast<std::uint32_t>(marks);
    if (level == height_) break;
    node = InnerAt(node->children[slot]);
  }
}

// Which marks an insert changes: the new entry's own and its successor's. A successor without mark
// has the same score as its predecessor, and so has whatever comes between them.
void RankTree::InsertAt(const Path& path, const Probe& probe, Fragment fragment, unsigned place,
                        Handle record) {
  Leaf* leaf = path.leaf;
  const Fragment* fragments = FragmentsOf(leaf);
  const Handle* handles = HandlesOf(leaf);
  const auto same_as = [&](unsigned other) {
    const auto known = SameScoreByFragment(leaf, fragment, fragments[other]);
    return known ? *known : SameScore(probe.words, handles[other]);
  };

  const bool next_in_leaf = place < leaf->count;
  Leaf* next_leaf = next_in_leaf || leaf->next == kNoHandle ? nullptr : LeafAt(leaf->next);
  const bool next_marked = next_in_leaf ? ((leaf->marks >> place) & 1) != 0
                           : next_leaf  ? (next_leaf->marks & 1) != 0
                                        : true;
  bool mark = false;
  bool next_stays_marked = next_marked;
  if (next_marked) {
    if (place > 0) {
      mark = !same_as(place - 1);
    } else if (leaf->previous != kNoHandle) {
      const Leaf* previous = LeafAt(leaf->previous);
      mark = !SameScore(probe.words, HandlesOf(previous)[previous->count - 1]);
    } else {
      mark = true;
    }
    if (mark) {
      next_stays_marked = next_in_leaf ? !same_as(place)
                          : next_leaf  ? !SameScore(probe.words, HandlesOf(next_leaf)[0])
                                       : true;
    }
  }
  LeafInsert(leaf, place, record, fragment, mark);
  std::int32_t marks = mark ? 1 : 0;
  if (next_marked && !next_stays_marked) {
    if (next_in_leaf) {
      leaf->marks &= ~(std::uint64_t{1} << (place + 1));
      --marks;
    } else {
      next_leaf->marks &= ~std::uint64_t{1};
      AddMarksToNext(path, -1);
    }
  }
  AddCounts(path, 1, marks);
  if (leaf->count == leaf->reframe_at) Reframe(leaf);
}

// A successor of the same score inherits the mark of the entry that goes.
void RankTree::EraseAt(const Path& path, unsigned place) {
  Leaf* leaf = path.leaf;
  const bool mark = ((leaf->marks >> place) & 1) != 0;
  std::int32_t marks = mark ? -1 : 0;
  if (mark && place + 1u < leaf->count) {
    const std::uint64_t next = std::uint64_t{1} << (place + 1);
    if ((leaf->marks & next) == 0) ++marks;
    leaf->marks |= next;
  } else if (mark && leaf->next != kNoHandle) {
    Leaf* next_leaf = LeafAt(leaf->next);
    if ((next_leaf->marks & 1) == 0) {
      next_leaf->marks |= 1;
      AddMarksToNext(path, 1);
    }
  }
  LeafErase(leaf, place);
  AddCounts(path, -1, marks);
}

}  // namespace laurel::core
