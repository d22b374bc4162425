#include "server/net/pause.h"

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

TEST(Pause, EndsAtItsDeadlineOrByEnd) {
  Pause pause;
  EXPECT_FALSE(pause.possible());
  pause.Extend(1100, false, 1000);
  EXPECT_TRUE(pause.possible());
  EXPECT_EQ(pause.LeftMs(1040), 60);
  EXPECT_LE(pause.LeftMs(1100), 0);
  pause.End();
  EXPECT_LE(pause.LeftMs(1040), 0);
}

TEST(Pause, ASecondPauseMakesTheFirstLongerAndStricterOnly) {
  Pause pause;
  pause.Extend(1500, true, 1000);
  EXPECT_TRUE(pause.writes_only());
  pause.Extend(1200, false, 1000);
  EXPECT_FALSE(pause.writes_only());
  EXPECT_EQ(pause.LeftMs(1000), 500);
  pause.Extend(1600, true, 1000);
  EXPECT_FALSE(pause.writes_only());
  EXPECT_EQ(pause.LeftMs(1000), 600);
}

TEST(Pause, APauseAfterAnExpiredOneStartsFresh) {
  Pause pause;
  pause.Extend(1100, false, 1000);
  pause.Extend(1300, true, 1200);
  EXPECT_TRUE(pause.writes_only());
}

}  // namespace
}  // namespace laurel::server
