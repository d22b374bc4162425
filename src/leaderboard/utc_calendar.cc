#include "leaderboard/utc_calendar.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.h"
#include "base/text.h"

namespace laurel::leaderboard {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kSecondsPerHour = 3600;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr int kMinutesPerDay = 1440;
constexpr int kMonthsPerYear = 12;
constexpr std::uint64_t kMostInstances = 100'000'000;  // more than a period has

// 0001-01-03 and 9999-12-29: every label has a year of four digits.
constexpr std::int64_t kFirstSecond = -62'135'424'000;
constexpr std::int64_t kLastSecond = 253'402'041'600;
static_assert(sys_days(std::chrono::year(1) / 1 / 3).time_since_epoch().count() * kSecondsPerDay ==
              kFirstSecond);
static_assert(sys_days(std::chrono::year(9999) / 12 / 29).time_since_epoch().count() *
                  kSecondsPerDay ==
              kLastSecond);
static_assert(kLastSecond < INT64_MAX / kMicrosPerSecond);

std::int64_t FloorDivide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::int64_t SecondOf(sys_days date) {
  return std::int64_t{date.time_since_epoch().count()} * kSecondsPerDay;
}

// The value in decimal, with leading zeros up to `digits` digits.
std::string Padded(std::int64_t value, std::size_t digits) {
  std::string text = std::to_string(value);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

std::string MonthLabel(const year_month_day& date) {
  return Padded(int{date.year()}, 4) + "-" + Padded(unsigned{date.month()}, 2);
}

std::string DayLabel(const year_month_day& date) {
  return MonthLabel(date) + "-" + Padded(unsigned{date.day()}, 2);
}

// ISO 8601: a week belongs to the year of its Thursday.
std::string WeekLabel(sys_days monday) {
  const sys_days thursday = monday + days(3);
  const std::chrono::year year = year_month_day(thursday).year();
  const auto day_of_year = (thursday - sys_days(year / std::chrono::January / 1)).count();
  return Padded(int{year}, 4) + "-W" + Padded(day_of_year / 7 + 1, 2);
}

sys_days MondayOf(sys_days date) {
  return date - (std::chrono::weekday(date) - std::chrono::Monday);
}

// `begin` and `end` in seconds. Begins and ends beyond the calendar become INT64_MIN and INT64_MAX.
Instance MakeInstance(Period period, std::int64_t begin, std::int64_t end,
                      const std::string& label) {
  LAUREL_ASSERT(begin < end && label.size() <= Label::kMaxBytes);
  return {.period = period,
          .begin = begin <= kFirstSecond ? INT64_MIN : begin * kMicrosPerSecond,
          .end = end > kLastSecond ? INT64_MAX : end * kMicrosPerSecond,
          .label = label};
}

// Whether the text has the given shape, in which 0 stands for any digit.
bool HasShape(std::string_view text, std::string_view shape) {
  return std::equal(text.begin(), text.end(), shape.begin(), shape.end(), [](char c, char wanted) {
    return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
  });
}

// The number at [at, at + count). REQUIRES: digits only.
int Digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (const char c : text.substr(at, count)) value = value * 10 + (c - '0');
  return value;
}

// The begin of the hour with this label; for other periods midnight of one of the instance's days,
// to which the caller adds the turn. None if the label has the wrong shape. Numbers out of range
// give another date, whose instance has a different label; the caller compares labels.
std::optional<std::int64_t> SecondWithin(Period period, std::string_view label) {
  const auto date = [&](int month, int day) {
    return SecondOf(
        sys_days(std::chrono::year(Digits(label, 0, 4)) / std::clamp(month, 1, 12) / 1) +
        days(day - 1));
  };
  switch (period) {
    case Period::kHour:
      // The offset must be exactly "+0000"; HasShape would accept any digits.
      if (!HasShape(label.substr(0, 13), "0000-00-00T00") || label.substr(13) != "+0000") break;
      return date(Digits(label, 5, 2), Digits(label, 8, 2)) +
             Digits(label, 11, 2) * kSecondsPerHour;
    case Period::kDay:
      if (!HasShape(label, "0000-00-00")) break;
      return date(Digits(label, 5, 2), Digits(label, 8, 2));
    case Period::kWeek:  // the week of January 4th is the first
      if (!HasShape(label, "0000-W00")) break;
      return date(1, 4) + (Digits(label, 6, 2) - 1) * 7 * kSecondsPerDay;
    case Period::kMonth:
      if (!HasShape(label, "0000-00")) break;
      return date(Digits(label, 5, 2), 1);
    case Period::kAll:
      break;
  }
  return std::nullopt;
}

class OnlyUtc final : public Calendars {
 public:
  [[nodiscard]] Result<std::shared_ptr<const Calendar>> Of(std::string_view zone,
                                                           int turn_minutes) const override {
    if (zone != "UTC") {
      return Error{ErrorCode::kErr, "unknown time zone " + base::Quote(zone) +
                                        ": only UTC is built in, other zones need calendars"};
    }
    if (turn_minutes < 0 || turn_minutes >= kMinutesPerDay) {
      return Error{ErrorCode::kErr,
                   "a day turns at minute 0 to 1439, got " + std::to_string(turn_minutes)};
    }
    return std::shared_ptr<const Calendar>(std::make_shared<const UtcCalendar>(turn_minutes));
  }
};

}  // namespace

