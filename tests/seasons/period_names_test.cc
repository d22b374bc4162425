// The bare name of a board with periods, and the names of its instances, in every command.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/seasons/season_rig.h"

namespace laurel::testing {
namespace {

// A Sunday, the last day of W46.
constexpr const char* kSunday = "2026-11-15T12:00:00Z";
constexpr const char* kMonday = "2026-11-16T12:00:00Z";

class PeriodNames : public ::testing::Test {
 protected:
  // On Sunday ann and bob have entries, bob's is better; on Monday ann and cid.
  void Fill() {
    ASSERT_EQ(season_.Ask("LB.CREATE lb PERIODS 3 day week all POLICY sum"), "OK");
    season_.Ask("LB.SUBMIT lb ann 5 META x");
    season_.Ask("LB.SUBMIT lb bob 7");
    season_.SetTime(kMonday);
    season_.Ask("LB.SUBMIT lb ann 3");
    season_.Ask("LB.SUBMIT lb cid 1");
  }

  // Expects the command to be refused with ERR and to change nothing.
  void ExpectRefused(const std::string& line) {
    const std::string before = season_.ReadAllPeriods("lb");
    EXPECT_EQ(season_.Code(line), "ERR") << line;
    EXPECT_EQ(season_.ReadAllPeriods("lb"), before) << line;
  }

  Season season_{kSunday};
};

TEST_F(PeriodNames, InstanceNamesAreRelativeOrLabels) {
  season_.SetTime("2026-11-15T05:30:00Z");
  ASSERT_EQ(season_.Ask("LB.CREATE lb PERIODS 5 hour day week month all TZ Asia/Shanghai"), "OK");
  season_.Ask("LB.SUBMIT lb ann 5");
  for (const char* name :
       {"lb", "lb@hour", "lb@day", "lb@week", "lb@month", "lb@all", "lb@hour:2026-11-15T13+0800",
        "lb@day:2026-11-15", "lb@week:2026-W46", "lb@month:2026-11"}) {
    EXPECT_EQ(season_.Top(name), "1:ann=5") << name;
    EXPECT_EQ(season_.Ask("ZSCORE " + std::string(name) + " ann"), "5") << name;
  }
  season_.SetTime("2026-11-15T06:30:00Z");
  season_.Ask("LB.SUBMIT lb bob 6");
  EXPECT_EQ(season_.Top("lb@hour"), "1:bob=6");
  EXPECT_EQ(season_.Top("lb@hour:-1"), "1:ann=5");
  EXPECT_EQ(season_.Top("lb@hour:2026-11-15T13+0800"), "1:ann=5");
  EXPECT_EQ(season_.Top("lb@hour:2026-11-15T14+0800"), "1:bob=6");
  EXPECT_EQ(season_.Top("lb@day"), "1:bob=6 2:ann=5");
  // Monday in Shanghai.
  season_.SetTime("2026-11-15T16:00:00Z");
  season_.Ask("LB.SUBMIT lb cid 7");
  EXPECT_EQ(season_.Top("lb@day"), "1:cid=7");
  EXPECT_EQ(season_.Top("lb@day:2026-11-16"), "1:cid=7");
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:bob=6 2:ann=5");
  EXPECT_EQ(season_.Top("lb@week"), "1:cid=7");
  EXPECT_EQ(season_.Top("lb@week:-1"), "1:bob=6 2:ann=5");
  EXPECT_EQ(season_.Top("lb@week:2026-W47"), "1:cid=7");
  EXPECT_EQ(season_.Top("lb@month"), "1:cid=7 2:bob=6 3:ann=5");
  EXPECT_EQ(season_.Top("lb@all"), "1:cid=7 2:bob=6 3:ann=5");
}

TEST_F(PeriodNames, NamesOfNoInstanceReadAsAbsent) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  for (const char* name : {"lb@hour", "lb@month", "lb@year", "lb@", "lb@day:", "lb@day:x",
                           "lb@day:2026-02-30", "lb@day:2026-11-17", "lb@day:2026-11-1",
                           "lb@week:2026-W54", "lb@day:2026-W46", "lb@all:2026", "lb@day:1"}) {
    EXPECT_EQ(season_.Code("LB.TOP " + std::string(name) + " 5"), "NOBOARD") << name;
    EXPECT_EQ(season_.Ask("ZCARD " + std::string(name)), "0") << name;
    EXPECT_EQ(season_.Ask("EXISTS " + std::string(name)), "0") << name;
  }
}

// Names are bytes: each has one spelling, because the patterns of tokens compare bytes.
TEST_F(PeriodNames, InstanceNamesAreCaseSensitive) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  EXPECT_EQ(season_.Code("LB.TOP lb@Day 5"), "NOBOARD");
  EXPECT_EQ(season_.Ask("ZCARD lb@WEEK"), "0");
}

