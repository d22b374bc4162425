#include "calendar/zone_calendar.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "calendar/zone.h"

namespace laurel::calendar {
namespace {

using absl::CivilDay;
using absl::CivilHour;
using absl::CivilMonth;
using absl::CivilSecond;

constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kSecondsPerHour = 3600;
constexpr int kMinutesPerDay = 1440;

// 0001-01-03 and 9999-12-29 in UTC: no zone and no turn moves a date more than two days, so every
// label has a year of four digits.
constexpr std::int64_t kFirstSecond = -62'135'424'000;
constexpr std::int64_t kLastSecond = 253'402'041'600;
static_assert(CivilSecond(1, 1, 3) - CivilSecond() == kFirstSecond);
static_assert(CivilSecond(9999, 12, 29) - CivilSecond() == kLastSecond);

// The calendar of civil dates repeats every 400 years, week days included. Abseil lists the changes
// of at most 400 years after the last rule of a zone; those after 2300 show that more follow.
constexpr std::int64_t kCycleSeconds = std::int64_t{146'097} * 24 * 3600;
constexpr std::int64_t kYear2300 = 10'413'792'000;
static_assert(kCycleSeconds % (7 * 24 * kSecondsPerHour) == 0, "a cycle is whole weeks");
static_assert(CivilSecond(2300, 1, 1) - CivilSecond() == kYear2300);

constexpr std::uint64_t kMostInstances = 100'000'000;  // more than a period has

// Labels ----------------------------------------------------------------------------------------

// Whether the text has the shape: a 0 stands for any digit, a + for either sign.
bool HasShape(std::string_view text, std::string_view shape) {
  return std::equal(text.begin(), text.end(), shape.begin(), shape.end(), [](char c, char wanted) {
    if (wanted == '0') return c >= '0' && c <= '9';
    return c == wanted || (wanted == '+' && c == '-');
  });
}

// The number in text[at, at + count). REQUIRES: all of them are digits.
int Digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (const char c : text.substr(at, count)) value = value * 10 + (c - '0');
  return value;
}

// Appends the value with `digits` digits, at most 4, padded with zeros.
void Append(std::string* text, std::int64_t value, int digits) {
  LAUREL_ASSERT(digits > 0 && digits <= 4);
  std::array<char, 4> buffer{};
  for (int i = digits - 1; i >= 0; --i, value /= 10) {
    buffer[static_cast<std::size_t>(i)] = static_cast<char>('0' + value % 10);
  }
  text->append(buffer.data(), static_cast<std::size_t>(digits));
}

std::string MonthLabel(CivilMonth month) {
  std::string label;
  Append(&label, month.year(), 4);
  label += '-';
  Append(&label, month.month(), 2);
  return label;
}

std::string DayLabel(CivilDay day) {
  std::string label = MonthLabel(CivilMonth(day));
  label += '-';
  Append(&label, day.day(), 2);
  return label;
}

std::string WeekLabel(CivilDay monday) {
  const CivilDay thursday = monday + 3;
  std::string label;
  Append(&label, thursday.year(), 4);
  label += "-W";
  Append(&label, (absl::GetYearDay(thursday) - 1) / 7 + 1, 2);
  return label;
}

std::string HourLabel(CivilHour hour, int offset) {
  std::string label = DayLabel(CivilDay(hour));
  label += 'T';
  Append(&label, hour.hour(), 2);
  label += offset < 0 ? '-' : '+';
  const int east = std::abs(offset);
  Append(&label, east / 3600, 2);
  Append(&label, east / 60 % 60, 2);
  if (east % 60 != 0) Append(&label, east % 60, 2);
  return label;
}

constexpr std::string_view kHourShape = "0000-00-00T00+0000";
constexpr std::string_view kHourWithSecondsShape = "0000-00-00T00+000000";
static_assert(kHourWithSecondsShape.size() <= Label::kMaxBytes);

Error NoLabel(Period period, std::string_view label) {
  constexpr std::array<std::string_view, 4> kExamples = {"2026-11-15T13+0800", "2026-11-15",
                                                         "2026-W46", "2026-11"};
  static_assert(kExamples.size() == static_cast<std::size_t>(Period::kMonth) + 1);
  std::string message =
      base::Quote(label) + " is no label of period " + std::string(PeriodName(period));
  if (period == Period::kAll) return Err(message + ": it has one instance and no labels");
  return Err(message + ": expected one such as " +
             std::string(kExamples[static_cast<std::size_t>(period)]));
}

// When an hour with this label would begin if its offset held for the whole hour. None if the text
// does not have the shape of a label.
std::optional<std::int64_t> SecondOfHour(std::string_view label) {
  const bool with_seconds = HasShape(label, kHourWithSecondsShape);
  if (!with_seconds && !HasShape(label, kHourShape)) return std::nullopt;
  const CivilHour hour(Digits(label, 0, 4), Digits(label, 5, 2), Digits(label, 8, 2),
                       Digits(label, 11, 2));
  const int east = Digits(label, 14, 2) * 3600 + Digits(label, 16, 2) * 60 +
                   (with_seconds ? Digits(label, 18, 2) : 0);
  return (CivilSecond(hour) - CivilSecond()) - (label[13] == '-' ? -east : east);
}

// The first date of the day, week or month with this label. If a number in the label is out of
// range, the date belongs to an instance with another label. None if the text does not have the
// shape of a label.
std::optional<CivilDay> FirstDate(Period period, std::string_view label) {
  if (period == Period::kDay && HasShape(label, "0000-00-00")) {
    return CivilDay(Digits(label, 0, 4), Digits(label, 5, 2), Digits(label, 8, 2));
  }
  if (period == Period::kWeek && HasShape(label, "0000-W00")) {
    const CivilDay in_first_week(Digits(label, 0, 4), 1, 4);
    const CivilDay monday = absl::PrevWeekday(in_first_week + 1, absl::Weekday::monday);
    return monday + 7 * (Digits(label, 6, 2) - 1);
  }
  if (period == Period::kMonth && HasShape(label, "0000-00")) {
    return CivilDay(Digits(label, 0, 4), Digits(label, 5, 2), 1);
  }
  return std::nullopt;
}

std::int64_t FloorToSecond(Stamp moment) {
  const std::int64_t second = moment / kMicrosPerSecond;
  return moment % kMicrosPerSecond < 0 ? second - 1 : second;
}

// Makes an instance of seconds. The first and the last of the calendar reach to the ends of time.
Instance MakeInstance(Period period, std::int64_t begin, std::int64_t end,
                      const std::string& label) {
  LAUREL_ASSERT(label.size() <= Label::kMaxBytes);
  return {.period = period,
          .begin = begin <= kFirstSecond ? INT64_MIN : begin * kMicrosPerSecond,
          .end = end > kLastSecond ? INT64_MAX : end * kMicrosPerSecond,
          .label = label};
}

}  // namespace

Result<ZoneCalendar> ZoneCalendar::Of(std::string_view zone, int turn_minutes) {
  if (turn_minutes < 0 || turn_minutes >= kMinutesPerDay) {
    return Err("a day turns at minute 0 to 1439, got " + std::to_string(turn_minutes));
  }
  const Result<absl::TimeZone> loaded = LoadZone(zone);
  if (!loaded.ok()) return loaded.error();
  return ZoneCalendar(*loaded, turn_minutes);
}

Instance ZoneCalendar::At(Period period, Stamp moment) const {
  if (period == Period::kAll) return {};
  const std::int64_t second = std::clamp(FloorToSecond(moment), kFirstSecond, kLastSecond);
  return period == Period::kHour ? HourAt(second) : DaysAt(period, second);
}

std::optional<Instance> ZoneCalendar::Before(const Instance& instance, std::uint64_t count) const {
  if (count == 0) return instance;
  if (instance.begin == INT64_MIN || count > kMostInstances) return std::nullopt;
  // The begin of the instance after the one that is sought.
  std::int64_t next = instance.begin / kMicrosPerSecond;
  const auto steps = static_cast<std::int64_t>(count - 1);
  if (instance.period == Period::kHour) {
    next = HoursBefore(next, steps);
  } else if (steps > 0) {
    const CivilDay date = DateOf(next);
    if (instance.period == Period::kDay) {
      next = FirstBeginFrom(DaysBefore(date, steps));
    } else if (instance.period == Period::kWeek) {
      next = FirstBeginFrom(absl::PrevWeekday(date + 1, absl::Weekday::monday) - 7 * steps);
    } else {
      next = FirstBeginFrom(CivilDay(CivilMonth(date) - steps));
    }
  }
  if (next <= kFirstSecond) return std::nullopt;
  return At(instance.period, next * kMicrosPerSecond - 1);
}

Result<Instance> ZoneCalendar::Find(Period period, std::string_view label) const {
  if (period == Period::kAll) {
    if (!label.empty()) return NoLabel(period, label);
    return Instance{};
  }
  // A label with numbers out of range leads to an instance with another label: compare them.
  if (period == Period::kHour) {
    const std::optional<std::int64_t> begin = SecondOfHour(label);
    if (!begin) return NoLabel(period, label);
    // If the offset changes within the hour, the label's offset holds at one of the hour's ends.
    for (const std::int64_t second : {*begin, *begin + kSecondsPerHour - 1}) {
      Instance instance = At(period, second * kMicrosPerSecond);
      if (instance.label == label) return instance;
    }
  } else {
    const std::optional<CivilDay> date = FirstDate(period, label);
    if (!date) return NoLabel(period, label);
    Instance instance = At(period, FirstBeginFrom(*date) * kMicrosPerSecond);
    if (instance.label == label) return instance;
  }
  return Err("there is no " + std::string(PeriodName(period)) + " " + base::Quote(label) + " in " +
             zone_.name());
}

int ZoneCalendar::OffsetAt(std::int64_t second) const {
  return zone_.At(absl::FromUnixSeconds(second)).offset;
}

// The first second at which the offset is the one at `high`. REQUIRES: the offset changes once,
// after `low` and not after `high`.
std::int64_t ZoneCalendar::ChangeWithin(std::int64_t low, std::int64_t high) const {
  LAUREL_ASSERT(low < high);
  const int offset = OffsetAt(high);
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (OffsetAt(middle) == offset ? high : low) = middle;
  }
  return high;
}

