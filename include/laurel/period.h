// The periods of a leaderboard.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel {

// A recurring window of a leaderboard; one such hour, day, … is an instance of it.
enum class Period : std::uint8_t {
  kHour,
  kDay,
  kWeek,  // ISO 8601: from Monday
  kMonth,
  kAll,  // one instance, for ever
};

inline constexpr std::size_t kPeriods = 5;

// "hour", "day", "week", "month", "all", and back; ERR names the words there are.
std::string_view PeriodName(Period period);
Result<Period> ParsePeriod(std::string_view text);

// "04:00" as 240, from 00:00 to 23:59 with all four digits, and back; ERR for anything else.
Result<int> ParseTurn(std::string_view text);
std::string FormatTurn(int turn_minutes);

// One hour, day, week or month: [begin, end) in µs.
struct Instance {
  Period period = Period::kAll;
  Stamp begin = INT64_MIN;
  Stamp end = INT64_MAX;
  std::string label;  // "2026-11-15T13+0800", "2026-11-15", "2026-W46", "2026-11"; empty for kAll

  bool operator==(const Instance&) const = default;
};

}  // namespace laurel
