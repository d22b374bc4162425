// Bulk load: creates cells as entries are added, then builds the index, the order and the tree.
#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"
#include "core/store/cell_sort.h"
#include "core/store/entry_store.h"

namespace laurel::core {
namespace {

// How many entries ahead buckets are prefetched.
constexpr std::size_t kIndexedAhead = 16;
// How many entries ahead cells are prefetched.
constexpr std::size_t kRestampedAhead = 16;

}  // namespace

std::vector<Handle> EntryStore::IndexCells(std::span<const Handle> cells) {
  MemberIndex& index = large_->index;
  index.Reserve(cells.size());
  std::vector<Handle> replaced;
  std::array<std::uint64_t, kIndexedAhead> hashes;
  for (std::size_t i = 0; i < cells.size() + kIndexedAhead; ++i) {
    std::uint64_t& hash = hashes[i % kIndexedAhead];
    if (i >= kIndexedAhead) {
      const Handle cell = cells[i - kIndexedAhead];
      const Handle present = index.InsertIfAbsent(cell, hash);
      if (present != kNoHandle) {
        index.Replace(present, cell, hash);
        replaced.push_back(present);
      }
    }
    if (i < cells.size()) {
      hash = large_->cells.HashOf(cells[i]);
      index.Prefetch(hash);
    }
  }
  return replaced;
}

void EntryStore::Restamp(std::span<const Restamped> order) {
  LAUREL_ASSERT(order.size() == size() && layout_->stamped());
  ++generation_;
  std::vector<Handle> cells;
  if (!large_) {
    if (RestampPacked(order)) return;
    cells = Unpack();  // by place
    IndexCells(cells);
  }
  LAUREL_ASSERT(!large_->has_dead());
  std::vector<Handle> in_order;
  in_order.reserve(order.size());
  for (const Restamped& one : order) {
    in_order.push_back(cells.empty() ? one.entry : cells[one.entry - 1]);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + kRestampedAhead < order.size()) large_->cells.Prefetch(in_order[i + kRestampedAhead]);
    Words words = large_->cells.WordsOf(in_order[i]);
    words[layout_->fields()] = layout_->StampWord(order[i].stamp);
    large_->cells.SetWords(in_order[i], words);
  }
  large_->tree.Rebuild(in_order);
}

bool EntryStore::RestampPacked(std::span<const Restamped> order) {
  PackedEntries packed(layout_, environment_->memory());
  EntryView view;
  for (const Restamped& one : order) {
    Read(one.entry, &view);
    view.words[layout_->fields()] = layout_->StampWord(one.stamp);
    if (!packed.Insert(packed.size(), view.words, MemberKey(view.member), view.meta)) return false;
  }
  packed_.Swap(packed);
  return true;
}

bool EntryStore::Loader::AddPacked(const MemberKey& member, const Words& words,
                                   std::string_view meta) {
  EntryStore& store = *store_;
  const auto hash = static_cast<std::uint32_t>(member.Hash(store.environment_->hash_seed()));
  const auto same = std::find(packed_hashes_.begin(), packed_hashes_.end(), hash);
  const Location present = same == packed_hashes_.end() ? kNowhere : store.Find(member);
  if (present == kNowhere && store.packed_.size() == store.environment_->shape().packed_entries) {
    return false;
  }
  if (present != kNowhere) {
    store.packed_.Erase(present - 1);
    --store.environment_->totals().entries;
    packed_hashes_.erase(same);
  }
  const bool last = store.packed_.size() == 0 || store.layout_->CompareOrder(last_, words) < 0;
  const unsigned place =
      last ? store.packed_.size()
           : store.PackedLowerBound(Probe{words, Probe::Among::kAtMember, member.text()});
  if (!store.packed_.Insert(place, words, member, meta)) return false;
  ++store.environment_->totals().entries;
  if (last) last_ = words;
  packed_hashes_.push_back(hash);
  return true;
}

bool EntryStore::Loader::InOrder(const MemberKey& member, const Words& words) const {
  if (cells_.empty()) return true;
  const int order = store_->layout_->CompareOrder(last_, words);
  if (order != 0) return order < 0;
  const CellStore& cells = store_->large_->cells;
  const Words before = cells.WordsOf(cells_.back());
  if (store_->layout_->CompareOrder(before, words) != 0) return true;
  MemberBuffer buffer;
  return cells.MemberOf(cells_.back(), buffer) < member.text();
}

bool EntryStore::Loader::Add(const MemberKey& member, const Words& words, std::string_view meta) {
  EntryStore& store = *store_;
  if (!store.large_) {
    if (AddPacked(member, words, meta)) return true;
    cells_ = store.Unpack();
    store.environment_->totals().entries -= cells_.size();  // Finish puts them into the tree
  }
  if (!store.HasRoom()) return false;
  added_in_order_ = added_in_order_ && InOrder(member, words);
  last_ = words;
  const Handle cell = store.large_->cells.Create(words, member, meta);
  LAUREL_ASSERT(cell != kNoHandle);
  cells_.push_back(cell);
  return true;
}

void EntryStore::Loader::Index() {
  index_done_ = true;
  if (store_->large_) replaced_ = store_->IndexCells(cells_);
}

void EntryStore::Loader::Sort() {
  sort_done_ = true;
  if (!store_->large_) return;
  order_ = cells_;
  if (!added_in_order_) SortCells(store_->large_->cells, &order_);
}

void EntryStore::Loader::DestroyReplaced() {
  std::sort(replaced_.begin(), replaced_.end());
  std::erase_if(order_, [&](Handle cell) {
    return std::binary_search(replaced_.begin(), replaced_.end(), cell);
  });
  for (const Handle cell : replaced_) store_->large_->cells.Destroy(cell);
}

void EntryStore::Loader::Finish() {
  if (!index_done_) Index();
  if (!sort_done_) Sort();
  if (!store_->large_) return;
  if (!replaced_.empty()) DestroyReplaced();
  LAUREL_ASSERT(store_->large_->index.size() == order_.size());
  store_->large_->tree.Build(order_);
  store_->environment_->totals().entries += order_.size();
  if (!replaced_.empty()) store_->PackIfSmall();
}

}  // namespace laurel::core
