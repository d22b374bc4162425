// The periods of a leaderboard.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel {

// A recurring window of a leaderboard. One hour, day, … of it is an instance.
enum class Period : std::uint8_t {
  kHour,
  kDay,
  kWeek,  // ISO 8601: from Monday
  kMonth,
  kAll,  // one instance, for ever
};

inline constexpr std::size_t kPeriods = 5;

// "hour", "day", "week", "month", "all", and back (case-insensitive); ERR lists the valid words.
std::string_view PeriodName(Period period);
Result<Period> ParsePeriod(std::string_view text);

// A turn in minutes from its text and back: "04:00" is 240. ERR unless the text is "hh:mm" from
// 00:00 to 23:59 with all four digits.
Result<int> ParseTurn(std::string_view text);
std::string FormatTurn(int turn_minutes);

// The span of one hour, day, week or month: [begin, end). By default that of period `all`.
struct Instance {
  Period period = Period::kAll;
  Stamp begin = INT64_MIN;
  Stamp end = INT64_MAX;
  std::string label;  // "2026-11-15T13+0800", "2026-11-15", "2026-W46", "2026-11"; empty for kAll

  bool operator==(const Instance&) const = default;
};

}  // namespace laurel
