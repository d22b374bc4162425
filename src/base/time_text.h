// The text of times and durations, the same in commands, HTTP, configuration and on the command
// line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "laurel/score.h"

namespace laurel::base {

// The end of the year 9999 in µs, and a million days. A time plus a few dozen durations does not
// overflow.
inline constexpr Stamp kMaxTime = 253'402'300'799'999'999;
inline constexpr std::int64_t kMaxDurationMicros = 1'000'000LL * 86'400 * 1'000'000;
static_assert(INT64_MAX - kMaxTime > 64 * kMaxDurationMicros);

// Parses a time from 1970 to 9999:
//
//   1762500000.123456             Unix seconds, up to six decimals
//   1762500000123ms               with a unit: milliseconds or, with us, microseconds
//   2026-11-15T13:00:00.123456Z   ISO 8601; seconds and decimals may be missing, the zone may not:
//                                 Z, +08:00, +0800 or +08
//
// BADTIME for anything else. A bare number above 10^11 is refused: it is more likely meant as
// milliseconds than as a time after the year 5138.
Result<Stamp> ParseTime(std::string_view text);

// ISO 8601 in UTC with six decimals: "2026-11-15T13:04:05.000006Z". REQUIRES: the year has at most
// four digits, as every time of ParseTime and of a Clock has.
std::string FormatIsoTime(Stamp stamp);
// Writes this text to `to`, which has room for kIsoTimeBytes.
inline constexpr std::size_t kIsoTimeBytes = 27;
void WriteIsoTime(Stamp stamp, char* to);

// Parses a duration and returns it in µs: digits and one of us, ms, s, m, h, d; 0 needs no unit.
// ERR for anything else and for more than kMaxDurationMicros.
Result<std::int64_t> ParseDuration(std::string_view text);

// The text in the largest unit that is exact: "90s", "15m", "0s". REQUIRES: micros >= 0.
std::string FormatDuration(std::int64_t micros);

}  // namespace laurel::base
