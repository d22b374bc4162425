// TimeParser: the times of imported rows, as databases and programs write them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "calendar/local_time.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::transfer {

// What a number without a unit counts since 1970.
enum class TimeUnit : std::uint8_t { kSeconds, kMillis, kMicros };

// "s", "ms" or "us". ERR otherwise.
Result<TimeUnit> ParseTimeUnit(std::string_view text);

// Used by one thread. Remembers the last date and, for local times, the last hour: neighbouring
// rows often share them, and a zone's rules take long to apply.
class TimeParser {
 public:
  // Times in seconds, or with a zone.
  TimeParser() = default;
  // `zone`: of times that are written without one, a name of the IANA database; empty refuses such
  // times. ERR if the zone is unknown.
  static Result<TimeParser> Of(TimeUnit unit, std::string_view zone);

  // Parses what base::ParseTime does, and
  //
  //   1762500000123                 a number of the unit, with up to six decimals of a second
  //   2026-11-15 13:00:00+08        a blank for the T, as PostgreSQL writes times
  //   2026-11-15 13:00:00.123456    the time of the zone's clock. If the clock showed it twice, the
  //                                 first; BADTIME if the clock skipped it
  //
  // BADTIME for anything else.
  [[nodiscard]] Result<Stamp> Parse(std::string_view text);

 private:
  [[nodiscard]] Result<Stamp> ParseNumber(std::string_view text) const;
  [[nodiscard]] Result<Stamp> ParseDate(std::string_view text);
  // The text in the most frequent form, "2026-11-15T13:00:00" with up to six decimals, as if it
  // were UTC. Nullopt for other forms and for what is no time.
  std::optional<Stamp> ParseUsualDate(std::string_view text);
  // The moment at which the zone's clock showed this time: calendar::LocalTimes::MomentOf.
  Result<Stamp> MomentOf(Stamp shown);

  TimeUnit unit_ = TimeUnit::kSeconds;
  std::optional<calendar::LocalTimes> zone_;

  std::array<char, 10> last_date_{};  // "2026-11-15"
  Stamp last_midnight_ = 0;           // in UTC
  // Of the last hour that the zone's clock showed: where it begins, as in UTC, and what to add to
  // the time shown. Only hours in which that is the same throughout are remembered.
  Stamp last_hour_ = -1;
  std::int64_t last_offset_ = 0;
};

}  // namespace laurel::transfer
