// Boards share an environment: memory, pages, the hash seed, one BoardType per spec, totals, and
// the memory that is freed later in slices.
//
// Threads: one thread creates and changes boards, and reclaims. In an environment with direct pages
// other threads may destroy boards meanwhile, as a Redis server does: totals are atomic, the
// leftovers have a lock, and a board keeps its type alive by itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>

#include "base/assert.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "core/store/page_pool.h"
#include "core/store/score_key.h"
#include "laurel/spec.h"

namespace laurel::core {

// Sizes of structures. Tests use small sizes so that rare paths run often.
struct Shape {
  unsigned packed_entries = 64;     // a board with more entries leaves the packed form
  unsigned leaf_entries = 64;       // 4 to 64
  unsigned inner_children = 32;     // 4 to 32
  unsigned segment_buckets = 120;   // up to 120
  unsigned listed_removals = 1000;  // removing more neighbours is one effect, not one per entry
};

// A sum that several threads may change.
class Total {
 public:
  void operator+=(std::uint64_t more) { value_.fetch_add(more, std::memory_order_relaxed); }
  void operator-=(std::uint64_t less) {
    const std::uint64_t before = value_.fetch_sub(less, std::memory_order_relaxed);
    LAUREL_ASSERT(before >= less);  // an addend leaves the sum once
  }
  void operator++() { *this += 1; }
  void operator--() { *this -= 1; }
  operator std::uint64_t() const {  // NOLINT(google-explicit-constructor): it is a number
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Sums over all boards of an environment, so that figures of the whole need no walk over the
// boards. Whatever changes an addend changes the sum.
struct Totals {
  Total entries;      // EntryStore::size()
  Total request_ids;  // that leaderboards remember
};

// Memory that would take too long to free at once.
class Leftover {
 public:
  virtual ~Leftover() = default;
  // Frees about `entries` entries. Returns about how many; 0 when nothing is left.
  virtual std::size_t FreeSome(std::size_t entries) = 0;
  [[nodiscard]] virtual std::size_t MemoryUsage() const = 0;
};

// A spec and what is derived from it. 100,000 boards with equal specs share one BoardType.
struct BoardType {
  BoardType(const Spec& from, const KeyLayout* key_layout);

  Spec spec;
  const KeyLayout* layout;     // lives as long as the environment
  bool has_operators = false;  // some field has an operator other than set
};

class Environment {
 public:
  // How the environment of a host that frees boards on other threads differs.
  struct Sharing {
    bool direct_pages = false;  // see PagePool
    // Asked before a dropped board leaves its memory for Reclaim; false: it is freed at once. Null:
    // always left. So a thread that only frees boards does so itself.
    bool (*may_leave)() = nullptr;
  };

  explicit Environment(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
                       const Shape& shape = Shape());
  Environment(std::pmr::memory_resource* memory, std::uint64_t hash_seed, const Shape& shape,
              const Sharing& sharing);

  [[nodiscard]] std::pmr::memory_resource* memory() const { return pages_.memory(); }
  [[nodiscard]] PagePool* pages() { return &pages_; }
  [[nodiscard]] std::uint64_t hash_seed() const { return hash_seed_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] Totals& totals() { return totals_; }
  [[nodiscard]] const Totals& totals() const { return totals_; }

  // The BoardType shared by all boards with this spec.
  [[nodiscard]] std::shared_ptr<const BoardType> TypeOf(const Spec& spec);

  // Whether memory may be left for Reclaim: see Sharing::may_leave.
  [[nodiscard]] bool MayLeave() const { return may_leave_ == nullptr || may_leave_(); }
  // Hands over a leftover. Reclaim frees leftovers in the order of arrival.
  void Leave(std::unique_ptr<Leftover> leftover);
  // The same for a leftover that the caller keeps. The caller must withdraw it before it is
  // destroyed.
  void Leave(Leftover* leftover);
  // When it returns, Reclaim does not use the leftover, and will not. Does nothing if the
  // environment does not have it.
  void Withdraw(Leftover* leftover);
  // Frees about `entries` entries. False when nothing is left to free.
  bool Reclaim(std::size_t entries);
  // The memory of the leftovers that the environment owns.
  [[nodiscard]] std::size_t LeftoverBytes() const;

 private:
  PagePool pages_;
  bool (*may_leave_)() = nullptr;
  mutable base::Mutex leftovers_mutex_;  // held while Reclaim works on a leftover
  std::deque<Leftover*> leftovers_ LAUREL_GUARDED_BY(leftovers_mutex_);
  std::map<Leftover*, std::unique_ptr<Leftover>> owned_leftovers_
      LAUREL_GUARDED_BY(leftovers_mutex_);
  std::uint64_t hash_seed_;
  Totals totals_;
  Shape shape_;
  std::map<std::string, std::weak_ptr<const BoardType>> types_;  // by DescribeSpec
  std::map<std::uint32_t, KeyLayout> layouts_;  // by what determines a layout: at most 1,531
};

}  // namespace laurel::core
