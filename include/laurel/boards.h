// Boards: a collection of boards in this process.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/board.h"
#include "laurel/calendar.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel {

namespace api {
struct Collection;
}  // namespace api

// An instance that Boards::Advance has closed. It takes no more scores.
struct ClosedPeriod {
  std::string board;
  Instance instance;
  std::uint64_t size = 0;  // visible entries
  std::vector<Entry> top;  // the best entries, at most 100, without meta
};

// The results of a call of Boards::Advance.
struct Advanced {
  std::vector<ClosedPeriod> closed;
  std::vector<std::string> ended;  // boards that were dropped because their EXPIRE has passed
  bool more = false;               // the budget was not enough: call Advance again
};

// Boards by name. Threads: as for Board.
//
// Time. A program that uses periods, EXPIRE or request ids calls Advance when Due() is reached,
// from a timer or after some of its writes:
//
//   if (boards.Due() <= now) {
//     for (const laurel::ClosedPeriod& closed : boards.Advance(now).closed) PayRewards(closed);
//   }
//
// Advance announces each instance that is over once, frees instances that are no longer kept,
// forgets old request ids, and drops boards whose EXPIRE has passed. It also notes, as a write
// does, that the present instances have begun: a clock that goes back leads to no earlier ones. A
// late call catches up, except that instances of a board whose EXPIRE has passed are dropped
// without being announced. Reads and writes are correct even if Advance is never called: by the
// time that the caller gives, writes to an instance that is over are refused, and an instance that
// is no longer kept is not found. But then nothing is announced, and old instances and ended boards
// keep their memory.
class Boards {
 public:
  // Boards may have periods in the zone UTC only, see UtcCalendars.
  Boards();
  // `calendars` provides the zones that boards may use, for example ZoneCalendars().
  explicit Boards(std::shared_ptr<const Calendars> calendars);
  // Allocates the boards from `memory`, which must outlive the collection and must not throw: a
  // host that runs out of memory ends the process, or refuses writes before that happens.
  explicit Boards(std::pmr::memory_resource* memory,
                  std::shared_ptr<const Calendars> calendars = UtcCalendars());
  // For tests of the library.
  explicit Boards(std::unique_ptr<api::Collection> collection);
  ~Boards();
  Boards(Boards&&) noexcept;
  Boards& operator=(Boards&&) noexcept;

  // In the calls below `now` matters only to boards with EXPIRE: a board whose EXPIRE has passed at
  // `now` counts as absent. With the default it is still found until Advance drops it.

  // Creates a board. If the name is taken by a board with an equal spec, returns that board
  // unchanged; EXISTS if its spec differs. ERR or LIMIT for a bad spec, see CheckSpec, or a bad
  // name, see CheckBoardName; ERR for a zone that the calendars do not have.
  Result<Board> Create(std::string_view name, const Spec& spec = Spec(), Stamp now = INT64_MIN);

  [[nodiscard]] std::optional<Board> Find(std::string_view name, Stamp now = INT64_MIN) const;
  // The number of boards. Boards whose EXPIRE has passed count until Advance drops them.
  [[nodiscard]] std::size_t size() const;

  // Up to `limit` names in byte order: those after `after`, or all if `after` is empty.
  [[nodiscard]] std::vector<std::string> List(std::string_view after = {},
                                              std::size_t limit = SIZE_MAX,
                                              Stamp now = INT64_MIN) const;
  // Gives a board a new name; its contents and references to it stay. Drops another board that has
  // the name `to`. NOBOARD if there is no board `from`; ERR or LIMIT for a bad name, see
  // CheckBoardName.
  Status Rename(std::string_view from, std::string_view to);
  // Drops a board; returns false if there is none. The name is free at once. The memory of a large
  // board is freed in slices, see Reclaim.
  bool Drop(std::string_view name);

  // Creates a board from the bytes of Board::Save. EXISTS if the name is taken; ERR if the bytes
  // are damaged, of another version, or name a zone that the calendars do not have; ERR or LIMIT
  // for a bad name.
  Result<Board> Restore(std::string_view name, std::string_view saved, Stamp now);

  // Returns the time at which Advance next has work; INT64_MAX: never. The time may be early, and
  // Advance then finds no work.
  [[nodiscard]] Stamp Due() const;
  // Does the work that is due at `now` (see the class comment), for at most about `budget`
  // instances and request ids, which keeps each call short. References to boards in Advanced::ended
  // are invalid afterwards.
  Advanced Advance(Stamp now, std::size_t budget = 10'000);

  // Frees about `entries` entries of boards that were dropped or cleared, and of large ranges that
  // were removed. Returns false when nothing is left to free. Call it between other work with a
  // small number, so that no call takes long. Without it, later writes to a board free its removed
  // ranges, a few entries each, and the destructor frees the rest.
  bool Reclaim(std::size_t entries);

  // Bytes of all boards, including dropped ones that are not yet reclaimed.
  [[nodiscard]] std::size_t MemoryUsage() const;

 private:
  std::unique_ptr<api::Collection> collection_;
};

}  // namespace laurel
