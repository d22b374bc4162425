// Placement: assigns the rows of an import to instances of a board with periods.
//
// By its time a row goes into the instance of each period, or of one chosen period. With a chosen
// instance, all rows go into that one, whatever their time. A row that names its instance goes
// there. Instances that KEEP does not cover, and those that have not begun, take no rows, because
// the server would drop them at its next start.
#pragma once

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
  // An instance that has taken a row.
  struct PlacedInstance {
    std::uint16_t number = 0;  // at least 1
    std::string name;          // "day:2026-11-15", "all"
    Instance span;
  };

  // `period`: none: every period of the board; "day": only that period; "day:2026-11-15": that
  // instance, whatever the time of a row. `now`: the clock, which determines what KEEP covers. ERR
  // if the board has no periods or not this one, if the zone is unknown, or if KEEP does not cover
  // the instance. REQUIRES: CheckSpec(spec) is ok.
  static Result<Placement> Make(const Spec& spec, const std::optional<std::string>& period,
                                Stamp now);

  // Finds the instances of a row that names none. `time`: when its score was reached; none: now.
  // Fills *places, and returns how many instances of that time take no rows.
  std::size_t At(std::optional<Stamp> time, std::vector<const PlacedInstance*>* places);

  // Returns the instance of that name. Null if it takes no rows. ERR if the board has no such
  // instance.
  Result<const PlacedInstance*> Named(std::string_view name);

  // The calendar of the board's zone.
  [[nodiscard]] const std::shared_ptr<const Calendar>& calendar() const { return calendar_; }
  // The number of instances that have taken rows. They are numbered 1 to size().
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  // The instance with this number. REQUIRES: 1 <= number <= size().
  [[nodiscard]] const PlacedInstance& operator[](std::uint16_t number) const {
    return places_[number - 1];
  }

 private:
  // The instances of one period that take rows.
  struct Covered {
    Period period = Period::kAll;
    Stamp begin = INT64_MIN;                   // begin of the oldest instance
    Stamp end = INT64_MAX;                     // end of the current instance
    std::map<Stamp, std::uint16_t> numbers{};  // instances that took a row, by begin
  };

  Placement(std::shared_ptr<const Calendar> calendar, Stamp now)
      : calendar_(std::move(calendar)), now_(now) {}

  // Null if the instance takes no rows.
  const PlacedInstance* PlaceOf(Covered* covered, Stamp time);
  const PlacedInstance* Add(Covered* covered, const Instance& span);

  std::shared_ptr<const Calendar> calendar_;
  Stamp now_;
  std::vector<Covered> covered_;       // one per period of the board
  std::vector<std::size_t> used_;      // indexes in covered_, for rows without an instance
  std::uint16_t fixed_ = 0;            // not 0: the only instance of these rows
  std::deque<PlacedInstance> places_;  // by number
  std::map<std::string, std::uint16_t, std::less<>> by_name_;
};

// Every instance that takes rows needs a number. Each period has the instances that KEEP counts,
// the current one and, while GRACE lasts, the one before it.
static_assert(kPeriods * (kMaxKeptInstances + 2) <= UINT16_MAX);

}  // namespace laurel::transfer
