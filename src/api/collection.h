// What a Boards collection holds, and what Board refers to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/board.h"
#include "core/store/environment.h"
#include "laurel/calendar.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/leaderboard.h"

namespace laurel::api {

struct Collection;

// One board. It stays where it is until it is dropped, whatever its name becomes.
struct Held {
  Held(Collection* collection, const Spec& spec, std::shared_ptr<const Calendar> calendar);

  [[nodiscard]] core::Board* sorted_set() { return std::get_if<core::Board>(&value); }
  [[nodiscard]] leaderboard::Leaderboard* leaderboard() {
    return std::get_if<leaderboard::Leaderboard>(&value);
  }
  // The entries of a board without periods; empty with periods.
  [[nodiscard]] const core::Board& entries() const;
  [[nodiscard]] bool HasEnded(Stamp now) const;
  [[nodiscard]] std::size_t MemoryUsage() const;

  Collection* owner;
  const std::pmr::string* name = nullptr;
  Stamp due = INT64_MAX;  // under which it stands in Collection::schedule
  std::variant<core::Board, leaderboard::Leaderboard> value;
};

// Names are in a tree, in byte order, since that is how they are listed. A program keeps references
// to the boards that it uses, so finding one by name need not be fast: 17 strings are compared at
// 100,000 boards.
struct Collection {
  using Names = std::pmr::map<std::pmr::string, Held, std::less<>>;

  Collection(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
             std::shared_ptr<const Calendars> of_zones, const core::Shape& shape = core::Shape());

  // Null if there is none, or if it has ended by then.
  [[nodiscard]] Held* Find(std::string_view name, Stamp now);
  // A new board. REQUIRES: CheckSpec(spec) is ok, and the name is free. ERR if the zone is not
  // known.
  Result<Held*> Add(std::string_view name, const Spec& spec);
  void Drop(Names::iterator board);
  // Takes note of when the board wants to be looked after. `exact`: also if that is later than what
  // was noted before, which is else left for Advance to find out.
  void Schedule(Held* board, Stamp due, bool exact);

  core::Environment environment;
  std::shared_ptr<const Calendars> calendars;
  Names boards;
  std::set<std::pair<Stamp, Held*>> schedule;  // those that time does something to
  leaderboard::Decision decision;              // used again by each write
};

}  // namespace laurel::api
