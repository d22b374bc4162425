// Calendars: map a moment to its hour, day, week or month. Boards with periods use them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel {

// The calendar of one zone and one turn. For every period p, instance i of p and moment m:
//   1. At(p, m).begin <= m < At(p, m).end
//   2. At(p, i.begin) == i == At(p, i.end - 1), and At(p, i.end).begin == i.end
//   3. Find(p, i.label) == i
// The first instance of a period begins at INT64_MIN, the last one ends at INT64_MAX. The moment
// INT64_MAX itself, which 1 and 2 leave out, belongs to the last instance.
// Any number of threads may use a calendar at once.
class Calendar {
 public:
  virtual ~Calendar() = default;
  // The instance that `moment` belongs to.
  [[nodiscard]] virtual Instance At(Period period, Stamp moment) const = 0;
  // Returns the instance that lies `count` instances earlier; none if the period has fewer before
  // this one. The time does not grow with `count` (but see calendar/zone_calendar.h).
  [[nodiscard]] virtual std::optional<Instance> Before(const Instance& instance,
                                                       std::uint64_t count) const = 0;
  // The instance with exactly this label. ERR if the period has no such instance.
  [[nodiscard]] virtual Result<Instance> Find(Period period, std::string_view label) const = 0;
};

// A source of calendars, by zone and turn.
class Calendars {
 public:
  virtual ~Calendars() = default;
  // ERR, naming the zone, if the zone is unknown; ERR if the turn is not 0 to 1439.
  [[nodiscard]] virtual Result<std::shared_ptr<const Calendar>> Of(std::string_view zone,
                                                                   int turn_minutes) const = 0;
};

// The calendars of the zone UTC only. Needs nothing but the standard library.
std::shared_ptr<const Calendars> UtcCalendars();

// The calendars of every zone of the IANA database, daylight saving time included. Part of the
// library laurel::calendar, which needs Abseil: find_package(laurel COMPONENTS calendar).
std::shared_ptr<const Calendars> ZoneCalendars();

}  // namespace laurel
