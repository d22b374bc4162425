#include "transfer/time_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "base/time_text.h"
#include "transfer/limits.h"

namespace laurel::transfer {
namespace {

constexpr std::int64_t kMaxBareSeconds = 100'000'000'000;  // as base::ParseTime

Error BadTime(std::string_view text, std::string_view cause) {
  return {ErrorCode::kBadTime, base::Quote(text) + " " + std::string(cause)};
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Digits, and maybe a point and digits.
bool IsBareNumber(std::string_view text) {
  return !text.empty() && IsDigit(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsDigit(c) || c == '.'; });
}

// "2026-11-15T…": what base::ParseTime does not take for a number.
bool BeginsAsDate(std::string_view text) {
  return text.size() > 10 && text[4] == '-' && text[7] == '-' &&
         (text[10] == 'T' || text[10] == ' ');
}

bool HasZone(std::string_view date) {
  return date.find_first_of("Z+-", 10) != std::string_view::npos;
}

std::int64_t MicrosOf(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSeconds:
      return 1'000'000;
    case TimeUnit::kMillis:
      return 1000;
    case TimeUnit::kMicros:
      break;
  }
  return 1;
}

}  // namespace

Result<TimeUnit> ParseTimeUnit(std::string_view text) {
  if (text == "s") return TimeUnit::kSeconds;
  if (text == "ms") return TimeUnit::kMillis;
  if (text == "us") return TimeUnit::kMicros;
  return Error{ErrorCode::kErr, base::Quote(text) + " is no unit of time: expected s, ms or us"};
}

Result<TimeParser> TimeParser::Of(TimeUnit unit, std::string_view zone) {
  TimeParser parser;
  parser.unit_ = unit;
  if (zone.empty()) return parser;
  Result<calendar::LocalTimes> times = calendar::LocalTimes::Of(zone);
  if (!times.ok()) return times.error();
  parser.zone_ = *times;
  return parser;
}

Result<Stamp> TimeParser::Parse(std::string_view text) const {
  if (text.size() > kMaxTimeBytes) return BadTime(text, "is no time: it is too long");
  if (BeginsAsDate(text)) return ParseDate(text);
  if (IsBareNumber(text)) return ParseNumber(text);
  return base::ParseTime(text);
}

Result<Stamp> TimeParser::ParseNumber(std::string_view text) const {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::int64_t count = 0;
  const std::from_chars_result whole = std::from_chars(text.data(), text.data() + point, count);
  const std::int64_t unit = MicrosOf(unit_);
  if (whole.ec != std::errc()) return BadTime(text, "is out of range");
  std::int64_t micros = 0;
  std::int64_t digit_micros = unit;
  for (const char c : text.substr(std::min(point + 1, text.size()))) {
    digit_micros /= 10;
    if (!IsDigit(c)) return BadTime(text, "is no time");
    if (digit_micros == 0 && c != '0') return BadTime(text, "is finer than a microsecond");
    micros += (c - '0') * digit_micros;
  }
  if (text.back() == '.') return BadTime(text, "is no time");
  if (unit_ == TimeUnit::kSeconds &&
      (count > kMaxBareSeconds || (count == kMaxBareSeconds && micros > 0))) {
    return BadTime(text, "is ambiguous: give --at-unit ms or us");
  }
  if (count > (base::kMaxTime - micros) / unit) return BadTime(text, "is out of range");
  return count * unit + micros;
}

Result<Stamp> TimeParser::ParseDate(std::string_view text) const {
  const bool has_zone = HasZone(text);
  if (has_zone && text[10] == 'T') return base::ParseTime(text);
  if (!has_zone && !zone_) return BadTime(text, "has no zone: give --tz");
  std::array<char, kMaxTimeBytes + 1> buffer{};
  char* end = std::copy(text.begin(), text.end(), buffer.begin());
  buffer[10] = 'T';
  if (!has_zone) *end++ = 'Z';
  const Result<Stamp> shown =
      base::ParseTime({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
  if (!shown.ok()) {
    return BadTime(text, "is no time from 1970 to 9999: expected one such as 2026-11-15 13:00:00");
  }
  if (has_zone) return shown;
  const Result<Stamp> moment = zone_->MomentOf(*shown);
  if (moment.ok() && (*moment < 0 || *moment > base::kMaxTime)) {
    return BadTime(text, "is out of range");
  }
  return moment;
}

}  // namespace laurel::transfer
