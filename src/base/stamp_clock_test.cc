#include "laurel/stamp_clock.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace laurel {
namespace {

constexpr Stamp kNow = 1'700'000'000'000'000;
constexpr Stamp kHour = 3'600'000'000;
constexpr Stamp kDay = 24 * kHour;

TEST(StampClock, FollowsTheSystemClockWhileItAdvances) {
  StampClock clock;
  EXPECT_EQ(clock.Take(kNow), kNow);
  EXPECT_EQ(clock.Take(kNow + 5), kNow + 5);
  EXPECT_EQ(clock.last(), kNow + 5);
}

TEST(StampClock, NeverRepeatsWhileTheSystemClockStandsStill) {
  StampClock clock;
  for (Stamp i = 0; i < 1000; ++i) EXPECT_EQ(clock.Take(kNow), kNow + i);
}

TEST(StampClock, NeverGoesBackWhenTheSystemClockStepsBackAnHourOrADay) {
  for (const Stamp step : {kHour, kDay}) {
    StampClock clock;
    Stamp last = clock.Take(kNow);
    for (Stamp i = 1; i <= 1000; ++i) {
      const Stamp stamp = clock.Take(kNow - step + i);
      EXPECT_EQ(stamp, last + 1);
      last = stamp;
    }
    // Once the system clock has caught up, stamps follow it again.
    EXPECT_EQ(clock.Take(kNow + kHour), kNow + kHour);
  }
}

TEST(StampClock, TakesTheRequestedNumberOfConsecutiveStamps) {
  StampClock clock;
  EXPECT_EQ(clock.Take(kNow, 10), kNow);
  EXPECT_EQ(clock.last(), kNow + 9);
  EXPECT_EQ(clock.Take(kNow + 9, 3), kNow + 10) << "the tenth stamp is taken already";
  EXPECT_EQ(clock.Take(kNow + 13), kNow + 13) << "and this one is free";
}

TEST(StampClock, ContinuesAfterTheLastStampOfThePreviousRun) {
  StampClock clock(kNow + kDay);
  EXPECT_EQ(clock.last(), kNow + kDay);
  EXPECT_EQ(clock.Take(kNow), kNow + kDay + 1);
  EXPECT_EQ(StampClock(kNow).Take(kNow + 7), kNow + 7) << "a clock that has moved on is followed";
}

TEST(StampClock, LeadIsHowFarStampsAreAheadAndNeverNegative) {
  StampClock clock;
  EXPECT_EQ(clock.Take(kNow, 100), kNow);
  EXPECT_EQ(clock.Lead(kNow), 99);
  EXPECT_EQ(clock.Lead(kNow - kHour), kHour + 99);
  EXPECT_EQ(clock.Lead(kNow + 99), 0);
  EXPECT_EQ(clock.Lead(kNow + kDay), 0);
}

TEST(StampClock, SystemNowCountsMicrosecondsSinceTheEpoch) {
  constexpr Stamp kYear = 365 * kDay;
  const Stamp before = SystemNow();
  EXPECT_GT(before, 53 * kYear);
  EXPECT_LT(before, 200 * kYear);
}

}  // namespace
}  // namespace laurel
