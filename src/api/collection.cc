#include "api/collection.h"

#include <tuple>

#include "base/assert.h"

namespace laurel::api {

BoardSlot::BoardSlot(Collection* collection, const Spec& spec,
                     std::shared_ptr<const Calendar> calendar)
    : owner(collection), board(spec, &collection->environment, std::move(calendar)) {}

Collection::Collection(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
                       std::shared_ptr<const Calendars> of_zones, const core::Shape& shape)
    : environment(memory, hash_seed, shape), calendars(std::move(of_zones)), boards(memory) {}

BoardSlot* Collection::Find(std::string_view name, Stamp now) {
  const auto found = boards.find(name);
  if (found == boards.end() || found->second.board.HasExpired(now)) return nullptr;
  return &found->second;
}

Result<BoardSlot*> Collection::Add(std::string_view name, const Spec& spec) {
  std::shared_ptr<const Calendar> calendar;
  if (!spec.periods.empty()) {
    Result<std::shared_ptr<const Calendar>> of_zone = calendars->Of(spec.zone, spec.turn_minutes);
    if (!of_zone.ok()) return of_zone.error();
    calendar = std::move(*of_zone);
  }
  const auto [place, fresh] =
      boards.emplace(std::piecewise_construct, std::forward_as_tuple(name),
                     std::forward_as_tuple(this, spec, std::move(calendar)));
  LAUREL_ASSERT(fresh);  // the name was free
  BoardSlot* board = &place->second;
  board->name = &place->first;
  return board;
}

void Collection::Drop(Names::iterator board) {
  Schedule(&board->second, INT64_MAX, /*exact=*/true);
  boards.erase(board);
}

void Collection::Schedule(BoardSlot* board, Stamp due, bool exact) {
  if (due == board->due || (due > board->due && !exact)) return;
  if (board->due != INT64_MAX) schedule.erase({board->due, board});
  board->due = due;
  if (due != INT64_MAX) schedule.emplace(due, board);
}

}  // namespace laurel::api
