#include "base/time_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>

#include "base/assert.h"
#include "base/text.h"

namespace laurel::base {
namespace {

constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kMaxBareSeconds = 100'000'000'000;
static_assert(kMaxBareSeconds <= kMaxTime / kMicrosPerSecond);

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool AllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Error BadTime(std::string_view text, std::string_view why) {
  return {ErrorCode::kBadTime, Quote(text) + " " + std::string(why)};
}

Error NoTime(std::string_view text) {
  return BadTime(text,
                 "is no time: expected Unix seconds, digits with ms or us, or ISO 8601 with a zone "
                 "such as 2026-11-15T13:00:00Z");
}

Error OutOfRange(std::string_view text) {
  return BadTime(text, "lies outside the years 1970 to 9999");
}

// The value of up to 18 digits, not counting leading zeros; none if there are more.
std::optional<std::int64_t> Digits(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() > 18) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

// The one to six digits after the point of a number of seconds, as µs.
std::optional<std::int64_t> Fraction(std::string_view digits) {
  if (digits.size() > 6 || !AllDigits(digits)) return std::nullopt;
  std::int64_t micros = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    micros = micros * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }
  return micros;
}

Result<Stamp> ParseWithUnit(std::string_view text, std::string_view digits, std::int64_t unit) {
  if (!AllDigits(digits)) return NoTime(text);
  const std::optional<std::int64_t> count = Digits(digits);
  if (!count || *count > kMaxTime / unit) return OutOfRange(text);
  return *count * unit;
}

Result<Stamp> ParseSeconds(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  if (!AllDigits(whole)) return NoTime(text);
  std::int64_t micros = 0;
  if (point != std::string_view::npos) {
    const std::optional<std::int64_t> fraction = Fraction(text.substr(point + 1));
    if (!fraction) return BadTime(text, "is no time: a second has one to six decimals");
    micros = *fraction;
  }
  const std::optional<std::int64_t> seconds = Digits(whole);
  if (!seconds || *seconds > kMaxBareSeconds || (*seconds == kMaxBareSeconds && micros > 0)) {
    return BadTime(text, "is ambiguous: add ms or us, or give seconds");
  }
  return *seconds * kMicrosPerSecond + micros;
}

// Reads ISO 8601 from the left.
class IsoReader {
 public:
  explicit IsoReader(std::string_view text) : left_(text) {}

  // Exactly `count` digits.
  std::optional<int> Number(std::size_t count) {
    if (left_.size() < count || !AllDigits(left_.substr(0, count))) return std::nullopt;
    int value = 0;
    for (const char c : left_.substr(0, count)) value = value * 10 + (c - '0');
    left_.remove_prefix(count);
    return value;
  }
  bool Skip(char c) {
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }
  std::string_view TakeDigits() {
    std::size_t count = 0;
    while (count < left_.size() && IsDigit(left_[count])) ++count;
    const std::string_view digits = left_.substr(0, count);
    left_.remove_prefix(count);
    return digits;
  }
  [[nodiscard]] bool AtEnd() const { return left_.empty(); }

