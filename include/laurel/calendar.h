// Which hour, day, week or month a moment belongs to: what a leaderboard with periods asks for.
#pragma once

#include <memory>
#include <string_view>

#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel {

// The calendar of one zone and one turn. For every period p, instance i of p and moment m:
//   1. At(p, m).begin <= m < At(p, m).end
//   2. At(p, i.begin) == i == At(p, i.end - 1), and At(p, i.end).begin == i.end
//   3. Find(p, i.label) == i
// The first instance of a period reaches back to INT64_MIN, the last one on to INT64_MAX.
// Any number of threads may ask at once.
class Calendar {
 public:
  virtual ~Calendar() = default;
  [[nodiscard]] virtual Instance At(Period period, Stamp moment) const = 0;
  // The one before it in time. The first instance is its own previous.
  [[nodiscard]] virtual Instance Previous(const Instance& instance) const = 0;
  // The instance with exactly this label. ERR if the period has none.
  [[nodiscard]] virtual Result<Instance> Find(Period period, std::string_view label) const = 0;
};

// Where calendars come from. ERR, naming the zone, if it is not known.
class Calendars {
 public:
  virtual ~Calendars() = default;
  [[nodiscard]] virtual Result<std::shared_ptr<const Calendar>> Of(std::string_view zone,
                                                                   int turn_minutes) const = 0;
};

// The zone UTC and no other. Needs the standard library only.
std::shared_ptr<const Calendars> UtcCalendars();

// Every zone of the IANA database, daylight saving time included. In the library laurel::calendar,
// which needs Abseil: find_package(laurel COMPONENTS calendar).
std::shared_ptr<const Calendars> ZoneCalendars();

}  // namespace laurel