TEST_F(PeriodNames, InstanceNamesNeedABoardWithPeriods) {
  EXPECT_EQ(season_.Code("LB.CREATE x@day"), "ERR");
  EXPECT_EQ(season_.Code("LB.CREATE x@"), "ERR");
  EXPECT_EQ(season_.Code("LB.CREATE x@y PERIODS 1 day"), "ERR");
  // A sorted set may have such a name, also beside a leaderboard without periods.
  EXPECT_EQ(season_.Ask("ZADD x@day 1 a"), "1");
  EXPECT_EQ(season_.Ask("ZRANGE x@day 0 -1"), "[a]");
  ASSERT_EQ(season_.Ask("LB.CREATE plain"), "OK");
  EXPECT_EQ(season_.Ask("ZADD plain@day 1 a"), "1");
  EXPECT_EQ(season_.Ask("KEYS plain@*"), "[plain@day]");
  EXPECT_EQ(season_.Ask("DEL plain@day"), "1");
}

TEST_F(PeriodNames, BareNameReadsTheFirstPeriod) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  const std::string day = season_.ReadAll("lb@day");
  EXPECT_EQ(season_.ReadAll("lb"), day);
  EXPECT_EQ(season_.ReadAll("lb@day:2026-11-16"), day);
  EXPECT_EQ(season_.Top("lb"), "1:ann=3 2:cid=1");
  EXPECT_EQ(season_.ReadAll("lb@week"), day);
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=8 2:bob=7 3:cid=1");
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:bob=7 2:ann=5");

  ASSERT_EQ(season_.Ask("LB.CREATE rev PERIODS 2 all day"), "OK");
  season_.Ask("LB.SUBMIT rev ann 5");
  season_.Move(kDay);
  EXPECT_EQ(season_.Top("rev"), "1:ann=5");
  EXPECT_EQ(season_.Top("rev@day"), "");
}

// Every read of a past instance replies as for a separate board with the same entries.
TEST_F(PeriodNames, EveryReadWorksOnAPastInstance) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  ASSERT_EQ(season_.Ask("LB.CREATE own POLICY sum"), "OK");
  for (const char* member : {"ann", "bob"}) {
    const std::string stamp = Micros(season_.StampOf("lb@day:-1", member));
    const std::string score = season_.Ask("ZSCORE lb@day:-1 " + std::string(member));
    season_.Ask("LB.SUBMIT own " + std::string(member) + " " + score + " AT " + stamp +
                (std::string(member) == "ann" ? " META x" : ""));
  }
  const std::string own = season_.ReadAll("own");
  EXPECT_EQ(season_.ReadAll("lb@day:-1"), own);
  EXPECT_EQ(season_.ReadAll("lb@day:2026-11-15"), own);
  EXPECT_EQ(season_.ReadAll("lb@week:-1"), own);
  for (const char* store : {"ZRANGESTORE to lb@day:-1 0 -1", "ZUNIONSTORE to 1 lb@day:-1",
                            "ZINTERSTORE to 1 lb@day:-1", "ZDIFFSTORE to 1 lb@day:-1"}) {
    EXPECT_EQ(season_.Ask(store), "2") << store;
    EXPECT_EQ(season_.Ask("ZRANGE to 0 -1 WITHSCORES"), "[[ann 5] [bob 7]]") << store;
  }
  EXPECT_EQ(season_.Code("GET lb@day"), "WRONGTYPE");
  EXPECT_NE(season_.Get("LB.DESCRIBE lb@day:-1").type, '-');
}