 private:
  std::string_view left_;
};

// "2026-11-15" as days since the epoch.
std::optional<std::int64_t> ReadDate(IsoReader& in) {
  const auto year = in.Number(4);
  if (!year || !in.Skip('-')) return std::nullopt;
  const auto month = in.Number(2);
  if (!month || !in.Skip('-')) return std::nullopt;
  const auto day = in.Number(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// "13:00", "13:00:59" or "13:00:59.123456" as µs since midnight.
std::optional<std::int64_t> ReadClock(IsoReader& in) {
  const auto hours = in.Number(2);
  if (!hours || *hours > 23 || !in.Skip(':')) return std::nullopt;
  const auto minutes = in.Number(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  std::int64_t micros = (*hours * 3600LL + *minutes * 60LL) * kMicrosPerSecond;
  if (!in.Skip(':')) return micros;
  const auto seconds = in.Number(2);
  if (!seconds || *seconds > 59) return std::nullopt;
  micros += *seconds * kMicrosPerSecond;
  if (!in.Skip('.')) return micros;
  const auto fraction = Fraction(in.TakeDigits());
  if (!fraction) return std::nullopt;
  return micros + *fraction;
}

// "Z", "+08:00", "+0800" or "+08" as µs to subtract from the local time.
std::optional<std::int64_t> ReadZone(IsoReader& in) {
  if (in.Skip('Z')) return 0;
  const bool west = in.Skip('-');
  if (!west && !in.Skip('+')) return std::nullopt;
  const auto hours = in.Number(2);
  if (!hours || *hours > 23) return std::nullopt;
  std::int64_t seconds = *hours * 3600LL;
  if (in.Skip(':') || !in.AtEnd()) {
    const auto minutes = in.Number(2);
    if (!minutes || *minutes > 59) return std::nullopt;
    seconds += *minutes * 60LL;
  }
  return (west ? -seconds : seconds) * kMicrosPerSecond;
}

Result<Stamp> ParseIso(std::string_view text) {
  IsoReader in(text);
  const auto days = ReadDate(in);
  if (!days || !in.Skip('T')) return NoTime(text);
  const auto clock = ReadClock(in);
  if (!clock) return NoTime(text);
  if (in.AtEnd()) return BadTime(text, "has no zone: add Z or an offset such as +08:00");
  const auto zone = ReadZone(in);
  if (!zone || !in.AtEnd()) return NoTime(text);
  const Stamp stamp = *days * 86'400 * kMicrosPerSecond + *clock - *zone;
  if (stamp < 0 || stamp > kMaxTime) return OutOfRange(text);
  return stamp;
}

struct Unit {
  std::string_view name;
  std::int64_t micros;
};

// From the largest to the smallest: FormatDuration takes the first that is exact.
constexpr std::array<Unit, 6> kUnits = {{{"d", 86'400 * kMicrosPerSecond},
                                         {"h", 3600 * kMicrosPerSecond},
                                         {"m", 60 * kMicrosPerSecond},
                                         {"s", kMicrosPerSecond},
                                         {"ms", 1000},
                                         {"us", 1}}};
static_assert(kUnits.back().micros == 1);  // every duration is exact in some unit
static_assert(kIsoTimeBytes == sizeof("2026-11-15T13:04:05.000006Z") - 1);

}  // namespace

Result<Stamp> ParseTime(std::string_view text) {
  if (text.find('T') != std::string_view::npos) return ParseIso(text);
  if (text.ends_with("ms")) return ParseWithUnit(text, text.substr(0, text.size() - 2), 1000);
  if (text.ends_with("us")) return ParseWithUnit(text, text.substr(0, text.size() - 2), 1);
  return ParseSeconds(text);
}

std::string FormatIsoTime(Stamp stamp) {
  std::string text(kIsoTimeBytes, '\0');
  WriteIsoTime(stamp, text.data());
  return text;
}

void WriteIsoTime(Stamp stamp, char* to) {
  const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(stamp)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const auto micros = static_cast<std::uint64_t>((time - day).count());
  const auto put = [&to](std::uint64_t number, int digits, char after) {
    for (int i = digits; i > 0; --i, number /= 10) to[i - 1] = static_cast<char>('0' + number % 10);
    to[digits] = after;
    to += digits + 1;
  };
  put(static_cast<std::uint64_t>(static_cast<int>(date.year())), 4, '-');
  put(static_cast<unsigned>(date.month()), 2, '-');
  put(static_cast<unsigned>(date.day()), 2, 'T');
  put(micros / 3'600'000'000, 2, ':');
  put(micros / 60'000'000 % 60, 2, ':');
  put(micros / 1'000'000 % 60, 2, '.');
  put(micros % 1'000'000, 6, 'Z');
}

Result<std::int64_t> ParseDuration(std::string_view text) {
  if (text == "0") return 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, end);
  for (const Unit& unit : kUnits) {
    if (digits.empty() || text.substr(end) != unit.name) continue;
    const std::optional<std::int64_t> count = Digits(digits);
    if (!count || *count > kMaxDurationMicros / unit.micros) {
      return Error{ErrorCode::kErr, Quote(text) + " is longer than a million days"};
    }
    return *count * unit.micros;
  }
  return Error{ErrorCode::kErr,
               Quote(text) +
                   " is no duration: expected digits and a unit, such as 500ms, 90s, 15m, "
                   "12h or 30d"};
}

std::string FormatDuration(std::int64_t micros) {
  LAUREL_ASSERT(micros >= 0);
  if (micros == 0) return "0s";
  for (const Unit& unit : kUnits) {
    if (micros % unit.micros == 0) {
      return std::to_string(micros / unit.micros) + std::string(unit.name);
    }
  }
  return {};
}

}  // namespace laurel::base