// The last change of the offset that Abseil lists up to `time`.
std::optional<std::int64_t> ZoneCalendar::ListedChangeUpTo(absl::Time time) const {
  absl::TimeZone::CivilTransition change;
  for (time += absl::Seconds(1); zone_.PrevTransition(time, &change);) {
    time = zone_.At(change.to).trans;
    if (change.from != change.to) return absl::ToUnixSeconds(time);  // not only another name
  }
  return std::nullopt;
}

// The last second up to `second` at which the offset changed; the first of the calendar if there is
// none.
std::int64_t ZoneCalendar::ChangeUpTo(std::int64_t second) const {
  std::int64_t later = 0;  // by whole cycles
  if (second > kYear2300) {
    const std::int64_t last = ListedChangeUpTo(absl::InfiniteFuture()).value_or(0);
    if (last > kYear2300 && second > last) {
      later = (second - last + kCycleSeconds - 1) / kCycleSeconds * kCycleSeconds;
    }
  }
  const auto change = ListedChangeUpTo(absl::FromUnixSeconds(second - later));
  return change ? *change + later : kFirstSecond - kSecondsPerHour;
}

// When the hour begins that is `count` hours before the one that begins at `begin`.
std::int64_t ZoneCalendar::HoursBefore(std::int64_t begin, std::int64_t count) const {
  while (count > 0 && begin > kFirstSecond) {
    // While the offset stays the same, hours begin at full hours of the local clock. The first one
    // begins at the change.
    const std::int64_t change = ChangeUpTo(begin - 1);
    const CivilSecond local = zone_.At(absl::FromUnixSeconds(begin - 1)).cs;
    const std::int64_t last = begin - 1 - (local - CivilSecond(CivilHour(local)));
    const std::int64_t hours =
        1 + std::max<std::int64_t>(0, (last - change + kSecondsPerHour - 1) / kSecondsPerHour);
    if (count <= hours) return std::max(change, last - (count - 1) * kSecondsPerHour);
    count -= hours;
    begin = change;
  }
  return begin;
}

