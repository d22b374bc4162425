// Calendars of the zones of the IANA database, by Abseil.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include "laurel/calendar.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::calendar {

// A time zone and the local time at which days turn ("turn").
//
//   day     begins at the first moment at which the local clock shows its date and the turn, or
//           later: in a gap of the clock at the first moment behind it, in an overlap the first
//           time round. A day that has begun goes on when the clock is set back. A date that the
//           zone skipped (Pacific/Apia, 2011-12-30) is no day, whatever the turn: the day before it
//           ends where the day after it begins.
//   week    the days from Monday to Sunday, labelled by ISO 8601 (its year is that of the
//   Thursday). month   the days of a calendar month. hour    what the local clock shows as one hour
//   at one offset from UTC; the turn does not matter.
//           The label holds the offset, so both passes of an overlap are hours of their own and an
//           hour in a gap is none. Where the offset changes inside an hour (Australia/Lord_Howe by
//           30 minutes) the parts before and after it are hours, shorter ones.
//           An offset with seconds, as there were until 1972, has six digits in the label.
//
// Invariants, for every period p, instance i of p and moment m:
//   1. At(p, m).begin <= m < At(p, m).end
//   2. At(p, i.begin) == i == At(p, i.end - 1), and At(p, i.end).begin == i.end
//   3. Find(p, i.label) == i
// The calendar has the years 1 to 9999. The first instance of a period reaches back to INT64_MIN
// and the last one on to INT64_MAX, the one moment that 1 and 2 leave out: it belongs to the last.
//
// Rules come from the system's zoneinfo folder (/usr/share/zoneinfo, or $TZDIR), read once per zone
// and process: after an update of tzdata a server is restarted.
// Copies are cheap. Any number of threads may use one.
class ZoneCalendar final : public Calendar {
 public:
  // ERR, naming the zone, if the IANA database has none of that name, if no database is installed
  // (UTC works without), or if the turn is not 0 to 1439. Names are spelt as there, case included.
  static Result<ZoneCalendar> Of(std::string_view zone, int turn_minutes);

  // O(log of the zone's changes of offset), some hundred ns: keep the current instance rather than
  // asking again for every write.
  [[nodiscard]] Instance At(Period period, Stamp moment) const override;

  // The one before it in time. The first instance is its own previous.
  [[nodiscard]] Instance Previous(const Instance& instance) const override;

  // The instance with exactly this label. ERR for a text that is no label of the period, and for
  // one that no instance has: 2026-02-30, 2026-W54, a skipped date, an hour in a gap.
  [[nodiscard]] Result<Instance> Find(Period period, std::string_view label) const override;

 private:
  ZoneCalendar(absl::TimeZone zone, int turn_minutes)
      : zone_(zone), turn_seconds_(turn_minutes * 60) {}

  // Moments are seconds since the epoch from here on.
  [[nodiscard]] int OffsetAt(std::int64_t second) const;
  [[nodiscard]] std::int64_t ChangeWithin(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] Instance HourAt(std::int64_t second) const;
  [[nodiscard]] std::optional<std::int64_t> BeginOf(absl::CivilDay date) const;
  [[nodiscard]] std::int64_t FirstBeginFrom(absl::CivilDay date) const;
  [[nodiscard]] absl::CivilDay DateOf(std::int64_t second) const;
  [[nodiscard]] Instance DaysAt(Period period, std::int64_t second) const;

  absl::TimeZone zone_;
  int turn_seconds_;
};

// One calendar for all boards of a zone and turn. Thread-safe.
class ZoneCalendars final : public Calendars {
 public:
  [[nodiscard]] Result<std::shared_ptr<const Calendar>> Of(std::string_view zone,
                                                           int turn_minutes) const override;

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, int>, std::shared_ptr<const ZoneCalendar>> known_;
};

}  // namespace laurel::calendar
