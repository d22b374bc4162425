#include "calendar/zone_calendar.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/time_text.h"

namespace laurel::calendar {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;
constexpr std::int64_t kDay = 24 * kHour;

// Besides the common cases: half-hour offsets and changes by half an hour, an offset with seconds
// (Monrovia until 1972), skipped dates (Apia, Kwajalein), changes at midnight (Sao_Paulo), a minute
// after it (St_Johns) and an hour before it (Nuuk).
constexpr std::array<const char*, 11> kZones = {"UTC",
                                                "Asia/Shanghai",
                                                "Europe/Berlin",
                                                "America/New_York",
                                                "Pacific/Apia",
                                                "Australia/Lord_Howe",
                                                "America/St_Johns",
                                                "America/Sao_Paulo",
                                                "Africa/Monrovia",
                                                "Pacific/Kwajalein",
                                                "America/Nuuk"};
constexpr std::array<const char*, 4> kTurns = {"00:00", "04:00", "02:30", "23:59"};

// Sets an environment variable; the destructor restores it.
class WithVariable {
 public:
  WithVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
    tzset();
  }
  ~WithVariable() {
    old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_);
    tzset();
  }
  WithVariable(const WithVariable&) = delete;
  WithVariable& operator=(const WithVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

ZoneCalendar Make(const char* zone, std::string_view turn = "00:00") {
  return ZoneCalendar::Of(zone, ParseTurn(turn).value()).value();
}

Stamp Time(std::string_view text) { return base::ParseTime(text).value(); }

std::string Label(const ZoneCalendar& calendar, Period period, std::string_view time) {
  return std::string(calendar.At(period, Time(time)).label);
}

// Finds a label and returns "begin end" of its instance, or the error.
std::string Found(const ZoneCalendar& calendar, Period period, std::string_view label) {
  const Result<Instance> found = calendar.Find(period, label);
  if (!found.ok()) return found.error().ToString();
  EXPECT_EQ(found->label, label);
  const auto brief = [](Stamp stamp) { return base::FormatIsoTime(stamp).substr(0, 16); };
  return brief(found->begin) + " " + brief(found->end);
}

// Checks an instance and the one after it. Returns what is wrong; empty if nothing is.
std::string CheckNeighbours(const ZoneCalendar& calendar, const Instance& instance,
                            const Instance& next) {
  const Period period = instance.period;
  if (instance.begin >= instance.end) return "is empty";
  if (next.begin != instance.end) return "is not followed at once";
  if (!(calendar.At(period, instance.begin) == instance)) return "does not hold its first moment";
  if (!(calendar.At(period, instance.end - 1) == instance)) return "does not hold its last moment";
  if (!(calendar.At(period, instance.end) == next)) return "has another next";
  if (calendar.Before(next, 1) != instance) return "is not the one before its next";
  const Result<Instance> found = calendar.Find(period, instance.label);
  if (!found.ok()) return found.error().message;
  if (!(*found == instance)) return "is not found by its label";
  return "";
}

// Checks every instance from the one at `from` to the last one that begins before `to`. Returns how
// many there were.
std::size_t CheckPartition(const ZoneCalendar& calendar, Period period, Stamp from, Stamp to,
                           const std::string& where) {
  std::size_t count = 0;
  for (Instance instance = calendar.At(period, from); instance.begin < to; ++count) {
    Instance next = calendar.At(period, instance.end);
    const std::string problem = CheckNeighbours(calendar, instance, next);
    if (!problem.empty()) {
      ADD_FAILURE() << where << " " << PeriodName(period) << " " << instance.label.view() << " "
                    << problem;
      return count;
    }
    instance = std::move(next);
  }
  return count;
}

// The C library's view of the zone in TZ, for comparison ------------------------------------------

std::tm LibraryLocal(std::int64_t second) {
  const std::time_t time = second;
  std::tm local{};
  localtime_r(&time, &local);
  return local;
}

// Moments from 1970 to 2040, each with a change of the offset from UTC in the six hours after it.
std::vector<std::int64_t> LibraryChanges() {
  constexpr std::int64_t kStep = 6 * 3600;
  std::vector<std::int64_t> changes;
  long offset = LibraryLocal(0).tm_gmtoff;
  for (std::int64_t second = kStep; second < Time("2040-01-01T00:00Z") / kSecond; second += kStep) {
    const long now = LibraryLocal(second).tm_gmtoff;
    if (now != offset) changes.push_back(second - kStep);
    offset = now;
  }
  return changes;
}

std::string LibraryHourLabel(const std::tm& local) {
  std::array<char, 32> text{};
  EXPECT_GT(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H%z", &local), 0U);
  std::string label = text.data();
  if (const long seconds = std::abs(local.tm_gmtoff) % 60; seconds != 0) {
    label += (seconds < 10 ? "0" : "") + std::to_string(seconds);
  }
  return label;
}

// Computes the date of the day from all local times seen so far, straight from the definition.
class WatchedDays {
 public:
  explicit WatchedDays(int turn_minutes) : turn_seconds_(turn_minutes * 60) {}

  void See(std::tm local) {
    const std::int64_t shown = timegm(&local);
    latest_ = std::max(latest_, shown);
    dates_.insert(shown / kDaySeconds);
  }
  // REQUIRES: See was called for the last two days.
  [[nodiscard]] std::string Label() const {
    const std::time_t time =
        *std::prev(dates_.upper_bound((latest_ - turn_seconds_) / kDaySeconds)) * kDaySeconds;
    std::tm date{};
    gmtime_r(&time, &date);
    std::array<char, 32> text{};
    EXPECT_GT(std::strftime(text.data(), text.size(), "%Y-%m-%d", &date), 0U);
    return text.data();
  }

 private:
  static constexpr std::int64_t kDaySeconds = 86'400;
  int turn_seconds_;
  std::int64_t latest_ = 0;
  std::set<std::int64_t> dates_;  // dates that the clock has shown, in days since the epoch
};

// Compares hours and days every ten minutes, from two days before a change of the offset to two
// days after it. The clock is watched every minute, because it may be past the turn for one minute
// only before it is set back.
void CompareWithLibrary(const ZoneCalendar& calendar, int turn_minutes, std::int64_t change) {
  WatchedDays days(turn_minutes);
  const std::int64_t from = change - 2 * 86'400;
  for (std::int64_t second = from - 3 * 86'400; second < change + 2 * 86'400; second += 60) {
    const std::tm local = LibraryLocal(second);
    days.See(local);
    if (second < from || second % 600 != 0) continue;
    const Stamp moment = second * kSecond;
    ASSERT_EQ(calendar.At(Period::kHour, moment).label, LibraryHourLabel(local)) << second;
    ASSERT_EQ(calendar.At(Period::kDay, moment).label, days.Label()) << second;
  }
}

class CalendarOfZone : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Zones, CalendarOfZone, testing::ValuesIn(kZones), [](const auto& zone) {
  std::string name = zone.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

// CheckPartition from the instance labelled `first` to the one labelled `last`. Returns how many
// there were before the latter.
std::size_t CheckSpan(const ZoneCalendar& calendar, Period period, const char* first,
                      const char* last, const std::string& where) {
  return CheckPartition(calendar, period, calendar.Find(period, first).value().begin,
                        calendar.Find(period, last).value().begin, where);
}

TEST_P(CalendarOfZone, DaysWeeksAndMonthsPartitionSeventyYears) {
  const std::string zone = GetParam();
  const bool skips_a_date = zone == "Pacific/Apia" || zone == "Pacific/Kwajalein";
  for (const char* turn : kTurns) {
    const std::string where = zone + " " + turn;
    const ZoneCalendar calendar = Make(GetParam(), turn);
    EXPECT_EQ(CheckSpan(calendar, Period::kDay, "1970-01-01", "2040-01-01", where),
              skips_a_date ? 25'566U : 25'567U);
    EXPECT_EQ(CheckSpan(calendar, Period::kWeek, "1970-W01", "2040-W01", where), 3653U);
    EXPECT_EQ(CheckSpan(calendar, Period::kMonth, "1970-01", "2040-01", where), 840U);
  }
}

TEST_P(CalendarOfZone, HoursPartitionTheDaysAroundEveryOffsetChange) {
  const WithVariable zone("TZ", GetParam());
  const ZoneCalendar calendar = Make(GetParam());
  CheckPartition(calendar, Period::kHour, Time("2026-11-15T00:00Z"), Time("2026-11-17T00:00Z"),
                 GetParam());
  for (const std::int64_t change : LibraryChanges()) {
    const Stamp at = change * kSecond;
    CheckPartition(calendar, Period::kHour, at - 2 * kDay, at + 2 * kDay, GetParam());
  }
}

TEST_P(CalendarOfZone, HoursAndDaysAroundEveryOffsetChangeMatchTheCLibrary) {
  const WithVariable zone("TZ", GetParam());
  const std::vector<std::int64_t> changes = LibraryChanges();
  EXPECT_EQ(changes.empty(), std::string_view(GetParam()) == "UTC");
  std::size_t next_turn = 0;
  for (const std::int64_t change : changes) {
    // Each change is checked with one of the turns: a zone makes the same change every year.
    const char* turn = kTurns[next_turn++ / 2 % kTurns.size()];
    CompareWithLibrary(Make(GetParam(), turn), ParseTurn(turn).value(), change);
    if (HasFatalFailure()) FAIL() << GetParam() << " " << turn << " around " << change;
  }
}

TEST_P(CalendarOfZone, FirstAndLastMomentsHaveInstances) {
  for (const char* turn : kTurns) {
    const ZoneCalendar calendar = Make(GetParam(), turn);
    for (const Period period : {Period::kHour, Period::kDay, Period::kWeek, Period::kMonth}) {
      const Instance first = calendar.At(period, INT64_MIN);
      EXPECT_EQ(first.begin, INT64_MIN);
      EXPECT_EQ(first.label.view().substr(0, 5), "0001-");
      EXPECT_EQ(calendar.Before(first, 0), first);
      EXPECT_EQ(calendar.Before(first, 1), std::nullopt);
      const Instance last = calendar.At(period, INT64_MAX);
      EXPECT_EQ(last.end, INT64_MAX);
      EXPECT_EQ(last.label.view().substr(0, 5), "9999-");
      EXPECT_EQ(CheckNeighbours(calendar, first, calendar.At(period, first.end)), "");
      EXPECT_EQ(CheckNeighbours(calendar, calendar.Before(last, 1).value(), last), "");
      EXPECT_EQ(calendar.Find(period, last.label).value(), last);
    }
  }
}

// Compares Before with a walk back from `from`, of `count` instances: where an instance is longer
// or shorter than the one after it, after that, and now and then.
void CompareWithWalk(const ZoneCalendar& calendar, Period period, Stamp from, std::uint64_t count) {
  const Instance start = calendar.At(period, from);
  Instance walked = start;
  bool was_irregular = true;
  for (std::uint64_t back = 1; back <= count; ++back) {
    if (walked.begin == INT64_MIN) {
      ASSERT_EQ(calendar.Before(start, back), std::nullopt);
      return;
    }
    const Instance next = walked;
    walked = calendar.At(period, next.begin - 1);
    const bool is_irregular = was_irregular;
    was_irregular = walked.end - walked.begin != next.end - next.begin;
    if (!is_irregular && !was_irregular && back % 16 != 0) continue;
    ASSERT_EQ(calendar.Before(start, back), walked) << start.label.view() << " - " << back;
  }
}

TEST_P(CalendarOfZone, InstancesBeforeAreThoseOfAWalkBack) {
  std::vector<Stamp> starts;
  for (const char* time :
       {"2026-11-15T05:30Z", "2012-03-01T12:00Z", "1994-04-04T02:00Z", "1973-01-01T00:00Z"}) {
    starts.push_back(Time(time));
  }
  starts.push_back(Time("2026-06-01T12:00Z") + 500 * 365 * kDay);  // after the listed changes
  starts.push_back(Make("UTC").At(Period::kDay, INT64_MIN).end + 20 * kDay);
  std::size_t next_turn = 0;
  for (const Stamp start : starts) {
    const ZoneCalendar calendar = Make(GetParam(), kTurns[next_turn++ % kTurns.size()]);
    CompareWithWalk(calendar, Period::kHour, start, 9000);
    CompareWithWalk(calendar, Period::kDay, start, 800);
    CompareWithWalk(calendar, Period::kWeek, start, 100);
    CompareWithWalk(calendar, Period::kMonth, start, 30);
    if (HasFatalFailure()) FAIL() << GetParam() << " from " << start;
  }
}

TEST_P(CalendarOfZone, InstancesFarBeforeAreThoseOfAWalkBack) {
  const ZoneCalendar calendar = Make(GetParam());
  for (const Period period : {Period::kHour, Period::kDay, Period::kWeek, Period::kMonth}) {
    const Instance start = calendar.At(period, Time("2026-11-15T05:30Z"));
    Instance walked = start;
    for (std::uint64_t back = 1; back <= 30'000 && walked.begin != INT64_MIN; ++back) {
      walked = calendar.At(period, walked.begin - 1);
      if (back % 1000 != 0) continue;
      ASSERT_EQ(calendar.Before(start, back), walked) << walked.label.view();
    }
  }
}

TEST(ZoneCalendar, LabelIsTheLocalDateOrHourAtWhichTheInstanceBegins) {
  const ZoneCalendar calendar = Make("Asia/Shanghai");
  EXPECT_EQ(Label(calendar, Period::kHour, "2026-11-15T05:59:59.999999Z"), "2026-11-15T13+0800");
  EXPECT_EQ(Label(calendar, Period::kDay, "2026-11-15T15:59:59.999999Z"), "2026-11-15");
  EXPECT_EQ(Label(calendar, Period::kDay, "2026-11-15T16:00Z"), "2026-11-16");
  EXPECT_EQ(Label(calendar, Period::kWeek, "2026-11-15T15:59Z"), "2026-W46");
  EXPECT_EQ(Label(calendar, Period::kWeek, "2026-11-15T16:00Z"), "2026-W47");
  EXPECT_EQ(Label(calendar, Period::kMonth, "2026-11-30T15:59Z"), "2026-11");
  EXPECT_EQ(Label(calendar, Period::kMonth, "2026-11-30T16:00Z"), "2026-12");
  EXPECT_EQ(Label(Make("America/St_Johns"), Period::kHour, "2026-01-01T00:00Z"),
            "2025-12-31T20-0330");
  EXPECT_EQ(Label(Make("UTC"), Period::kHour, "2026-01-01T00:00Z"), "2026-01-01T00+0000");
}

TEST(ZoneCalendar, PeriodAllHasOneInstance) {
  const ZoneCalendar calendar = Make("Asia/Shanghai");
  const Instance all = calendar.At(Period::kAll, 0);
  EXPECT_EQ(all, (Instance{Period::kAll, INT64_MIN, INT64_MAX, ""}));
  EXPECT_EQ(calendar.Before(all, 0), all);
  EXPECT_EQ(calendar.Before(all, 1), std::nullopt);
  EXPECT_EQ(calendar.Find(Period::kAll, "").value(), all);
  EXPECT_EQ(Found(calendar, Period::kAll, "2026"),
            "ERR '2026' is no label of period all: it has one instance and no labels");
}

TEST(ZoneCalendar, DayWeekAndMonthBeginAtTheTurn) {
  const ZoneCalendar calendar = Make("Asia/Shanghai", "04:00");
  EXPECT_EQ(Found(calendar, Period::kDay, "2026-11-15"), "2026-11-14T20:00 2026-11-15T20:00");
  EXPECT_EQ(Found(calendar, Period::kWeek, "2026-W46"), "2026-11-08T20:00 2026-11-15T20:00");
  EXPECT_EQ(Found(calendar, Period::kMonth, "2026-11"), "2026-10-31T20:00 2026-11-30T20:00");
  EXPECT_EQ(Found(calendar, Period::kHour, "2026-11-15T13+0800"),
            "2026-11-15T05:00 2026-11-15T06:00");
}

TEST(ZoneCalendar, WeeksAtYearEndsFollowIso8601) {
  const ZoneCalendar calendar = Make("UTC");
  EXPECT_EQ(Label(calendar, Period::kWeek, "2021-01-03T12:00Z"), "2020-W53");
  EXPECT_EQ(Label(calendar, Period::kWeek, "2021-01-04T12:00Z"), "2021-W01");
  EXPECT_EQ(Label(calendar, Period::kWeek, "2024-12-30T00:00Z"), "2025-W01");
  EXPECT_EQ(Label(calendar, Period::kWeek, "2024-12-29T23:59Z"), "2024-W52");
  EXPECT_EQ(Label(calendar, Period::kWeek, "2027-01-01T00:00Z"), "2026-W53");
  EXPECT_EQ(Found(calendar, Period::kWeek, "2026-W53"), "2026-12-28T00:00 2027-01-04T00:00");
  EXPECT_EQ(Found(calendar, Period::kWeek, "2025-W53"), "ERR there is no week '2025-W53' in UTC");
}

TEST(ZoneCalendar, LeapDaysExistInLeapYearsOnly) {
  const ZoneCalendar calendar = Make("UTC");
  EXPECT_EQ(Found(calendar, Period::kDay, "2028-02-29"), "2028-02-29T00:00 2028-03-01T00:00");
  EXPECT_EQ(Found(calendar, Period::kDay, "2000-02-29"), "2000-02-29T00:00 2000-03-01T00:00");
  EXPECT_EQ(Found(calendar, Period::kDay, "2026-02-29"), "ERR there is no day '2026-02-29' in UTC");
  EXPECT_EQ(Found(calendar, Period::kDay, "2100-02-29"), "ERR there is no day '2100-02-29' in UTC");
  EXPECT_EQ(Found(calendar, Period::kMonth, "2028-02"), "2028-02-01T00:00 2028-03-01T00:00");
}

TEST(ZoneCalendar, DayOfADstChangeHas23Or25Hours) {
  const ZoneCalendar berlin = Make("Europe/Berlin");
  const Instance spring = berlin.Find(Period::kDay, "2026-03-29").value();
  EXPECT_EQ(spring.end - spring.begin, 23 * kHour);
  EXPECT_EQ(CheckPartition(berlin, Period::kHour, spring.begin, spring.end, "Berlin"), 23U);
  const Instance autumn = berlin.Find(Period::kDay, "2026-10-25").value();
  EXPECT_EQ(autumn.end - autumn.begin, 25 * kHour);
  EXPECT_EQ(CheckPartition(berlin, Period::kHour, autumn.begin, autumn.end, "Berlin"), 25U);
  const Instance month = berlin.Find(Period::kMonth, "2026-03").value();
  EXPECT_EQ(month.end - month.begin, 31 * kDay - kHour);
}

TEST(ZoneCalendar, ZoneRulesApplyAfter2037) {
  EXPECT_EQ(Label(Make("Europe/Berlin"), Period::kHour, "2345-07-01T12:00Z"), "2345-07-01T14+0200");
  EXPECT_EQ(Label(Make("America/New_York"), Period::kHour, "2039-01-01T12:00Z"),
            "2039-01-01T07-0500");
}

TEST(ZoneCalendar, OverlapHasTwoHoursAndGapHasNone) {
  const ZoneCalendar berlin = Make("Europe/Berlin");
  EXPECT_EQ(Found(berlin, Period::kHour, "2026-10-25T02+0200"),
            "2026-10-25T00:00 2026-10-25T01:00");
  EXPECT_EQ(Found(berlin, Period::kHour, "2026-10-25T02+0100"),
            "2026-10-25T01:00 2026-10-25T02:00");
  for (const char* label : {"2026-03-29T02+0100", "2026-03-29T02+0200", "2026-07-01T12+0100"}) {
    EXPECT_EQ(Found(berlin, Period::kHour, label),
              "ERR there is no hour '" + std::string(label) + "' in Europe/Berlin");
  }
}

TEST(ZoneCalendar, ChangeByHalfAnHourMakesShorterHours) {
  const ZoneCalendar lord_howe = Make("Australia/Lord_Howe");
  EXPECT_EQ(Found(lord_howe, Period::kHour, "2026-04-05T01+1100"),
            "2026-04-04T14:00 2026-04-04T15:00");
  EXPECT_EQ(Found(lord_howe, Period::kHour, "2026-04-05T01+1030"),
            "2026-04-04T15:00 2026-04-04T15:30");
  EXPECT_EQ(Found(lord_howe, Period::kHour, "2026-10-04T02+1100"),
            "2026-10-03T15:30 2026-10-03T16:00");
  EXPECT_EQ(Found(lord_howe, Period::kHour, "2026-10-04T02+1030"),
            "ERR there is no hour '2026-10-04T02+1030' in Australia/Lord_Howe");
}

TEST(ZoneCalendar, LabelHoldsTheSecondsOfAnOffset) {
  const ZoneCalendar monrovia = Make("Africa/Monrovia");
  EXPECT_EQ(Label(monrovia, Period::kHour, "1972-01-07T00:44:29Z"), "1972-01-06T23-004430");
  EXPECT_EQ(Label(monrovia, Period::kHour, "1972-01-07T00:44:30Z"), "1972-01-07T00+0000");
  EXPECT_EQ(Found(monrovia, Period::kHour, "1972-01-06T23-0044"),
            "ERR there is no hour '1972-01-06T23-0044' in Africa/Monrovia");
}

TEST(ZoneCalendar, TurnInAGapIsTheFirstMomentAfterTheGap) {
  const ZoneCalendar berlin = Make("Europe/Berlin", "02:30");
  EXPECT_EQ(Found(berlin, Period::kDay, "2026-03-29"), "2026-03-29T01:00 2026-03-30T00:30");
  const ZoneCalendar sao_paulo = Make("America/Sao_Paulo");
  EXPECT_EQ(Found(sao_paulo, Period::kDay, "2018-11-04"), "2018-11-04T03:00 2018-11-05T02:00");
  // The gap ends on the next date: from Saturday 23:00 to Sunday 00:00.
  const ZoneCalendar nuuk = Make("America/Nuuk", "23:59");
  EXPECT_EQ(Found(nuuk, Period::kDay, "2026-03-27"), "2026-03-28T01:59 2026-03-29T01:00");
  EXPECT_EQ(Found(nuuk, Period::kDay, "2026-03-28"), "2026-03-29T01:00 2026-03-30T00:59");
}

TEST(ZoneCalendar, TurnInAnOverlapIsTheFirstOfTheTwoAndTheDayContinues) {
  const ZoneCalendar berlin = Make("Europe/Berlin", "02:30");
  EXPECT_EQ(Found(berlin, Period::kDay, "2026-10-25"), "2026-10-25T00:30 2026-10-26T01:30");
  EXPECT_EQ(Label(berlin, Period::kDay, "2026-10-25T01:15Z"), "2026-10-25");
  const ZoneCalendar sao_paulo = Make("America/Sao_Paulo", "23:59");
  EXPECT_EQ(Label(sao_paulo, Period::kDay, "2018-02-18T02:30Z"), "2018-02-17");
}

TEST(ZoneCalendar, SkippedDateIsNotADayWithAnyTurn) {
  for (const char* turn : kTurns) {
    const ZoneCalendar apia = Make("Pacific/Apia", turn);
    EXPECT_EQ(Found(apia, Period::kDay, "2011-12-30"),
              "ERR there is no day '2011-12-30' in Pacific/Apia");
    const Instance before = apia.Find(Period::kDay, "2011-12-29").value();
    const Instance after = apia.Find(Period::kDay, "2011-12-31").value();
    EXPECT_EQ(before.end, after.begin);
    EXPECT_EQ(before.end - before.begin, kDay);
    const Instance week = apia.Find(Period::kWeek, "2011-W52").value();
    EXPECT_EQ(week.end - week.begin, 6 * kDay);
  }
  EXPECT_EQ(Found(Make("Pacific/Apia", "04:00"), Period::kDay, "2011-12-31"),
            "2011-12-30T14:00 2011-12-31T14:00");
}

TEST(ZoneCalendar, FindRefusesInvalidLabels) {
  const ZoneCalendar calendar = Make("UTC");
  for (const char* label : {"", "-1", "2026-11-1", "2026-11-151", " 2026-11-15", "2026/11/15",
                            "2026-W46", "2026-11", "+026-11-15", "2026-11-1\xff", "today"}) {
    EXPECT_NE(Found(calendar, Period::kDay, label).find("is no label of period day"),
              std::string::npos)
        << label;
  }
  for (const char* label : {"2026-00-10", "2026-13-10", "2026-11-00", "2026-02-30", "0000-01-01",
                            "9999-99-99", "9999-12-31", "0001-01-01"}) {
    EXPECT_NE(Found(calendar, Period::kDay, label).find("there is no day"), std::string::npos)
        << label;
  }
  EXPECT_FALSE(calendar.Find(Period::kWeek, "2026-w46").ok());
  EXPECT_FALSE(calendar.Find(Period::kWeek, "2026-W00").ok());
  EXPECT_FALSE(calendar.Find(Period::kWeek, "2026-W54").ok());
  EXPECT_FALSE(calendar.Find(Period::kWeek, "9999-W99").ok());
  EXPECT_FALSE(calendar.Find(Period::kMonth, "2026-00").ok());
  EXPECT_FALSE(calendar.Find(Period::kMonth, "2026-13").ok());
  for (const char* label :
       {"2026-11-15T13", "2026-11-15T13Z", "2026-11-15T13-0000", "2026-11-15T24+0000",
        "2026-11-15T12+0060", "2026-11-15T13+000000", "9999-99-99T99-9999", "0000-00-00T00+9999"}) {
    EXPECT_FALSE(calendar.Find(Period::kHour, label).ok()) << label;
  }
}

TEST(ZoneCalendar, AcceptsZoneNamesOfTheIanaDatabase) {
  for (const char* zone : {"UTC", "Etc/GMT+8", "EST5EDT", "America/Argentina/Buenos_Aires", "GB",
                           "America/Port-au-Prince"}) {
    EXPECT_TRUE(ZoneCalendar::Of(zone, 0).ok()) << zone;
  }
}

TEST(ZoneCalendar, RefusesInvalidAndUnknownZoneNames) {
  const std::string too_long(kMaxZoneNameBytes + 1, 'A');
  for (const std::string_view zone : {std::string_view("../../etc/passwd"),
                                      std::string_view("/etc/passwd"),
                                      std::string_view("/usr/share/zoneinfo/UTC"),
                                      std::string_view(""),
                                      std::string_view("."),
                                      std::string_view("localtime"),
                                      std::string_view("libc"),
                                      std::string_view("libc:UTC"),
                                      std::string_view("file:Europe/Berlin"),
                                      std::string_view("posixrules"),
                                      std::string_view("posix/Europe/Berlin"),
                                      std::string_view("right/Europe/Berlin"),
                                      std::string_view("+0800"),
                                      std::string_view("Fixed/UTC+08:00:00"),
                                      std::string_view("UTC0"),
                                      std::string_view("Europe"),
                                      std::string_view("Europe/"),
                                      std::string_view("Europe//Berlin"),
                                      std::string_view("Europe/Berlin/"),
                                      std::string_view("europe/berlin"),
                                      std::string_view("Europe/Berlin\0", 14),
                                      std::string_view("Europe/../UTC"),
                                      std::string_view("Mars/Olympus"),
                                      std::string_view("zone.tab"),
                                      std::string_view(too_long)}) {
    const Result<ZoneCalendar> calendar = ZoneCalendar::Of(zone, 0);
    ASSERT_FALSE(calendar.ok()) << zone;
    EXPECT_TRUE(calendar.error().ToString().starts_with("ERR unknown time zone '")) << zone;
  }
  EXPECT_EQ(ZoneCalendar::Of("Europe/Berlim", 0).error().message,
            "unknown time zone 'Europe/Berlim': expected a name of the IANA database, such as "
            "Europe/Berlin");
}

TEST(ZoneCalendar, ReportsThatTzdataIsMissing) {
  const WithVariable folder("TZDIR", "/nowhere");
  EXPECT_EQ(ZoneCalendar::Of("Asia/Tokyo", 0).error().message,
            "time zone 'Asia/Tokyo' cannot be read: there is no folder '/nowhere', install tzdata");
  EXPECT_TRUE(ZoneCalendar::Of("UTC", 0).ok());
}

TEST(ZoneCalendar, ReportsADamagedZoneFile) {
  std::string folder = testing::TempDir() + "laurel-calendar-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/Damaged") << "TZif";
  const WithVariable variable("TZDIR", folder);
  EXPECT_EQ(ZoneCalendar::Of("Damaged", 0).error().message,
            "time zone 'Damaged' cannot be read from '" + folder + "'");
  std::filesystem::remove_all(folder);
}

TEST(ZoneCalendar, TurnIsATimeOfDay) {
  EXPECT_EQ(ParseTurn("00:00").value(), 0);
  EXPECT_EQ(ParseTurn("04:00").value(), 240);
  EXPECT_EQ(ParseTurn("23:59").value(), 1439);
  for (const char* text : {"", "4:00", "04:0", "24:00", "23:60", "04.00", "04:00:00", "-4:00"}) {
    EXPECT_FALSE(ParseTurn(text).ok()) << text;
  }
  for (int turn = 0; turn < 1440; ++turn) EXPECT_EQ(ParseTurn(FormatTurn(turn)).value(), turn);
  EXPECT_EQ(FormatTurn(240), "04:00");
  EXPECT_FALSE(ZoneCalendar::Of("UTC", -1).ok());
  EXPECT_FALSE(ZoneCalendar::Of("UTC", 1440).ok());
}

TEST(ZoneCalendar, PeriodsHaveNames) {
  for (const Period period :
       {Period::kHour, Period::kDay, Period::kWeek, Period::kMonth, Period::kAll}) {
    EXPECT_EQ(ParsePeriod(PeriodName(period)).value(), period);
  }
  EXPECT_EQ(PeriodName(Period::kWeek), "week");
  EXPECT_EQ(ParsePeriod("DAY").value(), Period::kDay);
  EXPECT_EQ(ParsePeriod("year").error().ToString(),
            "ERR unknown period 'year': hour, day, week, month, all");
}

}  // namespace
}  // namespace laurel::calendar
