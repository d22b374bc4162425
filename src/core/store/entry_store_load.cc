// Bulk load: records as they come, then the index, the order and the tree at once.
#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"
#include "core/store/entry_store.h"
#include "core/store/record_sort.h"

namespace laurel::core {
namespace {

// So that a bucket has arrived when its entry's turn comes.
constexpr std::size_t kIndexedAhead = 16;

}  // namespace

std::vector<Handle> EntryStore::IndexRecords(std::span<const Handle> records) {
  MemberIndex& index = large_->index;
  index.Reserve(records.size());
  std::vector<Handle> replaced;
  std::array<std::uint64_t, kIndexedAhead> hashes;
  for (std::size_t i = 0; i < records.size() + kIndexedAhead; ++i) {
    std::uint64_t& hash = hashes[i % kIndexedAhead];
    if (i >= kIndexedAhead) {
      const Handle record = records[i - kIndexedAhead];
      const Handle present = index.InsertIfAbsent(record, hash);
      if (present != kNoHandle) {
        index.Replace(present, record, hash);
        replaced.push_back(present);
      }
    }
    if (i < records.size()) {
      hash = large_->records.HashOf(records[i]);
      index.Prefetch(hash);
    }
  }
  return replaced;
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
    packed_hashes_.erase(same);
  }
  const bool last = store.packed_.size() == 0 || store.layout_->CompareOrder(last_, words) < 0;
  const unsigned place =
      last ? store.packed_.size()
           : store.PackedLowerBound(Probe{words, Probe::Among::kAtMember, member.text()});
  if (!store.packed_.Insert(place, words, member, meta)) return false;
  if (last) last_ = words;
  packed_hashes_.push_back(hash);
  return true;
}

bool EntryStore::Loader::InOrder(const MemberKey& member, const Words& words) const {
  if (records_.empty()) return true;
  const int order = store_->layout_->CompareOrder(last_, words);
  if (order != 0) return order < 0;
  const RecordStore& records = store_->large_->records;
  const Words before = records.WordsOf(records_.back());
  if (store_->layout_->CompareOrder(before, words) != 0) return true;
  MemberBuffer buffer;
  return records.MemberOf(records_.back(), buffer) < member.text();
}

bool EntryStore::Loader::Add(const MemberKey& member, const Words& words, std::string_view meta) {
  EntryStore& store = *store_;
  if (!store.large_) {
    if (AddPacked(member, words, meta)) return true;
    records_ = store.Unpack();
  }
  if (!store.HasRoom()) return false;
  sorted_ = sorted_ && InOrder(member, words);
  last_ = words;
  const Handle record = store.large_->records.Create(words, member, meta);
  LAUREL_ASSERT(record != kNoHandle);
  records_.push_back(record);
  return true;
}

void EntryStore::Loader::Index() {
  indexed_ = true;
  if (store_->large_) replaced_ = store_->IndexRecords(records_);
}

void EntryStore::Loader::Sort() {
  ordered_ = true;
  if (!store_->large_) return;
  order_ = records_;
  if (!sorted_) SortRecords(store_->large_->records, &order_);
}

void EntryStore::Loader::DestroyReplaced() {
  std::sort(replaced_.begin(), replaced_.end());
  std::erase_if(order_, [&](Handle record) {
    return std::binary_search(replaced_.begin(), replaced_.end(), record);
  });
  for (const Handle record : replaced_) store_->large_->records.Destroy(record);
}

void EntryStore::Loader::Finish() {
  if (!indexed_) Index();
  if (!ordered_) Sort();
  if (!store_->large_) return;
  if (!replaced_.empty()) DestroyReplaced();
  store_->large_->tree.Build(order_);
  if (!replaced_.empty()) store_->PackIfSmall();
}

}  // namespace laurel::core
