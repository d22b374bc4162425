// TimeParser: parses the times of imported rows, in the formats of databases and programs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "calendar/local_time.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::transfer {

// The unit of a plain number of time since 1970. The values are microseconds.
enum class TimeUnit : std::int64_t { kMicros = 1, kMillis = 1'000, kSeconds = 1'000'000 };

// Parses "s", "ms" or "us". ERR for other texts.
Result<TimeUnit> ParseTimeUnit(std::string_view text);

// Used by one thread. Caches the last date and, for local times, the last hour, because
// neighbouring rows often share them and applying a zone's rules is slow.
class TimeParser {
 public:
  // Parses times in seconds, or with a zone.
  TimeParser() = default;
  // `zone`: an IANA name, the zone of times that are written without one; empty refuses such times.
  // ERR if the zone is unknown.
  static Result<TimeParser> Of(TimeUnit unit, std::string_view zone);

  // Parses all formats of base::ParseTime, and
  //
  //   1762500000123                 a number of the unit, with up to six decimals of a second
  //   2026-11-15 13:00:00+08        a blank for the T, as PostgreSQL writes times
  //   2026-11-15 13:00:00.123456    the time of the zone's clock. If the clock showed it twice, the
  //                                 first; BADTIME if the clock skipped it
  //
  // BADTIME for all other texts.
  [[nodiscard]] Result<Stamp> Parse(std::string_view text);

 private:
  [[nodiscard]] Result<Stamp> ParseNumber(std::string_view text) const;
  [[nodiscard]] Result<Stamp> ParseDate(std::string_view text);
  // Parses the most frequent form, "2026-11-15T13:00:00" with up to six decimals, as UTC. Nullopt
  // for other forms and invalid times.
  std::optional<Stamp> ParseUsualDate(std::string_view text);
  // Returns the moment at which the zone's clock showed this time: calendar::LocalTimes::MomentOf.
  Result<Stamp> MomentOf(Stamp shown);

  TimeUnit unit_ = TimeUnit::kSeconds;
  std::optional<calendar::LocalTimes> zone_;

  std::array<char, 10> last_date_{};  // "2026-11-15"
  Stamp last_midnight_ = 0;           // in UTC
  // The last hour that the zone's clock showed: its begin, read as UTC, and the offset to add to
  // the time shown. Only hours with a constant offset are cached.
  Stamp last_hour_ = -1;
  std::int64_t last_offset_ = 0;
};

}  // namespace laurel::transfer
