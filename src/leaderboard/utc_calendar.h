// The calendar of UTC, by the civil dates of the standard library.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/assert.h"
#include "laurel/calendar.h"

namespace laurel::leaderboard {

// A day begins at the turn, a week at the turn on Monday, a month at the turn on its first day. An
// hour begins at the full hour, whatever the turn. Instances and labels equal those of
// calendar/zone_calendar.h for the zone UTC: years 1 to 9999; the first instance has no begin
// (INT64_MIN), the last one no end (INT64_MAX).
class UtcCalendar final : public Calendar {
 public:
  // REQUIRES: 0 <= turn_minutes < 1440.
  explicit UtcCalendar(int turn_minutes) : turn_seconds_(turn_minutes * 60) {
    LAUREL_ASSERT(turn_minutes >= 0 && turn_minutes < 1440);
  }

  [[nodiscard]] Instance At(Period period, Stamp moment) const override;
  [[nodiscard]] std::optional<Instance> Before(const Instance& instance,
                                               std::uint64_t count) const override;
  [[nodiscard]] Result<Instance> Find(Period period, std::string_view label) const override;

 private:
  [[nodiscard]] Instance DaysAt(Period period, std::int64_t second) const;

  std::int64_t turn_seconds_;
};

}  // namespace laurel::leaderboard
