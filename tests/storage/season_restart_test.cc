// Boards with periods whose present instance is empty, and boards that expire: live, and after a
// restart.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/storage/one_client.h"
#include "tests/storage/simulated_files.h"

namespace laurel::testing {
namespace {

constexpr Stamp kStart = 1'700'000'000'000'000;
constexpr Stamp kHour = 3'600'000'000;

TEST(SeasonRestart, AnExpiryThatIsOverDoesNotComeBack) {
  SimulatedFolder folder;
  SetClock clock;
  clock.Set(kStart);
  {
    OneClient client(&folder, &clock);
    client.Give({"LB.CREATE s PERIODS 1 day"});
    client.Give({"LB.SUBMIT s m 1"});
    ASSERT_EQ(client.Give({"PEXPIRE s 1000"}), ":1\r\n");
    clock.Set(kStart + 2'000'000);
    ASSERT_EQ(client.Give({"EXISTS s"}), ":0\r\n");
    client.Give({"LB.SUBMIT s m 2"});
    EXPECT_EQ(client.Give({"PTTL s"}), ":-1\r\n");
  }
  const auto killed = folder.CrashKillOnly();
  OneClient client(killed.get(), &clock);
  EXPECT_EQ(client.Give({"PTTL s"}), ":-1\r\n");
  EXPECT_EQ(client.Give({"ZSCORE s m"}), "$1\r\n2\r\n");
}

TEST(SeasonRestart, AnExpiryGoesWithTheLastEntry) {
  SimulatedFolder folder;
  SetClock clock;
  clock.Set(kStart);
  OneClient client(&folder, &clock);
  client.Give({"LB.CREATE s PERIODS 2 day all"});
  for (const char* emptied : {"LB.REMOVE s m", "LB.CLEAR s"}) {
    client.Give({"LB.SUBMIT s m 1"});
    ASSERT_EQ(client.Give({"PEXPIRE s 1000"}), ":1\r\n");
    client.Give({emptied});
    client.Give({"LB.SUBMIT s m 2"});
    EXPECT_EQ(client.Give({"PTTL s"}), ":-1\r\n") << emptied;
  }
}

// Meta takes no stamp, so the stamps of the log do not tell when it was set.
TEST(SeasonRestart, ABoardGoesAsLongAfterItsLastWriteAsIfNothingHadHappened) {
  SimulatedFolder folder;
  SetClock clock;
  clock.Set(kStart);
  {
    OneClient client(&folder, &clock);
    client.Give({"LB.CREATE lb EXPIRE 2h"});
    client.Give({"LB.SUBMIT lb m 1"});
    clock.Set(kStart + kHour);
    ASSERT_EQ(client.Give({"LB.META lb m x"}), ":1\r\n");
  }
  const auto killed = folder.CrashKillOnly();
  OneClient client(killed.get(), &clock);
  clock.Set(kStart + 3 * kHour - 1);
  EXPECT_EQ(client.Give({"LB.SIZE lb"}), ":1\r\n");
  clock.Set(kStart + 3 * kHour);
  EXPECT_EQ(client.Give({"LB.SIZE lb"}).substr(0, 8), "-NOBOARD");
}

TEST(SeasonRestart, ARandomMemberOfAnEmptyHourIsNobody) {
  SimulatedFolder folder;
  SetClock clock;
  clock.Set(kStart);
  OneClient client(&folder, &clock);
  client.Give({"LB.CREATE s PERIODS 2 hour all"});
  client.Give({"LB.SUBMIT s m 1"});
  EXPECT_EQ(client.Give({"ZRANDMEMBER s"}), "$1\r\nm\r\n");
  clock.Set(kStart + kHour);
  EXPECT_EQ(client.Give({"EXISTS s"}), ":1\r\n");
  EXPECT_EQ(client.Give({"ZRANDMEMBER s"}), "$-1\r\n");
  EXPECT_EQ(client.Give({"ZRANDMEMBER s 2"}), "*0\r\n");
}

}  // namespace
}  // namespace laurel::testing
