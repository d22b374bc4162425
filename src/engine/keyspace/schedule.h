// When keys have to be looked at because time has passed: they expire, their own end has come, or
// one of their instances closes or goes.
//
// A key may be looked at too early, never too late: a write that moves a board's end away leaves
// the key where it stands, and the look at its old time finds out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "engine/keyspace/named_board.h"
#include "laurel/stamp.h"

namespace laurel::engine {

class Schedule {
 public:
  // At that time at the latest. INT64_MAX: never.
  void LookBy(NamedBoard* named, Stamp at) {
    if (at < named->look_at) Set(named, at);
  }
  // At that time, not before.
  void Set(NamedBoard* named, Stamp at) {
    Remove(named);
    named->look_at = at;
    if (at != INT64_MAX) due_.emplace(std::pair(at, named->id), named);
  }
  void Remove(NamedBoard* named) {
    if (named->look_at == INT64_MAX) return;
    due_.erase({named->look_at, named->id});
    named->look_at = INT64_MAX;
  }
  // One that is to be looked at by now; null if there is none.
  [[nodiscard]] NamedBoard* Next(Stamp now) const {
    return !due_.empty() && due_.begin()->first.first <= now ? due_.begin()->second : nullptr;
  }
  [[nodiscard]] std::size_t size() const { return due_.size(); }

 private:
  // Of those that are due at the same time the oldest board comes first, in every run.
  std::map<std::pair<Stamp, std::uint64_t>, NamedBoard*> due_;
};

}  // namespace laurel::engine
