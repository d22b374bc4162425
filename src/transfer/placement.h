// Placement: which instances of a board with periods the rows of an import go to.
//
// A row goes by its time into the instance of each period, or only into that of one period, or
// into one instance whatever its time. Rows that name their instance go there. Instances that KEEP
// does not cover, and those that have not begun, take no rows: the server would drop them at its
// next start.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laurel/calendar.h"
#include "laurel/limits.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"

namespace laurel::transfer {

class Placement {
 public:
  // An instance that took a row.
  struct Place {
    std::uint16_t number = 0;  // from 1 on
    std::string name;          // "day:2026-11-15", "all"
    Instance span;
  };

  // `period`: none: every period of the board; "day": that period only; "day:2026-11-15": that
  // instance, whatever the time of a row. `now`: the clock, which decides what KEEP covers.
  // ERR if the board has no periods, or not this one, if the zone is not known, or if KEEP does not
  // cover the instance. REQUIRES: CheckSpec(spec) is ok.
  static Result<Placement> Make(const Spec& spec, const std::optional<std::string>& period,
                                Stamp now);

  // The instances of a row that names none. `time`: when its score was reached; none: now. Fills
  // *places, and returns how many instances of that time take no rows.
  std::size_t At(std::optional<Stamp> time, std::vector<const Place*>* places);

  // The instance of that name. Null if it takes no rows. ERR if it is none of the board's.
  Result<const Place*> Named(std::string_view name);

  // How many instances took rows. Their numbers are 1 to size().
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  // The instance with this number. REQUIRES: it was given.
  [[nodiscard]] const Place& operator[](std::uint16_t number) const { return places_[number - 1]; }

 private:
  // The instances of one period that take rows.
  struct Covered {
    Period period = Period::kAll;
    Stamp begin = INT64_MIN;                   // of the oldest
    Stamp end = INT64_MAX;                     // of the present one
    std::map<Stamp, std::uint16_t> numbers{};  // by begin, those that took a row
  };

  Placement(std::shared_ptr<const Calendar> calendar, Stamp now)
      : calendar_(std::move(calendar)), now_(now) {}

  // Null if the instance takes no rows.
  const Place* PlaceOf(Covered* covered, Stamp time);
  const Place* Add(Covered* covered, const Instance& span);

  std::shared_ptr<const Calendar> calendar_;
  Stamp now_;
  std::vector<Covered> covered_;   // of each period of the board
  std::vector<std::size_t> used_;  // indexes in covered_ that rows without an instance go to
  std::uint16_t fixed_ = 0;        // not 0: the one instance that these rows go to
  std::deque<Place> places_;       // by number
  std::map<std::string, std::uint16_t, std::less<>> by_name_;
};

// Every instance that takes rows has a number: those that KEEP counts, the present one, and the one
// before it while GRACE lasts, of each period.
static_assert(kPeriods * (kMaxKeptInstances + 2) <= UINT16_MAX);

}  // namespace laurel::transfer