TEST_F(PeriodNames, InstanceNamesRefuseSubmits) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  for (const char* name : {"lb@day", "lb@day:-1", "lb@day:2026-11-16", "lb@all", "lb@month"}) {
    const std::string board = name;
    ExpectRefused("LB.SUBMIT " + board + " ann 100");
    ExpectRefused("LB.SET " + board + " ann 100");
    ExpectRefused("LB.INCR " + board + " ann 100");
    ExpectRefused("LB.MSUBMIT " + board + " 1 ann 100");
    ExpectRefused("ZADD " + board + " 100 ann");
    ExpectRefused("ZADD " + board + " INCR 100 ann");
    ExpectRefused("ZINCRBY " + board + " 100 ann");
  }
}

TEST_F(PeriodNames, InstanceNamesRefuseDelExpireRenameAndCopy) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  season_.Ask("ZADD set 1 a");
  for (const char* name : {"lb@day", "lb@day:-1", "lb@week:2026-W46", "lb@all"}) {
    const std::string board = name;
    for (const char* command :
         {"DEL ?", "UNLINK ?", "DEL set ?", "EXPIRE ? 60", "PEXPIRE ? 60", "EXPIREAT ? 9999999999",
          "PEXPIREAT ? 9999999999999", "RENAME ? other", "RENAMENX ? other", "COPY ? other",
          "RENAME set ?", "COPY set ? REPLACE", "LB.DROP ?", "LB.ALTER ? CAP 1"}) {
      std::string line = command;
      line.replace(line.find('?'), 1, board);
      ExpectRefused(line);
    }
    EXPECT_EQ(season_.Get("ZUNIONSTORE " + board + " 1 set").type, '-');
    EXPECT_EQ(season_.Get("ZRANGESTORE " + board + " set 0 -1").type, '-');
  }
  EXPECT_EQ(season_.Ask("ZCARD set"), "1");
  EXPECT_EQ(season_.Ask("EXISTS other"), "0");
}

TEST_F(PeriodNames, BoardWithPeriodsIsNotRenamedOrCopied) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  season_.Ask("ZADD set 1 a");
  ASSERT_EQ(season_.Ask("LB.CREATE plain"), "OK");
  season_.Ask("ZADD plain 1 a");
  for (const char* line :
       {"RENAME lb other", "RENAMENX lb other", "COPY lb other", "RENAME plain lb",
        "COPY plain lb REPLACE", "COPY lb plain REPLACE", "RENAME lb plain"}) {
    ExpectRefused(line);
  }
  EXPECT_EQ(season_.Get("RENAME set lb").type, '-');
  EXPECT_EQ(season_.Get("COPY set lb REPLACE").type, '-');
  EXPECT_EQ(season_.Ask("ZRANGE plain 0 -1"), "[a]");
}

// These reply an error and not 0, as for an existing destination, because they can never succeed.
TEST_F(PeriodNames, RenamenxAndCopyToABoardWithPeriodsAreErrors) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  season_.Ask("ZADD set 1 a");
  for (const char* name : {"lb", "lb@day", "lb@day:-1", "lb@all"}) {
    EXPECT_EQ(season_.Get("RENAMENX set " + std::string(name)).type, '-') << name;
    EXPECT_EQ(season_.Get("COPY set " + std::string(name)).type, '-') << name;
  }
}

TEST_F(PeriodNames, BareNameRefusesPopsTrimsAndRangeRemovals) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  for (const char* line :
       {"LB.POP lb 1", "LB.POP lb 1 BOTTOM", "LB.TRIM lb 1", "ZPOPMIN lb", "ZPOPMAX lb 2",
        "ZMPOP 1 lb MIN", "ZMPOP 2 none lb MAX", "BZPOPMIN lb 0.01", "BZPOPMAX lb 0.01",
        "BZMPOP 0.01 1 lb MIN", "ZREMRANGEBYRANK lb 0 0", "ZREMRANGEBYSCORE lb -inf +inf"}) {
    ExpectRefused(line);
  }
}

