// When each board has work that is due by time: it expires, it reaches its own end, its calendar
// turns, or one of its instances closes or is dropped.
//
// A board may be scheduled too early, but never too late: a write that postpones a board's end does
// not reschedule it. When the old time comes, the due work finds nothing to do and reschedules the
// board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/assert.h"
#include "engine/keyspace/named_board.h"
#include "laurel/stamp.h"

namespace laurel::engine {

class Schedule {
 public:
  // Schedules the board at `at`, unless it is scheduled earlier. INT64_MAX: never.
  void ScheduleBy(NamedBoard* named, Stamp at) {
    if (at < named->due_at) Set(named, at);
  }
  // Schedules the board at exactly `at`. INT64_MAX: never.
  void Set(NamedBoard* named, Stamp at) {
    Remove(named);
    named->due_at = at;
    if (at == INT64_MAX) return;
    const bool fresh = due_.emplace(std::pair(at, named->id), named).second;
    LAUREL_ASSERT(fresh);
  }
  void Remove(NamedBoard* named) {
    if (named->due_at == INT64_MAX) return;
    const std::size_t erased = due_.erase({named->due_at, named->id});
    LAUREL_ASSERT(erased == 1);
    named->due_at = INT64_MAX;
  }
  // A board that is due by `now`; null if there is none.
  [[nodiscard]] NamedBoard* Next(Stamp now) const {
    return !due_.empty() && due_.begin()->first.first <= now ? due_.begin()->second : nullptr;
  }
  [[nodiscard]] std::size_t size() const { return due_.size(); }

 private:
  // Ordered by time, then by board id, so that the order is the same in every run.
  std::map<std::pair<Stamp, std::uint64_t>, NamedBoard*> due_;
};

}  // namespace laurel::engine
