// Combinations of rules: boards altered within their window, instances that were deleted, and names
// that only look like instances.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/seasons/season_rig.h"

namespace laurel::testing {
namespace {

class SeasonEdges : public ::testing::Test {
 protected:
  void RestartAs(Ending ending) {
    season_.Restart(ending);
    season_.Tick();
  }

  Season season_{"2026-11-20T12:00:00Z"};
};

TEST_F(SeasonEdges, ExpiryCountsFromTheRemovalOfEnd) {
  for (const Ending ending : kEndings) {
    SCOPED_TRACE(EndingName(ending));
    season_.Ask("LB.CREATE lb EXPIRE 1d");
    season_.Ask("LB.SUBMIT lb ann 1");
    season_.Ask("LB.ALTER lb END " + Micros(season_.now() + 30 * kDay));
    season_.Move(10 * kDay);
    season_.Ask("LB.SUBMIT lb ann 2");
    ASSERT_EQ(season_.Ask("LB.ALTER lb END none"), "OK");
    RestartAs(ending);
    season_.Move(kDay - kSecond);
    EXPECT_EQ(season_.Top("lb"), "1:ann=2");
    season_.Move(2 * kSecond);
    EXPECT_EQ(season_.Code("LB.TOP lb 1"), "NOBOARD");
  }
}

TEST_F(SeasonEdges, ExpireSetAgainDoesNotCountFromTheLastWrite) {
  for (const Ending ending : kEndings) {
    SCOPED_TRACE(EndingName(ending));
    season_.Ask("LB.CREATE lb EXPIRE 1d");
    season_.Ask("LB.SUBMIT lb ann 1");
    season_.Ask("LB.ALTER lb EXPIRE 0");
    season_.Move(10 * kDay);
    season_.Ask("LB.ALTER lb EXPIRE 1d");
    RestartAs(ending);
    season_.Move(kDay - kSecond);
    EXPECT_EQ(season_.Top("lb"), "1:ann=1");
    season_.Move(2 * kSecond);
    EXPECT_EQ(season_.Code("LB.TOP lb 1"), "NOBOARD");
  }
}

TEST_F(SeasonEdges, SubmitThatEvictsItsFirstMemberPostponesExpiry) {
  season_.Ask("LB.CREATE lb CAP 2 EXPIRE 1d");
  season_.Ask("LB.MSUBMIT lb 2 ann 10 bob 20");
  season_.Move(kHour);
  season_.Ask("LB.MSUBMIT lb 2 ann 1 carl 30");
  ASSERT_EQ(season_.Top("lb"), "1:carl=30 2:bob=20");
  season_.Move(kDay - kMinute);
  season_.Tick();
  EXPECT_EQ(season_.Top("lb"), "1:carl=30 2:bob=20");
}

TEST_F(SeasonEdges, ShorterKeepThatEmptiesTheBoardLowersDbsizeByOne) {
  season_.Ask("ZADD other 1 m");
  season_.Ask("LB.CREATE lb PERIODS 1 day KEEP 5");
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Move(2 * kDay);
  ASSERT_EQ(season_.Ask("DBSIZE"), "2");
  season_.Ask("LB.ALTER lb KEEP 0");
  EXPECT_EQ(season_.Ask("DBSIZE"), "1");
}

TEST_F(SeasonEdges, LongerGraceDoesNotReopenADeletedInstance) {
  for (const Ending ending : kEndings) {
    SCOPED_TRACE(EndingName(ending));
    const Stamp before = season_.now();
    season_.Ask("LB.CREATE lb PERIODS 1 day KEEP 0");
    season_.Ask("LB.SUBMIT lb ann 1");
    season_.Move(kDay);
    season_.Tick();
    RestartAs(ending);
    ASSERT_EQ(season_.Ask("LB.ALTER lb GRACE 2d"), "OK");
    EXPECT_EQ(season_.Code("LB.SUBMIT lb bob 1 AT " + Micros(before)), "CLOSED");
    season_.Ask("LB.DROP lb");
  }
}

TEST_F(SeasonEdges, HidingAnotherMemberKeepsTheExpiryOfHiddenEntries) {
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Ask("EXPIRE lb 100");
  season_.Ask("LB.HIDE lb ann");
  season_.Ask("LB.HIDE lb bob");
  season_.Move(101 * kSecond);
  season_.Tick();
  season_.Ask("LB.SHOW lb ann");
  EXPECT_EQ(season_.Top("lb"), "");
}

TEST_F(SeasonEdges, DropAndFlushallBreakTheWatchOfAnInstance) {
  for (const std::string end : {"LB.DROP lb", "FLUSHALL"}) {
    SCOPED_TRACE(end);
    season_.Ask("LB.CREATE lb PERIODS 1 day");
    season_.Ask("LB.SUBMIT lb ann 1");
    const auto client = std::make_unique<TestClient>();
    season_.Begin(client.get(), {"WATCH lb@day:2026-11-20"})->Answer();
    season_.Ask(end);
    EXPECT_EQ(season_.Begin(client.get(), {"ZCARD lb"}, true)->Answer().Plain(), "nil");
  }
}

TEST_F(SeasonEdges, AlterAppliesToAnEmptyInstance) {
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  season_.Ask("LB.DESCRIBE lb@day");
  season_.Ask("LB.ALTER lb CAP 5 POLICY best");
  EXPECT_NE(season_.Ask("LB.DESCRIBE lb@day").find("policy=best"), std::string::npos);
}

// The pattern `lb` admits the instances of lb, but no sorted set whose name looks like an instance.
TEST_F(SeasonEdges, PatternAdmitsInstancesOfTheBoardOnly) {
  const auto client = std::make_unique<TestClient>();
  client->access = engine::Access("t", "lb");
  const auto ask = [&](const std::string& line) {
    return season_.Begin(client.get(), {line})->Answer().Plain().substr(0, 7);
  };
  season_.Ask("ZADD lb@day:orders 1 secret");
  EXPECT_EQ(ask("ZRANGE lb@day:orders 0 -1"), "-NOPERM");
  EXPECT_EQ(ask("ZRANK lb@day:orders secret"), "-NOPERM");
  EXPECT_EQ(ask("ZADD lb@day 1 m"), "-NOPERM");
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  season_.Ask("LB.SUBMIT lb ann 1");
  EXPECT_EQ(ask("ZRANGE lb@day 0 -1"), "[ann]");
  EXPECT_EQ(ask("ZRANK lb@day ann"), "0");
}

TEST(SeasonWaiting, BlockedPopIsNotServedByABoardWithPeriods) {
  Season season("2026-11-15T12:00:00Z");
  TestClient client;
  const auto waits = season.Begin(&client, {"BZPOPMIN name 0"});
  season.Exec(
      {"ZADD name 5 bob", "DEL name", "LB.CREATE name PERIODS 1 day", "LB.SUBMIT name ann 1"});
  ASSERT_EQ(season.Ask("LB.SIZE name"), "1");
  EXPECT_FALSE(waits->answered());
  ASSERT_EQ(season.Ask("LB.DROP name"), "OK");
  season.Ask("ZADD name 5 bob");
  EXPECT_EQ(waits->Answer().Plain(), "[name bob 5]");
}

// The period `all` has one instance.
TEST(SeasonNames, AllHasNoEarlierInstance) {
  Season season("2026-11-15T12:00:00Z");
  ASSERT_EQ(season.Ask("LB.CREATE lb PERIODS 2 day all KEEP 3"), "OK");
  season.Ask("LB.SUBMIT lb ann 1");
  EXPECT_EQ(season.Code("LB.CLEAR lb@all:-1"), "NOBOARD");
  EXPECT_EQ(season.Ask("LB.SIZE lb@all"), "1");
  EXPECT_EQ(season.Ask("LB.SIZE lb@day:-3"), "0");
  EXPECT_EQ(season.Code("LB.SIZE lb@day:-4"), "NOBOARD");
}

TEST(SeasonNames, RelativeNamesReachBackAsFarAsGrace) {
  Season season("2026-11-15T12:30:00Z");
  ASSERT_EQ(season.Ask("LB.CREATE lb PERIODS 1 hour GRACE 3h KEEP 0"), "OK");
  season.Ask("LB.SUBMIT lb ann 1 AT 2026-11-15T10:30:00Z");
  EXPECT_EQ(season.Top("lb@hour:-2"), "1:ann=1");
  EXPECT_EQ(season.Ask("LB.SIZE lb@hour:-3"), "0");
  EXPECT_EQ(season.Code("LB.SIZE lb@hour:-4"), "NOBOARD");
}

TEST(SeasonNames, DescribeOfAnInstanceShowsTheOptionsOfItsBoard) {
  Season season("2026-11-15T12:00:00Z");
  ASSERT_EQ(season.Ask("LB.CREATE lb PERIODS 1 day GRACE 5m START 100 END 2027-01-01T00:00:00Z "
                       "EXPIRE 3d DEDUP 50"),
            "OK");
  season.Ask("LB.SUBMIT lb ann 1 ID a");
  const Value whole = season.Get("LB.DESCRIBE lb");
  const Value day = season.Get("LB.DESCRIBE lb@day");
  for (const char* name : {"start", "end", "grace", "expire", "dedup", "ids"}) {
    EXPECT_EQ(day.Find(name)->Plain(), whole.Find(name)->Plain()) << name;
  }
  season.Ask("EXPIRE lb 100");
  EXPECT_EQ(season.Ask("TTL lb@day"), "100");
}

}  // namespace
}  // namespace laurel::testing