TEST_F(PeriodNames, PopsTrimsAndRangeRemovalsChangeOneInstance) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb PERIODS 2 day all"), "OK");
  season_.Ask("LB.MSUBMIT lb 9 a 1 b 2 c 3 d 4 e 5 f 6 g 7 h 8 i 9");
  season_.Move(kDay);
  season_.Ask("LB.MSUBMIT lb 9 a 1 b 2 c 3 d 4 e 5 f 6 g 7 h 8 i 9");
  const std::string past = season_.ReadAll("lb@day:-1");
  const std::string all = season_.ReadAll("lb@all");
  EXPECT_EQ(season_.Entries("LB.POP lb@day 1"), "1:i=9");
  EXPECT_EQ(season_.Entries("LB.POP lb@day 1 BOTTOM"), "8:a=1");
  EXPECT_EQ(season_.Ask("ZPOPMIN lb@day"), "[b 2]");
  EXPECT_EQ(season_.Ask("ZPOPMAX lb@day"), "[h 8]");
  EXPECT_EQ(season_.Ask("ZMPOP 1 lb@day MIN"), "[lb@day [[c 3]]]");
  EXPECT_EQ(season_.Ask("BZPOPMAX lb@day 0"), "[lb@day g 7]");
  EXPECT_EQ(season_.Ask("ZREMRANGEBYRANK lb@day 0 0"), "1");
  EXPECT_EQ(season_.Top("lb@day"), "1:f=6 2:e=5");
  EXPECT_EQ(season_.Ask("ZREMRANGEBYSCORE lb@day 6 6"), "1");
  EXPECT_EQ(season_.Top("lb@day"), "1:e=5");
  EXPECT_EQ(season_.ReadAll("lb@day:-1"), past);
  EXPECT_EQ(season_.ReadAll("lb@all"), all);
  EXPECT_EQ(season_.Ask("LB.TRIM lb@day:2026-11-15 3"), "6");
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:i=9 2:h=8 3:g=7");
  EXPECT_EQ(season_.ReadAll("lb@all"), all);
}

TEST_F(PeriodNames, RemovalOnTheBareNameActsOnEveryInstance) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  EXPECT_EQ(season_.Ask("LB.REMOVE lb ann"), "1");
  for (const char* name : {"lb@day", "lb@day:-1", "lb@week", "lb@week:-1", "lb@all"}) {
    EXPECT_EQ(season_.Ask("LB.GET " + std::string(name) + " ann"), "nil") << name;
  }
  // Bob has no entry in the current day.
  EXPECT_EQ(season_.Ask("ZSCORE lb bob"), "nil");
  season_.Ask("ZREM lb bob");
  EXPECT_EQ(season_.Instances("lb"),
            "day:2026-11-16=1* day:2026-11-15=0! week:2026-W47=1* week:2026-W46=0! all=1*");
}

TEST_F(PeriodNames, RemovalOnAnInstanceActsOnThatInstanceOnly) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  EXPECT_EQ(season_.Ask("LB.REMOVE lb@day:-1 ann"), "1");
  EXPECT_EQ(season_.Ask("ZREM lb@week ann"), "1");
  EXPECT_EQ(season_.Ask("LB.CLEAR lb@day"), "2");
  EXPECT_EQ(season_.Top("lb@day"), "");
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:bob=7");
  EXPECT_EQ(season_.Top("lb@week"), "1:cid=1");
  EXPECT_EQ(season_.Top("lb@week:-1"), "1:bob=7 2:ann=5");
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=8 2:bob=7 3:cid=1");
}