Instance ZoneCalendar::HourAt(std::int64_t second) const {
  const absl::TimeZone::CivilInfo local = zone_.At(absl::FromUnixSeconds(second));
  const CivilHour hour(local.cs);
  std::int64_t begin = second - (local.cs - CivilSecond(hour));
  std::int64_t end = begin + kSecondsPerHour;
  if (OffsetAt(begin) != local.offset) begin = ChangeWithin(begin, second);
  if (OffsetAt(end - 1) != local.offset) end = ChangeWithin(second, end - 1);
  return MakeInstance(Period::kHour, begin, end, HourLabel(hour, local.offset));
}

// When the day of this date begins; none if the zone skipped the date.
std::optional<std::int64_t> ZoneCalendar::BeginOf(CivilDay date) const {
  const absl::TimeZone::TimeInfo turn = zone_.At(CivilSecond(date) + turn_seconds_);
  if (turn.kind != absl::TimeZone::TimeInfo::SKIPPED) return absl::ToUnixSeconds(turn.pre);
  const bool shown = CivilDay(zone_.At(turn.trans).cs) == date ||
                     CivilDay(zone_.At(turn.trans - absl::Seconds(1)).cs) == date;
  if (!shown) return std::nullopt;
  return absl::ToUnixSeconds(turn.trans);
}

