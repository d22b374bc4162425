// Clients with a name pattern, and names that become or cease to be instances of a board.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/seasons/season_rig.h"

namespace laurel::testing {
namespace {

class SeasonAccess : public ::testing::Test {
 protected:
  struct Guest {
    explicit Guest(const std::string& pattern) { client.access = engine::Access("guest", pattern); }
    TestClient client;
  };

  std::string Ask(Guest* guest, const std::string& line) {
    return season_.Begin(&guest->client, {line})->Answer().Plain();
  }
  bool IsRefused(Guest* guest, const std::string& line) {
    return Ask(guest, line).starts_with("-NOPERM ");
  }

  Season season_{"2026-11-20T12:00:00Z"};
};

TEST_F(SeasonAccess, AccessToAnInstanceIsCheckedByTheNameOfItsBoard) {
  Guest days("*day");
  Guest board("lb");
  EXPECT_EQ(Ask(&days, "ZADD lb@day 1 m"), "1");
  EXPECT_TRUE(IsRefused(&board, "ZCARD lb@day"));
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  EXPECT_TRUE(IsRefused(&days, "ZCARD lb@day"));
  EXPECT_EQ(Ask(&board, "ZCARD lb@day"), "0");
  EXPECT_EQ(Ask(&board, "LB.SIZE lb@day:-1"), "0");
  season_.Ask("LB.DROP lb");
  EXPECT_EQ(Ask(&days, "ZCARD lb@day"), "1");
  EXPECT_TRUE(IsRefused(&board, "ZCARD lb@day"));
}

TEST_F(SeasonAccess, ListingsOmitASortedSetWhoseNameBecameAnInstance) {
  Guest days("*day");
  season_.Ask("ZADD lb@day 1 m");
  EXPECT_EQ(Ask(&days, "KEYS *"), "[lb@day]");
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  EXPECT_EQ(Ask(&days, "KEYS *"), "[]");
  EXPECT_EQ(Ask(&days, "SCAN 0"), "[0 []]");
  EXPECT_EQ(Ask(&days, "RANDOMKEY"), "nil");
}

TEST_F(SeasonAccess, ExpiredBoardOwnsNoInstanceNames) {
  Guest board("lb");
  Guest days("*day");
  season_.Ask("LB.CREATE lb PERIODS 1 day END 2026-11-20T13:00:00Z EXPIRE 1h");
  season_.Ask("LB.SUBMIT lb ann 1");
  EXPECT_EQ(Ask(&board, "ZCARD lb@day"), "1");
  season_.SetTime("2026-11-20T15:00:00Z");
  EXPECT_TRUE(IsRefused(&board, "ZCARD lb@day"));
  EXPECT_EQ(Ask(&days, "ZCARD lb@day"), "0");
}

TEST_F(SeasonAccess, AdjacentRequestsAreCheckedOneByOne) {
  Guest days("*day");
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  season_.Ask("LB.SUBMIT lb ann 1");
  for (const std::string line : {"ZRANK lb@day ann", "ZADD lb@day 1 bob", "ZINCRBY lb 1 ann"}) {
    const auto asked = season_.Begin(&days.client, {line, line, line});
    for (const Value& reply : asked->Answers()) {
      EXPECT_TRUE(reply.Plain().starts_with("-NOPERM ")) << line << reply.Plain();
    }
  }
  EXPECT_EQ(season_.Top("lb"), "1:ann=1");
}

TEST_F(SeasonAccess, AccessInATransactionIsCheckedAtExecution) {
  Guest board("lb");
  const auto asked = season_.Begin(
      &board.client,
      {"LB.CREATE lb PERIODS 1 day", "ZCARD lb@day", "LB.DROP lb", "ZADD lb@day 1 m", "ZCARD lb"},
      /*transaction=*/true);
  EXPECT_EQ(asked->Answer().Plain(), "[OK 0 OK -NOPERM token 'guest' has no access to 'lb@day' 0]");
}

TEST_F(SeasonAccess, BlockedPopOfAnInstanceIsNotServedByASortedSet) {
  Guest board("lb");
  Guest all("*");
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  const auto waits = season_.Begin(&board.client, {"BZPOPMIN lb@day 0"});
  const auto waits_too = season_.Begin(&all.client, {"BZMPOP 0 2 other lb@day MIN COUNT 5"});
  season_.Ask("LB.DROP lb");
  EXPECT_EQ(season_.Ask("ZADD lb@day 1 secret"), "1");
  EXPECT_EQ(season_.Ask("ZADD elsewhere 1 secret"), "1");
  season_.Ask("RENAME elsewhere lb@day");
  EXPECT_EQ(season_.Ask("ZCARD lb@day"), "1");
  EXPECT_FALSE(waits->answered());
  EXPECT_FALSE(waits_too->answered());
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  season_.Ask("LB.SUBMIT lb ann 5");
  EXPECT_EQ(waits->Answer().Plain(), "[lb@day ann 5]");
  season_.Ask("LB.SUBMIT lb bob 6");
  EXPECT_EQ(waits_too->Answer().Plain(), "[lb@day [[bob 6]]]");
}

TEST_F(SeasonAccess, BlockedPopIsNotServedByABoardOutsideThePattern) {
  Guest days("*day");
  Guest all("*");
  const auto waits = season_.Begin(&days.client, {"BZPOPMAX lb@day 0"});
  const auto waits_behind = season_.Begin(&all.client, {"BZPOPMAX lb@day 0"});
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  season_.Ask("LB.SUBMIT lb ann 5");
  EXPECT_EQ(waits_behind->Answer().Plain(), "[lb@day ann 5]");
  season_.Ask("LB.SUBMIT lb bob 6");
  EXPECT_FALSE(waits->answered());
  EXPECT_EQ(season_.Top("lb"), "1:bob=6");
  season_.Ask("LB.DROP lb");
  season_.Ask("ZADD lb@day 7 cid");
  EXPECT_EQ(waits->Answer().Plain(), "[lb@day cid 7]");
}

TEST_F(SeasonAccess, WatchIsBrokenWhenTheNameChangesItsBoard) {
  Guest board("lb");
  season_.Ask("LB.CREATE lb PERIODS 1 day");
  EXPECT_EQ(Ask(&board, "WATCH lb@day lb@day:2026-11-20 lb"), "OK");
  season_.Ask("LB.DROP lb");
  season_.Ask("ZADD lb@day 1 m");
  EXPECT_EQ(season_.Begin(&board.client, {"ZCARD lb"}, true)->Answer().Plain(), "nil");

  // The watch is broken with and without a write to the new board.
  for (const bool writes : {false, true}) {
    Guest days("*day");
    season_.Ask("FLUSHALL");
    EXPECT_EQ(Ask(&days, "WATCH lb@day"), "OK");
    season_.Ask("LB.CREATE lb PERIODS 1 day");
    if (writes) season_.Ask("LB.SUBMIT lb ann 5");
    EXPECT_EQ(season_.Begin(&days.client, {"ZCARD holiday"}, true)->Answer().Plain(), "nil");
  }
  EXPECT_TRUE(IsRefused(&board, "WATCH lb@day secret"));
}

}  // namespace
}  // namespace laurel::testing