TEST_F(PeriodNames, ClearAndDelOnTheBareNameEmptyEveryInstance) {
  for (const char* line : {"LB.CLEAR lb", "DEL lb", "UNLINK lb"}) {
    SCOPED_TRACE(line);
    season_.SetTime(season_.now() > Moment(kSunday) ? season_.now() + 7 * kDay : Moment(kSunday));
    ASSERT_EQ(season_.Ask("LB.CREATE lb PERIODS 2 day all"), "OK");
    season_.Ask("LB.SUBMIT lb ann 1");
    season_.Move(kDay);
    season_.Ask("LB.SUBMIT lb bob 2");
    season_.Ask("LB.HIDE lb cheat");
    ASSERT_NE(season_.Get(line).type, '-');
    for (const char* name : {"lb", "lb@day", "lb@day:-1", "lb@all"}) {
      EXPECT_EQ(season_.Ask("LB.SIZE " + std::string(name)), "0") << name;
    }
    EXPECT_EQ(season_.Ask("EXISTS lb"), "0");
    EXPECT_EQ(season_.Ask("KEYS *"), "[]");
    EXPECT_EQ(season_.Ask("LB.LIST"), "[0 [lb]]");
    // The board is still declared, with its periods.
    EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 3"),
              "accepted nil->1 nil->3 all(accepted nil->1 nil->3)");
    season_.Restart(Ending::kPowerCut);
    EXPECT_EQ(season_.Top("lb@all"), "1:ann=3");
    EXPECT_EQ(season_.Top("lb@day:-1"), "");
    ASSERT_EQ(season_.Ask("LB.DROP lb"), "OK");
  }
}

TEST_F(PeriodNames, DropAndFlushRemoveEveryInstance) {
  for (const char* line : {"LB.DROP lb", "FLUSHALL", "FLUSHDB"}) {
    SCOPED_TRACE(line);
    ASSERT_EQ(season_.Ask("LB.CREATE lb PERIODS 2 day all"), "OK");
    season_.Ask("LB.SUBMIT lb ann 1");
    season_.Move(kDay);
    season_.Ask("LB.SUBMIT lb bob 2");
    ASSERT_EQ(season_.Ask(line), "OK");
    for (int round = 0; round < 2; ++round) {
      for (const char* name : {"lb", "lb@day", "lb@day:-1", "lb@all"}) {
        EXPECT_EQ(season_.Code("LB.SIZE " + std::string(name)), "NOBOARD") << name;
        EXPECT_EQ(season_.Ask("EXISTS " + std::string(name)), "0") << name;
      }
      EXPECT_EQ(season_.Ask("LB.LIST"), "[0 []]");
      EXPECT_EQ(season_.Ask("DBSIZE"), "0");
      season_.Restart(Ending::kKilled);
    }
    // The names are free for any board, and a new board starts empty.
    EXPECT_EQ(season_.Ask("ZADD lb@day 1 a"), "1");
    EXPECT_EQ(season_.Ask("DEL lb@day"), "1");
    ASSERT_EQ(season_.Ask("LB.CREATE lb PERIODS 2 day all"), "OK");
    EXPECT_EQ(season_.Instances("lb").find("=1"), std::string::npos) << season_.Instances("lb");
    ASSERT_EQ(season_.Ask("LB.DROP lb"), "OK");
  }
}

TEST_F(PeriodNames, RedisExpireEmptiesEveryInstanceAndKeepsTheDeclaration) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  ASSERT_EQ(season_.Ask("EXPIRE lb 60"), "1");
  season_.Move(kMinute - kMicros);
  season_.Tick();
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=8 2:bob=7 3:cid=1");
  season_.Move(kMicros);
  season_.Tick();
  for (const char* name : {"lb", "lb@day", "lb@day:-1", "lb@week:-1", "lb@all"}) {
    EXPECT_EQ(season_.Ask("LB.SIZE " + std::string(name)), "0") << name;
  }
  EXPECT_EQ(season_.Ask("EXISTS lb"), "0");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1"),
            "accepted nil->1 nil->1 week(accepted nil->1 nil->1) all(accepted nil->1 nil->1)");
  EXPECT_EQ(season_.Ask("TTL lb"), "-1");
}

