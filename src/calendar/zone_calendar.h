// Calendars of the zones of the IANA database, with Abseil.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "laurel/calendar.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::calendar {

// The calendar of a time zone and a turn, the local time at which days begin.
//
//   day     begins at the first moment at which the local clock shows its date and the turn, or any
//           later date and time. A turn in a gap of the clock is the first moment after the gap; a
//           turn in an overlap is the first of the two. A day that has begun continues when the
//           clock is set back. A date that the zone skipped (Pacific/Apia, 2011-12-30) is not a
//           day, whatever the turn: the day before it ends where the day after it begins.
//   week    the days from Monday to Sunday, labelled by ISO 8601 (the year is the Thursday's).
//   month   the days of a calendar month.
//   hour    the time in which the local clock shows one hour at one offset from UTC. The turn does
//           not matter. The label holds the offset, so the two passes of an overlap are two hours,
//           and an hour in a gap does not exist. Where the offset changes within an hour
//           (Australia/Lord_Howe by 30 minutes), the times before and after the change are two
//           shorter hours. An offset with seconds, as in use until 1972, has six digits in the
//           label.
//
// Invariants, for every period p, instance i of p and moment m:
//   1. At(p, m).begin <= m < At(p, m).end
//   2. At(p, i.begin) == i == At(p, i.end - 1), and At(p, i.end).begin == i.end
//   3. Find(p, i.label) == i
// The calendar covers the years 1 to 9999. The first instance of a period begins at INT64_MIN, the
// last one ends at INT64_MAX. The moment INT64_MAX itself, which 1 and 2 leave out, belongs to the
// last instance.
//
// The rules of a zone come from the system's zoneinfo folder (/usr/share/zoneinfo, or $TZDIR). A
// process reads them once per zone, so restart a server after an update of tzdata.
// Cheap to copy. Any number of threads may use a calendar at once.
class ZoneCalendar final : public Calendar {
 public:
  // Zone names are those of the IANA database, case-sensitive. ERR, naming the zone, if the
  // database has no such zone or is not installed (UTC works without it); ERR if the turn is not 0
  // to 1439.
  static Result<ZoneCalendar> Of(std::string_view zone, int turn_minutes);

  // O(log n) for n changes of the zone's offset, some hundred ns: keep the current instance rather
  // than calling At for every write.
  [[nodiscard]] Instance At(Period period, Stamp moment) const override;

  // O(c), c changes of the offset between the two, if the period is an hour or a day; else O(1).
  [[nodiscard]] std::optional<Instance> Before(const Instance& instance,
                                               std::uint64_t count) const override;

  // The instance with exactly this label. ERR for text that is not a label of the period, and for a
  // label that no instance has: 2026-02-30, 2026-W54, a skipped date, an hour in a gap.
  [[nodiscard]] Result<Instance> Find(Period period, std::string_view label) const override;

 private:
  ZoneCalendar(absl::TimeZone zone, int turn_minutes)
      : zone_(zone), turn_seconds_(turn_minutes * 60) {}

  // In these functions moments are seconds since the epoch.
  [[nodiscard]] int OffsetAt(std::int64_t second) const;
  [[nodiscard]] std::int64_t ChangeWithin(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] std::optional<std::int64_t> ListedChangeUpTo(absl::Time time) const;
  [[nodiscard]] std::int64_t ChangeUpTo(std::int64_t second) const;
  [[nodiscard]] Instance HourAt(std::int64_t second) const;
  [[nodiscard]] std::int64_t HoursBefore(std::int64_t begin, std::int64_t count) const;
  [[nodiscard]] absl::CivilDay DaysBefore(absl::CivilDay date, std::int64_t count) const;
  [[nodiscard]] std::optional<std::int64_t> BeginOf(absl::CivilDay date) const;
  [[nodiscard]] std::int64_t FirstBeginFrom(absl::CivilDay date) const;
  [[nodiscard]] absl::CivilDay DateOf(std::int64_t second) const;
  [[nodiscard]] Instance DaysAt(Period period, std::int64_t second) const;

  absl::TimeZone zone_;
  int turn_seconds_;
};

// Keeps one calendar per zone and turn, shared by all boards. Thread-safe.
class ZoneCalendars final : public Calendars {
 public:
  [[nodiscard]] Result<std::shared_ptr<const Calendar>> Of(std::string_view zone,
                                                           int turn_minutes) const override;

 private:
  mutable base::Mutex mutex_;
  mutable std::map<std::pair<std::string, int>, std::shared_ptr<const ZoneCalendar>> known_
      LAUREL_GUARDED_BY(mutex_);
};

}  // namespace laurel::calendar
