#include "transfer/text/time_parser.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "base/text.h"
#include "base/time_text.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

constexpr std::int64_t kMaxBareSeconds = 100'000'000'000;  // as base::ParseTime

Error BadTime(std::string_view text, std::string_view cause) {
  return {ErrorCode::kBadTime, base::Quote(text) + " " + std::string(cause)};
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether the text is digits, optionally with a point and digits.
bool IsBareNumber(std::string_view text) {
  return !text.empty() && IsDigit(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsDigit(c) || c == '.'; });
}

constexpr std::size_t kDateBytes = 10;

// Whether the text begins like "2026-11-15T…" or "2026-11-15 …".
bool BeginsAsDate(std::string_view text) {
  return text.size() > kDateBytes && text[4] == '-' && text[7] == '-' &&
         (text[kDateBytes] == 'T' || text[kDateBytes] == ' ');
}

bool HasZone(std::string_view date) {
  if (date.back() == 'Z') return true;
  return std::any_of(date.begin() + kDateBytes, date.end(),
                     [](char c) { return c == '+' || c == '-'; });
}

// Returns the number of two digits; 100 if they are not digits.
int TwoDigits(const char* text) {
  if (!IsDigit(text[0]) || !IsDigit(text[1])) return 100;
  return (text[0] - '0') * 10 + (text[1] - '0');
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

Result<Stamp> TimeParser::Parse(std::string_view text) {
  if (text.size() > kMaxTimeBytes) return BadTime(text, "is no time: it is too long");
  if (BeginsAsDate(text)) return ParseDate(text);
  if (IsBareNumber(text)) return ParseNumber(text);
  return base::ParseTime(text);
}

Result<Stamp> TimeParser::ParseNumber(std::string_view text) const {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::int64_t count = 0;
  const std::from_chars_result whole = std::from_chars(text.data(), text.data() + point, count);
  const std::int64_t unit = static_cast<std::int64_t>(unit_);
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

Result<Stamp> TimeParser::ParseDate(std::string_view text) {
  const bool has_zone = HasZone(text);
  if (!has_zone && !zone_) return BadTime(text, "has no zone: give --tz");
  std::optional<Stamp> shown;
  if (!has_zone || text.back() == 'Z') {
    shown = ParseUsualDate(has_zone ? text.substr(0, text.size() - 1) : text);
  }
  if (!shown) {
    std::array<char, kMaxTimeBytes + 1> buffer{};
    char* end = std::copy(text.begin(), text.end(), buffer.begin());
    buffer[kDateBytes] = 'T';
    if (!has_zone) *end++ = 'Z';
    const Result<Stamp> parsed =
        base::ParseTime({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
    if (!parsed.ok()) {
      return BadTime(text,
                     "is no time from 1970 to 9999: expected one such as 2026-11-15T13:00:00Z");
    }
    shown = *parsed;
  }
  if (has_zone) return *shown;
  const Result<Stamp> moment = MomentOf(*shown);
  if (moment.ok() && (*moment < 0 || *moment > base::kMaxTime)) {
    return BadTime(text, "is out of range");
  }
  return moment;
}

std::optional<Stamp> TimeParser::ParseUsualDate(std::string_view text) {
  constexpr std::size_t kClockBytes = 8;
  if (text.size() < kDateBytes + 1 + kClockBytes) return std::nullopt;
  if (!std::equal(last_date_.begin(), last_date_.end(), text.begin())) {
    const Result<Stamp> midnight =
        base::ParseTime(std::string(text.substr(0, kDateBytes)) + "T00:00Z");
    if (!midnight.ok()) return std::nullopt;
    std::copy_n(text.begin(), kDateBytes, last_date_.begin());
    last_midnight_ = *midnight;
  }
  const std::string_view clock = text.substr(kDateBytes + 1);
  const int hours = TwoDigits(clock.data());
  const int minutes = TwoDigits(clock.data() + 3);
  const int seconds = TwoDigits(clock.data() + 6);
  if (hours > 23 || minutes > 59 || seconds > 59 || clock[2] != ':' || clock[5] != ':') {
    return std::nullopt;
  }
  std::int64_t micros = 0;
  if (clock.size() > kClockBytes) {
    const std::string_view fraction = clock.substr(kClockBytes + 1);
    if (clock[kClockBytes] != '.' || fraction.empty() || fraction.size() > 6) return std::nullopt;
    std::int64_t digit_micros = 100'000;
    for (const char c : fraction) {
      if (!IsDigit(c)) return std::nullopt;
      micros += (c - '0') * digit_micros;
      digit_micros /= 10;
    }
  }
  return last_midnight_ + (hours * 3600LL + minutes * 60LL + seconds) * 1'000'000 + micros;
}

Result<Stamp> TimeParser::MomentOf(Stamp shown) {
  constexpr Stamp kHour = Stamp{3600} * 1'000'000;
  const Stamp hour = shown - shown % kHour;
  if (hour == last_hour_) return shown + last_offset_;
  const Result<Stamp> begin = zone_->MomentOf(hour);
  const Result<Stamp> end = zone_->MomentOf(hour + kHour - 1);
  if (!begin.ok() || !end.ok() || *end - *begin != kHour - 1) return zone_->MomentOf(shown);
  last_hour_ = hour;
  last_offset_ = *begin - hour;
  return shown + last_offset_;
}

}  // namespace laurel::transfer
