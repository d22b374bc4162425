#include "engine/embedded/lead_watch.h"

#include <gtest/gtest.h>

namespace laurel::engine {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;

TEST(LeadWatch, WarnsWhenALeadBeginsAndReportsItsEnd) {
  LeadWatch watch;
  EXPECT_FALSE(watch.Check(0, 0));
  EXPECT_FALSE(watch.Check(kMinute, 1));
  const auto begins = watch.Check(kMinute + 1, 2);
  ASSERT_TRUE(begins);
  EXPECT_TRUE(begins->warns);
  EXPECT_NE(begins->text.find("lead the system clock by 1m:"), std::string::npos) << begins->text;
  EXPECT_FALSE(watch.Check(kMinute - kSecond, 3)) << "about as large still";
  EXPECT_FALSE(watch.Check(kMinute + kSecond, 4));
  const auto ends = watch.Check(kMinute / 2, 5);
  ASSERT_TRUE(ends);
  EXPECT_FALSE(ends->warns);
  EXPECT_FALSE(watch.Check(0, 6));
  EXPECT_TRUE(watch.Check(2 * kMinute, 7)) << "another one";
}

TEST(LeadWatch, ALastingLeadIsReportedEveryTenMinutes) {
  LeadWatch watch;
  int lines = 0;
  for (std::int64_t tick = 0; tick < 36'000; ++tick) {  // an hour at ten ticks a second
    lines += watch.Check(kMinute * 60, tick * kSecond / 10) ? 1 : 0;
  }
  EXPECT_EQ(lines, 6);
}

}  // namespace
}  // namespace laurel::engine
