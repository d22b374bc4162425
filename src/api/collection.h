// The state of a Boards collection (Collection) and of each of its boards (BoardSlot).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/store/environment.h"
#include "laurel/calendar.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/leaderboard.h"

namespace laurel::api {

struct Collection;

// One board of a collection. Its address does not change until the board is dropped, not even when
// the board is renamed.
struct BoardSlot {
  BoardSlot(Collection* collection, const Spec& spec, std::shared_ptr<const Calendar> calendar);

  [[nodiscard]] bool is_leaderboard() const { return board.spec().kind == BoardKind::kLeaderboard; }

  Collection* owner;
  const std::pmr::string* name = nullptr;
  Stamp due = INT64_MAX;  // its key in Collection::schedule; INT64_MAX: not in there
  leaderboard::Leaderboard board;
};

// Names are kept in a tree in byte order, because Boards::List returns them in that order. Search
// by name need not be fast, because programs keep references to their boards: it compares 17
// strings at 100,000 boards.
struct Collection {
  using Names = std::pmr::map<std::pmr::string, BoardSlot, std::less<>>;

  Collection(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
             std::shared_ptr<const Calendars> of_zones, const core::Shape& shape = core::Shape());

  // Null if there is no such board, or if its EXPIRE has passed at `now`.
  [[nodiscard]] BoardSlot* Find(std::string_view name, Stamp now);
  // Adds an empty board. ERR if the calendars do not have the zone. REQUIRES: CheckSpec(spec) is
  // ok, and the name is free.
  Result<BoardSlot*> Add(std::string_view name, const Spec& spec);
  void Drop(Names::iterator board);
  // Sets when Advance must visit the board. With `exact` false, only an earlier time than the
  // present one is taken; Advance handles a visit that is too early.
  void Schedule(BoardSlot* board, Stamp due, bool exact);

  core::Environment environment;
  std::shared_ptr<const Calendars> calendars;
  Names boards;
  std::set<std::pair<Stamp, BoardSlot*>> schedule;  // boards that Advance has to visit, by time
  leaderboard::Decision decision;                   // reused by each write
};

// The format of a saved board is in saved.cc.
std::string Save(const BoardSlot& held);
// See Boards::Restore.
Result<BoardSlot*> Restore(Collection* collection, std::string_view name, std::string_view saved,
                           Stamp now);

}  // namespace laurel::api
