// Instances by the calendar: zones, daylight saving, leap days, ISO weeks and year ends.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/seasons/season_rig.h"

namespace laurel::testing {
namespace {

struct Landmark {
  const char* moment;
  const char* present;  // the current instance of each period, in the order declared
};

struct Place {
  const char* name;
  const char* options;
  std::vector<Landmark> landmarks;  // in order of time
};

class PeriodCalendars : public ::testing::TestWithParam<Place> {};

// The current instances, without `all`: "day:2026-11-15 week:2026-W46".
std::string Present(Season* season) {
  std::string present;
  for (const Value& instance : season->Get("LB.PERIODS lb").elements) {
    if (instance.Find("present")->text != "t" || instance.Find("period")->text == "all") continue;
    present += (present.empty() ? "" : " ") + instance.Find("board")->text.substr(3);
  }
  return present;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

TEST_P(PeriodCalendars, WriteGoesToTheInstancesOfItsTime) {
  Season season(GetParam().landmarks.front().moment);
  ASSERT_EQ(season.Ask("LB.CREATE lb " + std::string(GetParam().options)), "OK");
  int writes = 0;
  for (const Landmark& landmark : GetParam().landmarks) {
    SCOPED_TRACE(landmark.moment);
    season.SetTime(landmark.moment);
    const std::string member = "m" + std::to_string(writes++);
    ASSERT_EQ(season.Code("LB.SUBMIT lb " + member + " 1").find("{status=accepted"), 0U);
    EXPECT_EQ(Present(&season), landmark.present);
    for (const std::string& label : Split(landmark.present)) {
      EXPECT_EQ(season.Ask("ZSCORE lb@" + label + " " + member), "1") << label;
      const std::string period = label.substr(0, label.find(':'));
      EXPECT_EQ(season.ReadAll("lb@" + period), season.ReadAll("lb@" + label));
    }
  }
}

// The same writes with AT, sent when the clock has reached the next landmark.
TEST_P(PeriodCalendars, LateWriteGoesToTheInstancesOfItsTime) {
  const std::vector<Landmark>& landmarks = GetParam().landmarks;
  for (std::size_t i = 0; i + 1 < landmarks.size(); ++i) {
    if (Moment(landmarks[i + 1].moment) - Moment(landmarks[i].moment) > kHour) continue;
    SCOPED_TRACE(landmarks[i].moment);
    Season season(landmarks[i].moment);
    ASSERT_EQ(season.Ask("LB.CREATE lb GRACE 2d " + std::string(GetParam().options)), "OK");
    season.SetTime(landmarks[i + 1].moment);
    season.Ask("LB.SUBMIT lb now 1");
    season.Ask("LB.SUBMIT lb late 1 AT " + std::string(landmarks[i].moment));
    for (const std::string& label : Split(landmarks[i].present)) {
      EXPECT_EQ(season.Ask("ZSCORE lb@" + label + " late"), "1") << label;
    }
  }
}

const Place kPlaces[] = {
    {"Shanghai",
     "PERIODS 4 hour day week month TZ Asia/Shanghai KEEP 9",
     {{"2026-11-15T15:59:59.999999Z",
       "hour:2026-11-15T23+0800 day:2026-11-15 week:2026-W46 month:2026-11"},
      {"2026-11-15T16:00:00Z",
       "hour:2026-11-16T00+0800 day:2026-11-16 week:2026-W47 month:2026-11"},
      {"2026-11-30T15:59:59.999999Z",
       "hour:2026-11-30T23+0800 day:2026-11-30 week:2026-W49 month:2026-11"},
      {"2026-11-30T16:00:00Z",
       "hour:2026-12-01T00+0800 day:2026-12-01 week:2026-W49 month:2026-12"},
      {"2026-12-31T16:00:00Z",
       "hour:2027-01-01T00+0800 day:2027-01-01 week:2026-W53 month:2027-01"}}},
    {"BerlinInSpring",
     "PERIODS 3 hour day week TZ Europe/Berlin KEEP 9",
     {{"2026-03-28T22:59:59.999999Z", "hour:2026-03-28T23+0100 day:2026-03-28 week:2026-W13"},
      {"2026-03-28T23:00:00Z", "hour:2026-03-29T00+0100 day:2026-03-29 week:2026-W13"},
      {"2026-03-29T00:59:59.999999Z", "hour:2026-03-29T01+0100 day:2026-03-29 week:2026-W13"},
      {"2026-03-29T01:00:00Z", "hour:2026-03-29T03+0200 day:2026-03-29 week:2026-W13"},
      {"2026-03-29T21:59:59.999999Z", "hour:2026-03-29T23+0200 day:2026-03-29 week:2026-W13"},
      {"2026-03-29T22:00:00Z", "hour:2026-03-30T00+0200 day:2026-03-30 week:2026-W14"}}},
    {"BerlinInAutumn",
     "PERIODS 3 hour day week TZ Europe/Berlin KEEP 9",
     {{"2026-10-24T21:59:59.999999Z", "hour:2026-10-24T23+0200 day:2026-10-24 week:2026-W43"},
      {"2026-10-24T22:00:00Z", "hour:2026-10-25T00+0200 day:2026-10-25 week:2026-W43"},
      {"2026-10-25T00:59:59.999999Z", "hour:2026-10-25T02+0200 day:2026-10-25 week:2026-W43"},
      {"2026-10-25T01:00:00Z", "hour:2026-10-25T02+0100 day:2026-10-25 week:2026-W43"},
      {"2026-10-25T02:00:00Z", "hour:2026-10-25T03+0100 day:2026-10-25 week:2026-W43"},
      {"2026-10-25T22:59:59.999999Z", "hour:2026-10-25T23+0100 day:2026-10-25 week:2026-W43"},
      {"2026-10-25T23:00:00Z", "hour:2026-10-26T00+0100 day:2026-10-26 week:2026-W44"}}},
    {"BerlinTurnsInTheGap",
     "PERIODS 2 day week TZ Europe/Berlin TURN 02:30 KEEP 9",
     {{"2026-03-29T00:59:59.999999Z", "day:2026-03-28 week:2026-W13"},
      {"2026-03-29T01:00:00Z", "day:2026-03-29 week:2026-W13"},
      {"2026-03-30T00:29:59.999999Z", "day:2026-03-29 week:2026-W13"},
      {"2026-03-30T00:30:00Z", "day:2026-03-30 week:2026-W14"}}},
    {"BerlinTurnsInTheOverlap",
     "PERIODS 2 day week TZ Europe/Berlin TURN 02:30 KEEP 9",
     {{"2026-10-25T00:29:59.999999Z", "day:2026-10-24 week:2026-W43"},
      {"2026-10-25T00:30:00Z", "day:2026-10-25 week:2026-W43"},
      {"2026-10-25T01:00:00Z", "day:2026-10-25 week:2026-W43"},
      {"2026-10-25T01:30:00Z", "day:2026-10-25 week:2026-W43"},
      {"2026-10-26T01:30:00Z", "day:2026-10-26 week:2026-W44"}}},
    {"NewYork",
     "PERIODS 3 hour day month TZ America/New_York KEEP 9",
     {{"2026-03-08T04:59:59.999999Z", "hour:2026-03-07T23-0500 day:2026-03-07 month:2026-03"},
      {"2026-03-08T05:00:00Z", "hour:2026-03-08T00-0500 day:2026-03-08 month:2026-03"},
      {"2026-03-08T06:59:59.999999Z", "hour:2026-03-08T01-0500 day:2026-03-08 month:2026-03"},
      {"2026-03-08T07:00:00Z", "hour:2026-03-08T03-0400 day:2026-03-08 month:2026-03"},
      {"2026-03-09T03:59:59.999999Z", "hour:2026-03-08T23-0400 day:2026-03-08 month:2026-03"},
      {"2026-03-09T04:00:00Z", "hour:2026-03-09T00-0400 day:2026-03-09 month:2026-03"},
      {"2026-11-01T03:59:59.999999Z", "hour:2026-10-31T23-0400 day:2026-10-31 month:2026-10"},
      {"2026-11-01T04:00:00Z", "hour:2026-11-01T00-0400 day:2026-11-01 month:2026-11"},
      {"2026-11-01T05:59:59.999999Z", "hour:2026-11-01T01-0400 day:2026-11-01 month:2026-11"},
      {"2026-11-01T06:00:00Z", "hour:2026-11-01T01-0500 day:2026-11-01 month:2026-11"},
      {"2026-11-02T05:00:00Z", "hour:2026-11-02T00-0500 day:2026-11-02 month:2026-11"}}},
    {"Apia",
     "PERIODS 4 hour day week month TZ Pacific/Apia KEEP 9",
     {{"2011-12-30T09:59:59.999999Z",
       "hour:2011-12-29T23-1000 day:2011-12-29 week:2011-W52 month:2011-12"},
      {"2011-12-30T10:00:00Z",
       "hour:2011-12-31T00+1400 day:2011-12-31 week:2011-W52 month:2011-12"},
      {"2011-12-31T09:59:59.999999Z",
       "hour:2011-12-31T23+1400 day:2011-12-31 week:2011-W52 month:2011-12"},
      {"2011-12-31T10:00:00Z",
       "hour:2012-01-01T00+1400 day:2012-01-01 week:2011-W52 month:2012-01"},
      {"2012-01-01T10:00:00Z",
       "hour:2012-01-02T00+1400 day:2012-01-02 week:2012-W01 month:2012-01"}}},
    {"LeapDay",
     "PERIODS 3 day week month KEEP 9",
     {{"2028-02-28T23:59:59.999999Z", "day:2028-02-28 week:2028-W09 month:2028-02"},
      {"2028-02-29T00:00:00Z", "day:2028-02-29 week:2028-W09 month:2028-02"},
      {"2028-02-29T23:59:59.999999Z", "day:2028-02-29 week:2028-W09 month:2028-02"},
      {"2028-03-01T00:00:00Z", "day:2028-03-01 week:2028-W09 month:2028-03"}}},
    {"NoLeapDay",
     "PERIODS 2 day month KEEP 9",
     {{"2026-02-28T23:59:59.999999Z", "day:2026-02-28 month:2026-02"},
      {"2026-03-01T00:00:00Z", "day:2026-03-01 month:2026-03"}}},
    {"YearEndOf2020",
     "PERIODS 3 day week month KEEP 9",
     {{"2020-12-27T23:59:59.999999Z", "day:2020-12-27 week:2020-W52 month:2020-12"},
      {"2020-12-28T00:00:00Z", "day:2020-12-28 week:2020-W53 month:2020-12"},
      {"2020-12-31T23:59:59.999999Z", "day:2020-12-31 week:2020-W53 month:2020-12"},
      {"2021-01-01T00:00:00Z", "day:2021-01-01 week:2020-W53 month:2021-01"},
      {"2021-01-03T23:59:59.999999Z", "day:2021-01-03 week:2020-W53 month:2021-01"},
      {"2021-01-04T00:00:00Z", "day:2021-01-04 week:2021-W01 month:2021-01"}}},
    {"YearEndsOf2025And2026",
     "PERIODS 3 day week month KEEP 9",
     {{"2025-12-28T23:59:59.999999Z", "day:2025-12-28 week:2025-W52 month:2025-12"},
      {"2025-12-29T00:00:00Z", "day:2025-12-29 week:2026-W01 month:2025-12"},
      {"2026-12-27T23:59:59.999999Z", "day:2026-12-27 week:2026-W52 month:2026-12"},
      {"2026-12-28T00:00:00Z", "day:2026-12-28 week:2026-W53 month:2026-12"},
      {"2026-12-31T23:59:59.999999Z", "day:2026-12-31 week:2026-W53 month:2026-12"},
      {"2027-01-01T00:00:00Z", "day:2027-01-01 week:2026-W53 month:2027-01"},
      {"2027-01-04T00:00:00Z", "day:2027-01-04 week:2027-W01 month:2027-01"}}},
};

INSTANTIATE_TEST_SUITE_P(Places, PeriodCalendars, ::testing::ValuesIn(kPlaces),
                         [](const auto& place) { return std::string(place.param.name); });

TEST(PeriodCalendar, RelativeNameCountsBackOverASkippedDay) {
  Season season("2011-12-30T09:00:00Z");
  ASSERT_EQ(season.Ask("LB.CREATE lb PERIODS 1 day TZ Pacific/Apia KEEP 3"), "OK");
  season.Ask("LB.SUBMIT lb ann 1");
  season.SetTime("2011-12-30T11:00:00Z");
  EXPECT_EQ(season.Top("lb@day:-1"), "1:ann=1");
  EXPECT_EQ(season.Top("lb@day:2011-12-29"), "1:ann=1");
  EXPECT_EQ(season.Code("LB.TOP lb@day:2011-12-30 5"), "NOBOARD");
}

TEST(PeriodCalendar, RelativeNameCountsBackOverYearEndsAndA53WeekYear) {
  Season season("2027-01-03T12:00:00Z");
  ASSERT_EQ(season.Ask("LB.CREATE lb PERIODS 3 week month day KEEP 4"), "OK");
  season.Ask("LB.SUBMIT lb ann 1");
  season.SetTime("2027-01-04T12:00:00Z");
  season.Ask("LB.SUBMIT lb bob 1");
  EXPECT_EQ(season.Top("lb@week:-1"), "1:ann=1");
  EXPECT_EQ(season.ReadAll("lb@week:-1"), season.ReadAll("lb@week:2026-W53"));
  EXPECT_EQ(season.Code("LB.TOP lb@week:2027-W53 5"), "NOBOARD");
  EXPECT_EQ(season.Top("lb@month"), "1:ann=1 2:bob=1");
  season.SetTime("2027-02-01T00:00:00Z");
  EXPECT_EQ(season.Top("lb@month:-1"), "1:ann=1 2:bob=1");
}

// GRACE counts from the end of the 25-hour day.
TEST(PeriodCalendar, DayOf25HoursClosesAtItsEnd) {
  Season season("2026-10-24T22:00:00Z");
  ASSERT_EQ(season.Ask("LB.CREATE lb PERIODS 1 day TZ Europe/Berlin GRACE 30m KEEP 2"), "OK");
  season.Ask("LB.SUBMIT lb ann 1");
  season.SetTime("2026-10-25T23:29:59.999999Z");
  EXPECT_EQ(season.Instances("lb"), "day:2026-10-26=0* day:2026-10-25=1");
  EXPECT_EQ(season.Verdict("LB.SUBMIT lb bob 2 AT 2026-10-25T22:59:59.999999Z"),
            "accepted nil->1 nil->2");
  season.SetTime("2026-10-25T23:30:00Z");
  season.Tick();
  EXPECT_EQ(season.Instances("lb"), "day:2026-10-26=0* day:2026-10-25=2!");
}

}  // namespace
}  // namespace laurel::testing
