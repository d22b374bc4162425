#include "base/clock.h"

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

TEST(Clock, SystemClockPassesTheCheck) {
  EXPECT_TRUE(CheckClock(SystemNow()).ok());
  EXPECT_LT(SystemNow(), kMaxClock);
}

TEST(Clock, TimesBefore1970AndAfter2262AreRefused) {
  EXPECT_TRUE(CheckClock(0).ok());
  EXPECT_TRUE(CheckClock(kMaxClock).ok());
  EXPECT_EQ(CheckClock(kMaxClock + 1).error().message,
            "the clock shows 2262-04-11T23:47:16.854776Z: times after 2262-04-11 are not served");
  EXPECT_EQ(CheckClock(INT64_MAX).error().message,
            "the clock shows a year after 9999: times after 2262-04-11 are not served");
  EXPECT_FALSE(CheckClock(-1).ok());
}

}  // namespace
}  // namespace laurel::base
