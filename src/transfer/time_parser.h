// TimeParser: the times of imported rows, as databases and programs write them.
#pragma once

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

// Any number of threads may use one at once.
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
  [[nodiscard]] Result<Stamp> Parse(std::string_view text) const;

 private:
  [[nodiscard]] Result<Stamp> ParseNumber(std::string_view text) const;
  [[nodiscard]] Result<Stamp> ParseDate(std::string_view text) const;

  TimeUnit unit_ = TimeUnit::kSeconds;
  std::optional<calendar::LocalTimes> zone_;
};

}  // namespace laurel::transfer