// When the first day with this date or a later one begins.
std::int64_t ZoneCalendar::FirstBeginFrom(CivilDay date) const {
  for (;; ++date) {
    if (const std::optional<std::int64_t> begin = BeginOf(date)) return *begin;
  }
}

// The date of the day that is `count` days before the one with this date.
CivilDay ZoneCalendar::DaysBefore(CivilDay date, std::int64_t count) const {
  CivilDay before = date - count;
  absl::Time time = absl::FromCivil(date + 1, zone_);
  // A date that the local clock skipped has no day.
  for (absl::TimeZone::CivilTransition change;
       zone_.PrevTransition(time, &change) && CivilDay(change.to) > before;) {
    const CivilDay first_skipped = CivilDay(change.from - 1) + 1;
    for (CivilDay skipped = CivilDay(change.to) - 1; skipped >= first_skipped; --skipped) {
      if (skipped < date && skipped >= before) --before;
    }
    time = zone_.At(change.to).trans;
  }
  return before;
}

// The date of the day that the moment belongs to.
CivilDay ZoneCalendar::DateOf(std::int64_t second) const {
  CivilDay date(zone_.At(absl::FromUnixSeconds(second)).cs - turn_seconds_);
  // After the clock was set back across the turn it shows a date whose day is already over.
  while (FirstBeginFrom(date + 1) <= second) ++date;
  // Between a skipped date and the next turn, local time minus the turn gives the skipped date.
  while (!BeginOf(date)) --date;
  return date;
}

Instance ZoneCalendar::DaysAt(Period period, std::int64_t second) const {
  const CivilDay date = DateOf(second);
  CivilDay first = date;
  CivilDay next = date + 1;
  std::string label;
  if (period == Period::kWeek) {
    first = absl::PrevWeekday(date + 1, absl::Weekday::monday);
    next = first + 7;
    label = WeekLabel(first);
  } else if (period == Period::kMonth) {
    const CivilMonth month(date);
    first = CivilDay(month);
    next = CivilDay(month + 1);
    label = MonthLabel(month);
  } else {
    label = DayLabel(date);
  }
  return MakeInstance(period, FirstBeginFrom(first), FirstBeginFrom(next), label);
}

Result<std::shared_ptr<const Calendar>> ZoneCalendars::Of(std::string_view zone,
                                                          int turn_minutes) const {
  const base::MutexLock lock(mutex_);
  const auto known = known_.find({std::string(zone), turn_minutes});
  if (known != known_.end()) return std::shared_ptr<const Calendar>(known->second);
  const Result<ZoneCalendar> made = ZoneCalendar::Of(zone, turn_minutes);
  if (!made.ok()) return made.error();
  auto calendar = std::make_shared<const ZoneCalendar>(*made);
  known_.emplace(std::pair(std::string(zone), turn_minutes), calendar);
  return std::shared_ptr<const Calendar>(calendar);
}

}  // namespace laurel::calendar

namespace laurel {

std::shared_ptr<const Calendars> ZoneCalendars() {
  static const auto all = std::make_shared<const calendar::ZoneCalendars>();
  return all;
}

}  // namespace laurel
