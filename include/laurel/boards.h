// A collection of boards in this process.
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

// An instance that is over, for good: nothing is added to it any more.
struct ClosedPeriod {
  std::string board;
  Instance instance;
  std::uint64_t size = 0;  // visible entries
  std::vector<Entry> top;  // the best of them, at most 100, without meta
};

// What time has done.
struct Advanced {
  std::vector<ClosedPeriod> closed;
  std::vector<std::string> ended;  // boards that are gone by their own EXPIRE
  bool more = false;               // the budget was not enough: call Advance again
};

// Boards by name. Threads: as for Board.
//
// Time. A program that uses periods, EXPIRE or request ids calls Advance from a timer, or after
// some of its writes, whenever Due() has come:
//
//   if (boards.Due() <= now) {
//     for (const laurel::ClosedPeriod& closed : boards.Advance(now).closed) PayRewards(closed);
//   }
//
// Advance announces the instances that are over, once each; frees those that are not kept any more;
// forgets old request ids; and drops boards whose EXPIRE has passed. Called late, it does all of
// that then. Never called, nothing that is read is wrong: writes to an instance that is over are
// refused, and one that is not kept is not found, by the time that the caller gives. But nothing is
// announced, and the memory stays in use.
class Boards {
 public:
  // Periods have the zone UTC only, see UtcCalendars.
  Boards();
  // `calendars`: the zones that boards may have, for instance ZoneCalendars().
  explicit Boards(std::shared_ptr<const Calendars> calendars);
  // The boards' memory comes from `memory`, which must outlive the collection. It must not throw: a
  // host that is out of memory ends the process, or refuses writes before it comes to that.
  explicit Boards(std::pmr::memory_resource* memory,
                  std::shared_ptr<const Calendars> calendars = UtcCalendars());
  // For tests of the library.
  explicit Boards(std::unique_ptr<api::Collection> collection);
  ~Boards();
  Boards(Boards&&) noexcept;
  Boards& operator=(Boards&&) noexcept;

  // In what follows `now` matters to boards with EXPIRE only: one that has ended by then is not
  // there any more. Without it such a board is there until Advance has dropped it.

  // The board of that name. An equal spec again is no error; another spec is EXISTS. Bad specs are
  // ERR or LIMIT, see CheckSpec, and so are bad names, see CheckBoardName, and zones that the
  // calendars do not know.
  Result<Board> Create(std::string_view name, const Spec& spec = Spec(), Stamp now = INT64_MIN);

  [[nodiscard]] std::optional<Board> Find(std::string_view name, Stamp now = INT64_MIN) const;
  // Those that have ended and were not dropped yet are counted.
  [[nodiscard]] std::size_t size() const;

  // Names in byte order, from `after` (exclusive) on, at most `limit`.
  [[nodiscard]] std::vector<std::string> List(std::string_view after = {},
                                              std::size_t limit = SIZE_MAX,
                                              Stamp now = INT64_MIN) const;
  // All that belongs to the board goes along; a board that stands at `to` is dropped. NOBOARD if
  // there is none at `from`.
  Status Rename(std::string_view from, std::string_view to);
  // The name is free at once; memory of a huge board goes back in slices, see Reclaim. False if
  // there is none.
  bool Drop(std::string_view name);

  // A new board from what Board::Save gave. EXISTS if the name is taken; ERR if the bytes are
  // damaged, of another version, or name a zone that the calendars do not know.
  Result<Board> Restore(std::string_view name, std::string_view saved, Stamp now);

  // When Advance has something to do next; INT64_MAX: never. By then it may turn out to have
  // nothing to do.
  [[nodiscard]] Stamp Due() const;
  // Does what time does, at most about `budget` instances and request ids: that keeps each call
  // short. Boards in `ended` are gone, and so are references to them.
  Advanced Advance(Stamp now, std::size_t budget = 10'000);

  // Frees about `entries` entries of boards that were dropped or cleared, and of large ranges that
  // were removed; false when nothing is left to free. Call it between other work: that keeps each
  // call short. Without it removed ranges are freed by later writes to their board, a few entries
  // each, and everything else by the destructor.
  bool Reclaim(std::size_t entries);

  // Bytes of all boards, dropped ones that are not yet reclaimed included.
  [[nodiscard]] std::size_t MemoryUsage() const;

 private:
  std::unique_ptr<api::Collection> collection_;
};

}  // namespace laurel
