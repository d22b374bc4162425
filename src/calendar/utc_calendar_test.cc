// Compares the built-in calendar of UTC with that of the IANA database.
#include "leaderboard/utc_calendar.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/random.h"
#include "calendar/zone_calendar.h"

namespace laurel::calendar {
namespace {

using leaderboard::UtcCalendar;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::array<Period, kPeriods> kAllPeriods = {Period::kHour, Period::kDay, Period::kWeek,
                                                      Period::kMonth, Period::kAll};
constexpr std::array<int, 4> kTurns = {0, 240, 150, 1439};

// Mostly from 1900 to 2100, sometimes any moment at all.
Stamp RandomMoment(base::Random* random) {
  if (random->OneIn(10)) return static_cast<Stamp>(random->Next());
  const auto seconds = static_cast<std::int64_t>(random->Below(200LL * 366 * 86400));
  return (seconds - 70LL * 366 * 86400) * kSecond + static_cast<Stamp>(random->Below(kSecond));
}

TEST(UtcCalendar, AgreesWithTheZoneCalendarOfUtc) {
  base::Random random(7);
  for (const int turn : kTurns) {
    const UtcCalendar ours(turn);
    const ZoneCalendar zone = ZoneCalendar::Of("UTC", turn).value();
    for (int i = 0; i < 3000; ++i) {
      const Stamp moment = RandomMoment(&random);
      for (const Period period : kAllPeriods) {
        const Instance instance = ours.At(period, moment);
        ASSERT_EQ(instance, zone.At(period, moment)) << moment << " " << instance.label.view();
        const std::uint64_t back = random.Below(random.OneIn(4) ? UINT64_MAX : 20'000);
        ASSERT_EQ(ours.Before(instance, back), zone.Before(instance, back))
            << instance.label.view() << " " << back;
        ASSERT_EQ(ours.Find(period, instance.label).value(), instance);
        if (period == Period::kAll) continue;
        for (const Stamp edge : {instance.begin, instance.end - 1}) {
          ASSERT_EQ(ours.At(period, edge), instance) << edge;
        }
      }
    }
  }
}

TEST(UtcCalendar, FindsTheSameLabelsAsTheZoneCalendarOfUtc) {
  const UtcCalendar ours(240);
  const ZoneCalendar zone = ZoneCalendar::Of("UTC", 240).value();
  base::Random random(8);
  constexpr std::array<std::string_view, 4> kLabels = {"2026-11-15T13+0000", "2026-11-15",
                                                       "2026-W46", "2026-11"};
  int found = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string label(kLabels[random.Below(kLabels.size())]);
    for (std::uint64_t change = random.Below(4); change > 0; --change) {
      constexpr std::string_view kBytes = "0123456789-+TW";
      label[random.Below(label.size())] = kBytes[random.Below(kBytes.size())];
    }
    if (random.OneIn(20)) label += "0";
    for (const Period period : kAllPeriods) {
      const Result<Instance> expected = zone.Find(period, label);
      const Result<Instance> got = ours.Find(period, label);
      ASSERT_EQ(got.ok(), expected.ok()) << label;
      if (!got.ok()) continue;
      ASSERT_EQ(*got, *expected) << label;
      ++found;
    }
  }
  EXPECT_GT(found, 5000);
}

TEST(UtcCalendars, SupportUtcOnly) {
  EXPECT_TRUE(UtcCalendars()->Of("UTC", 0).ok());
  EXPECT_FALSE(UtcCalendars()->Of("UTC", 1440).ok());
  EXPECT_EQ(UtcCalendars()->Of("Asia/Shanghai", 0).error().ToString(),
            "ERR unknown time zone 'Asia/Shanghai': only UTC is built in, other zones need "
            "calendars");
  EXPECT_TRUE(laurel::ZoneCalendars()->Of("Asia/Shanghai", 0).ok());
}

}  // namespace
}  // namespace laurel::calendar