TEST_F(PeriodNames, KeysScanAndDbsizeShowBareNamesOnly) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  season_.Ask("ZADD set 1 a");
  EXPECT_EQ(season_.Ask("DBSIZE"), "2");
  EXPECT_EQ(season_.Ask("KEYS lb*"), "[lb]");
  EXPECT_EQ(season_.Ask("KEYS *@*"), "[]");
  EXPECT_EQ(season_.Ask("LB.LIST"), "[0 [lb]]");
  const Value scanned = season_.Get("SCAN 0 COUNT 1000");
  ASSERT_EQ(scanned.elements.size(), 2U);
  EXPECT_EQ(scanned.elements[1].elements.size(), 2U) << scanned.Plain();
  for (int i = 0; i < 20; ++i) {
    const std::string random = season_.Ask("RANDOMKEY");
    EXPECT_TRUE(random == "lb" || random == "set") << random;
  }
  EXPECT_EQ(season_.engine().Measure().boards->existing, 2U);
  EXPECT_EQ(season_.Ask("EXISTS lb lb@day lb@day:-1 lb@week lb@all lb@day:2020-01-01"), "5");
  EXPECT_EQ(season_.Ask("TYPE lb"), "zset");
  EXPECT_EQ(season_.Ask("TYPE lb@week:-1"), "zset");
  EXPECT_EQ(season_.Ask("TYPE lb@day:2020-01-01"), "none");
}

TEST_F(PeriodNames, TemplatesCreateBoardsWithPeriods) {
  ASSERT_EQ(season_.Ask("LB.TEMPLATE SET daily:* PERIODS 2 day all KEEP 3"), "OK");
  EXPECT_EQ(season_.Ask("ZADD daily:1 5 ann"), "1");
  EXPECT_EQ(season_.Ask("ZINCRBY daily:2 5 ann"), "5");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT daily:3 ann 5"),
            "accepted nil->1 nil->5 all(accepted nil->1 nil->5)");
  for (const char* board : {"daily:1", "daily:2", "daily:3"}) {
    EXPECT_EQ(season_.Instances(board), "day:2026-11-15=1* all=1*");
  }
  EXPECT_EQ(season_.Code("LB.SUBMIT daily:4@day ann 5"), "ERR");
  // A read of a name that only the template matches answers as on an empty board, and makes none.
  EXPECT_EQ(season_.Ask("LB.SIZE daily:4"), "0");
  EXPECT_EQ(season_.Ask("LB.SIZE daily:4@day:-1"), "0");
  EXPECT_EQ(season_.Code("LB.SIZE daily:4@week"), "NOBOARD");
  EXPECT_EQ(season_.Code("LB.DESCRIBE daily:4"), "NOBOARD");
  EXPECT_EQ(season_.Code("LB.PERIODS daily:4"), "NOBOARD");
  EXPECT_EQ(season_.Code("LB.ALTER daily:4 KEEP 2"), "NOBOARD");
}

TEST_F(PeriodNames, PeriodOptionsAreValidated) {
  for (const char* options :
       {"PERIODS 1 year", "PERIODS 0", "PERIODS 2 day day", "PERIODS 2 day",
        "PERIODS 1 day TZ Mars/X", "PERIODS 1 day TURN 24:00", "PERIODS 1 day TURN 4:00",
        "PERIODS 1 day KEEP -1", "PERIODS 1 day KEEP x"}) {
    EXPECT_EQ(season_.Code("LB.CREATE lb " + std::string(options)), "ERR") << options;
  }
  EXPECT_EQ(season_.Code("LB.SIZE lb"), "NOBOARD");
  ASSERT_EQ(season_.Ask("LB.CREATE lb PERIODS 1 day TZ Asia/Shanghai TURN 04:00 KEEP 2"), "OK");
  EXPECT_EQ(season_.Ask("LB.CREATE lb PERIODS 1 day TZ Asia/Shanghai TURN 04:00 KEEP 2"), "OK");
  EXPECT_EQ(season_.Code("LB.CREATE lb PERIODS 1 day TZ Asia/Shanghai TURN 04:00"), "EXISTS");
  EXPECT_EQ(season_.Code("LB.CREATE lb PERIODS 1 day TZ Asia/Tokyo TURN 04:00 KEEP 2"), "EXISTS");
  EXPECT_EQ(season_.Code("LB.CREATE lb"), "EXISTS");
  EXPECT_EQ(season_.Code("LB.ALTER lb PERIODS 1 day"), "ERR");
  EXPECT_EQ(season_.Code("LB.ALTER lb TZ UTC"), "ERR");
  EXPECT_EQ(season_.Code("LB.ALTER lb TURN 05:00"), "ERR");
}

}  // namespace
}  // namespace laurel::testing
