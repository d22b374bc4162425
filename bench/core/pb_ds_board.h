// The rival of the speed figures: the same cells and member index as Laurel's, ordered by the
// order-statistics tree that comes with GCC.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>

#include "core/store/cell_store.h"
#include "core/store/member_index.h"
#include "core/store/page_pool.h"
#include "core/store/score_key.h"
#include "core/store/slab.h"

namespace laurel::bench {

class PbDsBoard {
 public:
  explicit PbDsBoard(std::pmr::memory_resource* memory)
      : layout_(Spec()),
        pool_(memory),
        cells_(&layout_, &pool_, kSeed),
        nodes_(&pool_),
        index_(&cells_, &nodes_, &pool_) {}

  void Put(std::string_view member, std::int64_t score, Stamp stamp) {
    const core::MemberKey key(member);
    const std::uint64_t hash = key.Hash(kSeed);
    const core::Words words = layout_.Encode(Score{score}, stamp);
    core::Handle handle = index_.Find(key, hash);
    if (handle == core::kNoHandle) {
      handle = cells_.Create(words, key, {});
      index_.Insert(handle, hash);
    } else {
      tree_.erase(KeyOf(handle));
      cells_.SetWords(handle, words);
    }
    tree_.insert({words[0], words[1], handle});
  }

  void Increment(std::string_view member, std::int64_t by, Stamp stamp) {
    const core::Handle handle = Find(member);
    Put(member, layout_.FieldValue(0, cells_.WordAt(handle, 0)) + by, stamp);
  }

  [[nodiscard]] std::uint64_t IndexOf(std::string_view member) const {
    return tree_.order_of_key(KeyOf(Find(member)));
  }

  // Visits up to `count` cells from `first` on.
  template <typename Visit>
  void ForRange(std::uint64_t first, std::uint64_t count, const Visit& visit) const {
    for (auto at = tree_.find_by_order(first); count > 0 && at != tree_.end(); ++at, --count) {
      visit(at->handle);
    }
  }
  [[nodiscard]] const core::CellStore& cells() const { return cells_; }
  [[nodiscard]] std::uint64_t size() const { return tree_.size(); }

 private:
  static constexpr std::uint64_t kSeed = 0x6c61757265;

  struct Key {
    std::uint64_t score;
    std::uint64_t stamp;
    core::Handle handle;
    auto operator<=>(const Key&) const = default;
  };
  using Tree = __gnu_pbds::tree<Key, __gnu_pbds::null_type, std::less<>, __gnu_pbds::rb_tree_tag,
                                __gnu_pbds::tree_order_statistics_node_update>;

  [[nodiscard]] core::Handle Find(std::string_view member) const {
    const core::MemberKey key(member);
    return index_.Find(key, key.Hash(kSeed));
  }
  [[nodiscard]] Key KeyOf(core::Handle handle) const {
    return {cells_.WordAt(handle, 0), cells_.WordAt(handle, 1), handle};
  }

  core::KeyLayout layout_;
  core::PagePool pool_;
  core::CellStore cells_;
  core::Slab<64> nodes_;
  core::MemberIndex index_;
  Tree tree_;
};

}  // namespace laurel::bench
