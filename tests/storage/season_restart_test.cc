// Boards with periods that have an empty current instance, and boards that expire: live, and after
// a restart.
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {
namespace {

constexpr Stamp kStart = 1'700'000'000'000'000;
constexpr Stamp kHour = 3'600'000'000;

TEST(SeasonRestart, APastExpiryDoesNotComeBack) {
  SimulatedFolder folder;
  TestClock clock(kStart);
  {
    EngineRig rig(&folder, &clock, {});
    rig.StartOrThrow();
    rig.AskBytes("LB.CREATE s PERIODS 1 day");
    rig.AskBytes("LB.SUBMIT s m 1");
    ASSERT_EQ(rig.AskBytes("PEXPIRE s 1000"), ":1\r\n");
    clock.Set(kStart + 2'000'000);
    ASSERT_EQ(rig.AskBytes("EXISTS s"), ":0\r\n");
    rig.AskBytes("LB.SUBMIT s m 2");
    EXPECT_EQ(rig.AskBytes("PTTL s"), ":-1\r\n");
  }
  const auto killed = folder.CrashKillOnly();
  EngineRig rig(killed.get(), &clock, {});
  rig.StartOrThrow();
  EXPECT_EQ(rig.AskBytes("PTTL s"), ":-1\r\n");
  EXPECT_EQ(rig.AskBytes("ZSCORE s m"), "$1\r\n2\r\n");
}

TEST(SeasonRestart, AnExpiryIsRemovedWithTheLastEntry) {
  SimulatedFolder folder;
  TestClock clock(kStart);
  EngineRig rig(&folder, &clock, {});
  rig.StartOrThrow();
  rig.AskBytes("LB.CREATE s PERIODS 2 day all");
  for (const char* emptied : {"LB.REMOVE s m", "LB.CLEAR s"}) {
    rig.AskBytes("LB.SUBMIT s m 1");
    ASSERT_EQ(rig.AskBytes("PEXPIRE s 1000"), ":1\r\n");
    rig.AskBytes(emptied);
    rig.AskBytes("LB.SUBMIT s m 2");
    EXPECT_EQ(rig.AskBytes("PTTL s"), ":-1\r\n") << emptied;
  }
}

// LB.META takes no stamp, so the stamps in the log do not show when it was sent.
TEST(SeasonRestart, ABoardExpiresAfterItsLastWriteDespiteARestart) {
  SimulatedFolder folder;
  TestClock clock(kStart);
  {
    EngineRig rig(&folder, &clock, {});
    rig.StartOrThrow();
    rig.AskBytes("LB.CREATE lb EXPIRE 2h");
    rig.AskBytes("LB.SUBMIT lb m 1");
    clock.Set(kStart + kHour);
    ASSERT_EQ(rig.AskBytes("LB.META lb m x"), ":1\r\n");
  }
  const auto killed = folder.CrashKillOnly();
  EngineRig rig(killed.get(), &clock, {});
  rig.StartOrThrow();
  clock.Set(kStart + 3 * kHour - 1);
  EXPECT_EQ(rig.AskBytes("LB.SIZE lb"), ":1\r\n");
  clock.Set(kStart + 3 * kHour);
  EXPECT_EQ(rig.AskBytes("LB.SIZE lb").substr(0, 8), "-NOBOARD");
}

// The hours turn without a write, on a board with entries and on an empty one.
TEST(SeasonRestart, AClockThatIsBehindAfterARestartDoesNotGoBackToAnEarlierHour) {
  for (const bool killed : {false, true}) {
    SCOPED_TRACE(killed ? "killed" : "closed");
    SimulatedFolder folder;
    std::unique_ptr<SimulatedFolder> left;
    TestClock clock(kStart);  // 2023-11-14, 22:13 UTC
    EngineRig rig(&folder, &clock, {});
    rig.StartOrThrow();
    rig.AskBytes("LB.CREATE written PERIODS 2 hour all");
    rig.AskBytes("LB.SUBMIT written ann 1");
    rig.AskBytes("LB.CREATE empty PERIODS 1 hour");
    clock.Set(kStart + 3 * kHour);
    rig.Tick();
    rig.AskBytes("ZADD other 1 x");  // waits until all before it is on disk
    clock.Set(kStart);
    if (killed) left = folder.CrashKillOnly();
    killed ? rig.Restart(left.get()) : rig.Restart();
    for (const std::string board : {"written", "empty"}) {
      const std::string hour = board + "@hour:2023-11-15T01+0000";
      const std::string listed = rig.AskBytes("LB.PERIODS " + board);
      EXPECT_NE(listed.find(hour), std::string::npos) << listed;
      rig.AskBytes("LB.SUBMIT " + board + " bob 2");
      EXPECT_EQ(rig.AskBytes("LB.SIZE " + hour), ":1\r\n");
      EXPECT_EQ(rig.AskBytes("LB.SIZE " + board + "@hour"), ":1\r\n");
    }
  }
}

// The record of a turn is written once.
TEST(SeasonRestart, ATurnIsLoggedOnce) {
  SimulatedFolder folder;
  TestClock clock(kStart);
  EngineRig rig(&folder, &clock, {});
  rig.StartOrThrow();
  const auto records = [&] {
    rig.Tick();
    return rig.engine().Measure().persistence.log.appended;
  };
  rig.AskBytes("LB.CREATE s PERIODS 2 hour all");
  const std::uint64_t created = records();
  EXPECT_EQ(records(), created);
  clock.Set(kStart + kHour);
  EXPECT_EQ(records(), created + 1);
  EXPECT_EQ(records(), created + 1);
  clock.Set(kStart);
  EXPECT_EQ(records(), created + 1);
}

TEST(SeasonRestart, ARandomMemberOfAnEmptyHourIsNil) {
  SimulatedFolder folder;
  TestClock clock(kStart);
  EngineRig rig(&folder, &clock, {});
  rig.StartOrThrow();
  rig.AskBytes("LB.CREATE s PERIODS 2 hour all");
  rig.AskBytes("LB.SUBMIT s m 1");
  EXPECT_EQ(rig.AskBytes("ZRANDMEMBER s"), "$1\r\nm\r\n");
  clock.Set(kStart + kHour);
  EXPECT_EQ(rig.AskBytes("EXISTS s"), ":1\r\n");
  EXPECT_EQ(rig.AskBytes("ZRANDMEMBER s"), "$-1\r\n");
  EXPECT_EQ(rig.AskBytes("ZRANDMEMBER s 2"), "*0\r\n");
}

}  // namespace
}  // namespace laurel::testing