Instance UtcCalendar::At(Period period, Stamp moment) const {
  if (period == Period::kAll) return {};
  const std::int64_t second =
      std::clamp(FloorDivide(moment, kMicrosPerSecond), kFirstSecond, kLastSecond);
  if (period != Period::kHour) return DaysAt(period, second);
  const std::int64_t hour = FloorDivide(second, kSecondsPerHour);
  const std::int64_t day = FloorDivide(hour, 24);
  const year_month_day date{sys_days(days(day))};
  return MakeInstance(period, hour * kSecondsPerHour, (hour + 1) * kSecondsPerHour,
                      DayLabel(date) + "T" + Padded(hour - day * 24, 2) + "+0000");
}

Instance UtcCalendar::DaysAt(Period period, std::int64_t second) const {
  const sys_days date{days(FloorDivide(second - turn_seconds_, kSecondsPerDay))};
  const auto make = [&](sys_days first, sys_days next, const std::string& label) {
    return MakeInstance(period, SecondOf(first) + turn_seconds_, SecondOf(next) + turn_seconds_,
                        label);
  };
  const year_month_day civil{date};
  if (period == Period::kDay) return make(date, date + days(1), DayLabel(civil));
  if (period == Period::kWeek) {
    const sys_days monday = MondayOf(date);
    return make(monday, monday + days(7), WeekLabel(monday));
  }
  const auto month = civil.year() / civil.month();
  return make(month / 1, (month + std::chrono::months(1)) / 1, MonthLabel(civil));
}

std::optional<Instance> UtcCalendar::Before(const Instance& instance, std::uint64_t count) const {
  if (count == 0) return instance;
  if (instance.begin == INT64_MIN || count > kMostInstances) return std::nullopt;
  // The begin of the instance after the one that is sought.
  std::int64_t next = instance.begin / kMicrosPerSecond;
  const auto steps = static_cast<std::int64_t>(count - 1);
  switch (instance.period) {
    case Period::kHour:
      next -= steps * kSecondsPerHour;
      break;
    case Period::kDay:
      next -= steps * kSecondsPerDay;
      break;
    case Period::kWeek:
      next -= steps * 7 * kSecondsPerDay;
      break;
    case Period::kMonth: {
      const year_month_day date{sys_days(days(FloorDivide(next, kSecondsPerDay)))};
      const std::int64_t month =
          std::int64_t{int{date.year()}} * kMonthsPerYear + unsigned{date.month()} - 1 - steps;
      if (month <= kMonthsPerYear) return std::nullopt;  // January of the year 1 is the first
      next = SecondOf(std::chrono::year(static_cast<int>(month / kMonthsPerYear)) /
                      static_cast<int>(month % kMonthsPerYear + 1) / 1) +
             turn_seconds_;
      break;
    }
    case Period::kAll:
      return std::nullopt;
  }
  if (next <= kFirstSecond) return std::nullopt;
  return At(instance.period, next * kMicrosPerSecond - 1);
}

Result<Instance> UtcCalendar::Find(Period period, std::string_view label) const {
  if (period == Period::kAll && label.empty()) return Instance{};
  const std::optional<std::int64_t> second = SecondWithin(period, label);
  if (second) {
    const std::int64_t turned = *second + (period == Period::kHour ? 0 : turn_seconds_);
    Instance instance = At(period, turned * kMicrosPerSecond);
    if (instance.label == label) return instance;
  }
  return Error{ErrorCode::kErr, "there is no " + std::string(PeriodName(period)) + " " +
                                    base::Quote(label) + " in UTC"};
}

}  // namespace laurel::leaderboard

namespace laurel {

std::shared_ptr<const Calendars> UtcCalendars() {
  static const auto only = std::make_shared<const leaderboard::OnlyUtc>();
  return only;
}

}  // namespace laurel
