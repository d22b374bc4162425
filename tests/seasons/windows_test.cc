// START, END, GRACE and EXPIRE of a leaderboard, exact to the microsecond and over restarts.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/time_text.h"
#include "tests/seasons/season_rig.h"

namespace laurel::testing {
namespace {

constexpr const char* kStart = "2026-11-20T10:00:00Z";
constexpr const char* kEnd = "2026-11-20T12:00:00Z";
constexpr const char* kWindow = " START 2026-11-20T10:00:00Z END 2026-11-20T12:00:00Z";

// Every way to write a score.
const std::vector<std::string> kWrites = {
    "LB.SUBMIT lb new 5",    "LB.SET lb new 5",
    "LB.INCR lb new 5",      "LB.MSUBMIT lb 2 new 5 ann 7",
    "ZADD lb 5 new",         "ZADD lb INCR 5 new",
    "ZINCRBY lb 5 new",      "LB.SUBMIT lb ann 9 XX",
    "LB.SUBMIT lb new 9 NX", "LB.SUBMIT lb ann 1",
};

class Windows : public ::testing::Test {
 protected:
  // All entries and the description of a board.
  std::string State(const std::string& board) {
    return season_.Ask("LB.RANGE " + board + " 1 -1 WITHMETA") +
           season_.Ask("LB.DESCRIBE " + board);
  }

  Season season_{"2026-11-20T09:00:00Z"};
};

TEST_F(Windows, WritesAreAcceptedFromStartUntilJustBeforeEnd) {
  for (const std::string& write : kWrites) {
    SCOPED_TRACE(write);
    season_.Ask("LB.DROP lb");
    season_.SetTime(Moment(kStart) + kHour);
    ASSERT_EQ(season_.Ask("LB.CREATE lb" + std::string(kWindow)), "OK");
    ASSERT_EQ(season_.Verdict("LB.SUBMIT lb ann 1"), "accepted nil->1 nil->1");
    const std::string before = State("lb");
    for (const Stamp outside : {Moment(kStart) - kMicros, Moment(kEnd), Moment(kEnd) + kDay}) {
      season_.SetTime(outside);
      EXPECT_EQ(season_.Code(write), "CLOSED");
      EXPECT_EQ(State("lb"), before);
    }
    season_.SetTime(Moment(kEnd) - kMicros);
    EXPECT_NE(season_.Get(write).type, '-');
    season_.SetTime(Moment(kStart));
    EXPECT_NE(season_.Get(write).type, '-');
  }
}

TEST_F(Windows, RefusalNamesStartAndEnd) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb GRACE 5m" + std::string(kWindow)), "OK");
  for (const char* write : {"LB.SUBMIT lb ann 1", "ZADD lb 1 ann", "LB.MSUBMIT lb 1 ann 1"}) {
    const std::string refusal = season_.Ask(write);
    EXPECT_TRUE(refusal.starts_with("-CLOSED ")) << refusal;
    EXPECT_NE(refusal.find(base::FormatIsoTime(Moment(kStart))), std::string::npos) << refusal;
    EXPECT_NE(refusal.find(base::FormatIsoTime(Moment(kEnd))), std::string::npos) << refusal;
  }
}

TEST_F(Windows, StartAndEndMayBeGivenAlone) {
  ASSERT_EQ(season_.Ask("LB.CREATE from START 2026-11-20T10:00:00Z"), "OK");
  ASSERT_EQ(season_.Ask("LB.CREATE until END 2026-11-20T12:00:00Z"), "OK");
  EXPECT_EQ(season_.Code("LB.SUBMIT from ann 1"), "CLOSED");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT until ann 1"), "accepted nil->1 nil->1");
  season_.SetTime("2027-11-20T10:00:00Z");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT from ann 1"), "accepted nil->1 nil->1");
  EXPECT_EQ(season_.Code("LB.SUBMIT until ann 2"), "CLOSED");
}

TEST_F(Windows, AtDecidesWhetherAWriteIsInTheWindow) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb" + std::string(kWindow)), "OK");
  season_.SetTime(Moment(kStart) + kHour);
  EXPECT_EQ(season_.Code("LB.SUBMIT lb a 1 AT " + Micros(Moment(kStart) - kMicros)), "CLOSED");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb a 1 AT " + Micros(Moment(kStart))),
            "accepted nil->1 nil->1");
  EXPECT_EQ(season_.StampOf("lb", "a"), Moment(kStart));
  EXPECT_EQ(season_.Code("LB.MSUBMIT lb 2 b 1 c 2 AT " + Micros(Moment(kStart) - kMicros)),
            "CLOSED");
  EXPECT_EQ(season_.Top("lb"), "1:a=1");

  // AT up to a second ahead of the clock, across END and across START.
  season_.SetTime(Moment(kEnd) - kSecond / 2);
  EXPECT_EQ(season_.Code("LB.SUBMIT lb b 1 AT " + Micros(Moment(kEnd))), "CLOSED");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb b 1 AT " + Micros(Moment(kEnd) - kMicros)),
            "accepted nil->2 nil->1");
  season_.SetTime(Moment(kStart) - kSecond / 2);
  EXPECT_EQ(season_.Code("LB.SUBMIT lb c 1"), "CLOSED");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb c 1 AT " + Micros(Moment(kStart))),
            "accepted nil->2 nil->1");
}

TEST_F(Windows, AtOverASecondAheadIsBadTime) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb"), "OK");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb a 1 AT " + Micros(season_.now() + kSecond + kMicros)),
            "BADTIME");
  EXPECT_EQ(season_.Ask("LB.SIZE lb"), "0");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb a 1 AT " + Micros(season_.now() + kSecond)),
            "accepted nil->1 nil->1");
  // AT does not move the clock.
  season_.Ask("LB.SUBMIT lb b 1");
  EXPECT_LT(season_.StampOf("lb", "b"), season_.now() + kSecond / 2);
}

TEST_F(Windows, LateWritesWithAtAreAcceptedUntilGraceIsOver) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb GRACE 10m" + std::string(kWindow)), "OK");
  const std::string in_time = " AT " + Micros(Moment(kEnd) - kMicros);
  season_.SetTime(Moment(kEnd));
  EXPECT_EQ(season_.Code("LB.SUBMIT lb a 1"), "CLOSED");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb a 1" + in_time), "accepted nil->1 nil->1");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb a 2 AT " + Micros(Moment(kEnd))), "CLOSED");
  EXPECT_EQ(season_.Code("ZADD lb 3 a"), "CLOSED");
  season_.SetTime(Moment(kEnd) + 10 * kMinute - kMicros);
  EXPECT_EQ(season_.Verdict("LB.SET lb b 1" + in_time), "accepted nil->2 nil->1");
  EXPECT_EQ(season_.Verdict("LB.INCR lb c 1" + in_time), "accepted nil->3 nil->1");
  EXPECT_EQ(season_.Verdict("LB.MSUBMIT lb 1 d 1" + in_time), "accepted nil->4 nil->1");
  season_.SetTime(Moment(kEnd) + 10 * kMinute);
  for (const char* write :
       {"LB.SUBMIT lb e 1", "LB.SET lb e 1", "LB.INCR lb e 1", "LB.MSUBMIT lb 1 e 1"}) {
    EXPECT_EQ(season_.Code(write + in_time), "CLOSED") << write;
  }
  EXPECT_EQ(season_.Top("lb"), "1:a=1 2:b=1 3:c=1 4:d=1");
}

TEST_F(Windows, GraceIsZeroByDefault) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb" + std::string(kWindow)), "OK");
  season_.SetTime(kEnd);
  EXPECT_EQ(season_.Code("LB.SUBMIT lb a 1 AT " + Micros(Moment(kEnd) - kMicros)), "CLOSED");
}

TEST_F(Windows, RefusedWriteCreatesNoBoardFromATemplate) {
  ASSERT_EQ(season_.Ask("LB.TEMPLATE SET cup:* EXPIRE 1h" + std::string(kWindow)), "OK");
  for (const char* write :
       {"ZADD cup:1 1 ann", "ZINCRBY cup:1 1 ann", "LB.SUBMIT cup:1 ann 1",
        "LB.MSUBMIT cup:1 1 ann 1", "LB.SET cup:1 ann 1", "LB.INCR cup:1 ann 1"}) {
    for (const Stamp outside : {Moment(kStart) - kMicros, Moment(kEnd)}) {
      season_.SetTime(outside);
      EXPECT_EQ(season_.Code(write), "CLOSED") << write;
      EXPECT_EQ(season_.Ask("EXISTS cup:1"), "0");
      EXPECT_EQ(season_.Code("LB.DESCRIBE cup:1"), "NOBOARD");
      EXPECT_EQ(season_.Ask("LB.LIST"), "[0 []]");
    }
  }
  for (const Ending ending : kEndings) {
    season_.Restart(ending);
    EXPECT_EQ(season_.Ask("LB.LIST"), "[0 []]");
  }
  season_.SetTime(kStart);
  EXPECT_EQ(season_.Ask("ZADD cup:1 1 ann"), "1");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT cup:1 ann 2"), "accepted 1->1 1->2");
  season_.SetTime(kEnd);
  EXPECT_EQ(season_.Code("ZADD cup:1 1 bob"), "CLOSED");
  // The board's own EXPIRE drops it. The template creates no other, because its window is over.
  season_.SetTime(Moment(kEnd) + kHour);
  EXPECT_EQ(season_.Ask("EXISTS cup:1"), "0");
  EXPECT_EQ(season_.Code("LB.DESCRIBE cup:1"), "NOBOARD");
  EXPECT_EQ(season_.Code("ZADD cup:1 1 bob"), "CLOSED");
}

TEST_F(Windows, StartMustBeBeforeEnd) {
  EXPECT_EQ(season_.Code("LB.CREATE lb START 2026-11-20T10:00:00Z END 2026-11-20T10:00:00Z"),
            "ERR");
  EXPECT_EQ(season_.Code("LB.CREATE lb START 2026-11-20T10:00:01Z END 2026-11-20T10:00:00Z"),
            "ERR");
  EXPECT_EQ(season_.Code("LB.TEMPLATE SET cup:* START 200 END 100"), "ERR");
  EXPECT_EQ(season_.Ask("LB.LIST"), "[0 []]");
  ASSERT_EQ(season_.Ask("LB.CREATE lb" + std::string(kWindow)), "OK");
  const std::string before = State("lb");
  EXPECT_EQ(season_.Code("LB.ALTER lb START 2026-11-20T12:00:00Z"), "ERR");
  EXPECT_EQ(season_.Code("LB.ALTER lb END 2026-11-20T10:00:00Z"), "ERR");
  EXPECT_EQ(season_.Code("LB.ALTER lb CAP 3 END 2026-11-20T10:00:00Z"), "ERR");
  EXPECT_EQ(State("lb"), before);
  EXPECT_EQ(season_.Ask("LB.CREATE short START 100 END 100.000001"), "OK");
}

TEST_F(Windows, TimesAndDurationsFollowTheCommonGrammar) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb START 1795168800 END 1795176000000ms GRACE 600s"), "OK");
  EXPECT_EQ(season_.Ask("LB.CREATE lb START 1795168800000000us END 2026-11-20T20:00:00+08:00 "
                        "GRACE 10m"),
            "OK");
  EXPECT_EQ(season_.Code("LB.CREATE lb START 1795168800 END 1795176000.000001 GRACE 10m"),
            "EXISTS");
  EXPECT_EQ(season_.Code("LB.CREATE lb START 1795168800 END 1795176000 GRACE 11m"), "EXISTS");
  EXPECT_EQ(season_.Code("LB.CREATE other END 1795176000000"), "BADTIME");
  EXPECT_EQ(season_.Code("LB.CREATE other END 2026-11-20T12:00:00"), "BADTIME");
  EXPECT_EQ(season_.Code("LB.CREATE other GRACE 10"), "ERR");
  EXPECT_EQ(season_.Code("LB.CREATE other EXPIRE 10w"), "ERR");
  EXPECT_EQ(season_.Code("LB.DESCRIBE other"), "NOBOARD");
}

TEST_F(Windows, AlterMovesAndRemovesTheWindow) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb" + std::string(kWindow)), "OK");
  season_.SetTime(kEnd);
  EXPECT_EQ(season_.Code("LB.SUBMIT lb a 1"), "CLOSED");
  ASSERT_EQ(season_.Ask("LB.ALTER lb END 2026-11-20T13:00:00Z"), "OK");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb a 1"), "accepted nil->1 nil->1");
  ASSERT_EQ(season_.Ask("LB.ALTER lb END 2026-11-20T11:00:00Z"), "OK");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb a 2"), "CLOSED");
  const std::string late = "LB.SUBMIT lb a 2 AT 2026-11-20T10:30:00Z";
  EXPECT_EQ(season_.Code(late), "CLOSED");
  ASSERT_EQ(season_.Ask("LB.ALTER lb GRACE 61m"), "OK");
  EXPECT_EQ(season_.Verdict(late), "accepted 1->1 1->2");
  ASSERT_EQ(season_.Ask("LB.ALTER lb END none"), "OK");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb a 3"), "accepted 1->1 2->3");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb a 4 AT 2026-11-20T09:00:00Z"), "CLOSED");
  ASSERT_EQ(season_.Ask("LB.ALTER lb START none"), "OK");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb b 4 AT 2026-11-20T09:00:00Z"), "accepted nil->1 nil->4");
  for (const Ending ending : kEndings) {
    season_.Restart(ending);
    EXPECT_EQ(season_.Verdict("LB.SUBMIT lb b 4"), "unchanged 1->1 4->4");
  }
  ASSERT_EQ(season_.Ask("LB.ALTER lb END 2026-11-20T11:00:00Z"), "OK");
  for (const Ending ending : kEndings) {
    season_.Restart(ending);
    EXPECT_EQ(season_.Code("LB.SUBMIT lb b 5"), "CLOSED");
  }
}

TEST_F(Windows, RemovalsHidingAndReadsWorkOutsideTheWindow) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb" + std::string(kWindow)), "OK");
  season_.SetTime(kStart);
  season_.Ask("LB.MSUBMIT lb 5 a 5 b 4 c 3 d 2 e 1");
  season_.SetTime(Moment(kEnd) + kDay);
  EXPECT_EQ(season_.Ask("LB.REMOVE lb a"), "1");
  EXPECT_EQ(season_.Ask("ZREM lb b"), "1");
  EXPECT_EQ(season_.Ask("LB.HIDE lb c"), "1");
  EXPECT_EQ(season_.Top("lb"), "1:d=2 2:e=1");
  EXPECT_EQ(season_.Ask("LB.SHOW lb c"), "1");
  EXPECT_EQ(season_.Top("lb"), "1:c=3 2:d=2 3:e=1");
  EXPECT_EQ(season_.Ask("ZSCORE lb c"), "3");
  // The same before START.
  season_.SetTime(Moment(kStart) - kDay);
  EXPECT_EQ(season_.Ask("LB.HIDE lb early"), "1");
  EXPECT_EQ(season_.Ask("LB.REMOVE lb e"), "1");
  EXPECT_EQ(season_.Top("lb"), "1:c=3 2:d=2");
}

TEST_F(Windows, RenameAndCopyCarryTheWindow) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb" + std::string(kWindow)), "OK");
  season_.SetTime(kStart);
  season_.Ask("LB.SUBMIT lb a 5");
  ASSERT_EQ(season_.Ask("COPY lb copied"), "1");
  ASSERT_EQ(season_.Ask("RENAME lb renamed"), "OK");
  season_.SetTime(kEnd);
  for (const char* name : {"lb", "copied", "renamed"}) {
    EXPECT_EQ(season_.Code("LB.SUBMIT " + std::string(name) + " b 1"), "CLOSED") << name;
  }
}

class Expiry : public Windows {
 protected:
  // Whether the board exists. Expects all commands to agree on it.
  bool IsThere(const std::string& board) {
    const bool there = season_.Code("LB.DESCRIBE " + board) != "NOBOARD";
    EXPECT_EQ(season_.Code("LB.SIZE " + board) != "NOBOARD", there);
    EXPECT_EQ(season_.Ask("LB.LIST MATCH " + board) != "[0 []]", there);
    if (!there) {
      EXPECT_EQ(season_.Ask("EXISTS " + board), "0");
      EXPECT_EQ(season_.Ask("KEYS " + board), "[]");
      EXPECT_EQ(season_.Ask("ZSCORE " + board + " ann"), "nil");
    }
    return there;
  }

  void ExpectPutOffBy(const std::string& last) {
    SCOPED_TRACE(last);
    season_.Ask("LB.DROP lb");
    ASSERT_EQ(season_.Ask("LB.CREATE lb EXPIRE 1h"), "OK");
    season_.Ask("LB.SUBMIT lb ann 1");
    season_.Move(kHour - kMicros);
    EXPECT_TRUE(IsThere("lb"));
    EXPECT_NE(season_.Get(last).type, '-');
    season_.Move(kHour - kMicros);
    season_.Tick();
    EXPECT_TRUE(IsThere("lb"));
    season_.Move(kMicros);
    EXPECT_FALSE(IsThere("lb"));
  }
};

TEST_F(Expiry, BoardExpiresAtEndPlusExpire) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb EXPIRE 1h" + std::string(kWindow)), "OK");
  season_.SetTime(kStart);
  season_.Ask("LB.SUBMIT lb ann 1 ID first");
  season_.SetTime(Moment(kEnd) + kHour - kMicros);
  season_.Tick();
  EXPECT_TRUE(IsThere("lb"));
  EXPECT_EQ(season_.Top("lb"), "1:ann=1");
  season_.SetTime(Moment(kEnd) + kHour);
  EXPECT_FALSE(IsThere("lb"));
  // The name is free, and its request ids are forgotten.
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann 1"), "NOBOARD");
  EXPECT_EQ(season_.Ask("ZADD lb 1.5 ann"), "1");
  EXPECT_EQ(season_.Ask("DEL lb"), "1");
  ASSERT_EQ(season_.Ask("LB.CREATE lb"), "OK");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID first"), "accepted nil->1 nil->1");
}

TEST_F(Expiry, TickExpiresABoardWithoutARequest) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb EXPIRE 1h" + std::string(kWindow)), "OK");
  season_.SetTime(kStart);
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.SetTime(Moment(kEnd) + kHour);
  season_.Tick();
  EXPECT_EQ(season_.engine().Measure().boards->all, 0U);
  // The expiry is an effect in the log: a clock that steps back does not undo it.
  season_.SetTime(kStart);
  EXPECT_FALSE(IsThere("lb"));
  season_.Ask("ZADD other 1 x");  // waits until all earlier effects are durable
  season_.Restart(Ending::kKilled);
  EXPECT_FALSE(IsThere("lb"));
}

TEST_F(Expiry, WithoutEndAnAcceptedWritePostponesExpiry) {
  for (const char* last : {"LB.SUBMIT lb ann 2", "LB.SET lb ann 2", "ZADD lb 2 ann",
                           "ZINCRBY lb 1 ann", "LB.INCR lb bob 1", "LB.MSUBMIT lb 1 bob 1"}) {
    ExpectPutOffBy(last);
  }
}

// Accepted means not refused: a write that leaves the score as it is also keeps the board alive.
TEST_F(Expiry, WriteThatChangesNothingPostponesExpiry) {
  for (const char* last : {"LB.SUBMIT lb ann 1", "ZADD lb 1 ann", "LB.INCR lb ann 0"}) {
    ExpectPutOffBy(last);
  }
}

TEST_F(Expiry, RefusedWritesAndReadsDoNotPostponeExpiry) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb EXPIRE 1h"), "OK");
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Move(kHour - kMicros);
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann x"), "BADSCORE");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann 1 AT 2030-01-01T00:00:00Z"), "BADTIME");
  EXPECT_EQ(season_.Top("lb"), "1:ann=1");
  season_.Move(kMicros);
  EXPECT_FALSE(IsThere("lb"));
}

class ExpiryOverRestarts : public Expiry, public ::testing::WithParamInterface<Ending> {};

TEST_P(ExpiryOverRestarts, BoardExpiresInDowntimeAndNotEarlier) {
  season_.SetTime(kStart);
  ASSERT_EQ(season_.Ask("LB.CREATE event EXPIRE 1h" + std::string(kWindow)), "OK");
  ASSERT_EQ(season_.Ask("LB.CREATE lazy EXPIRE 3h"), "OK");
  season_.Ask("LB.SUBMIT event ann 1");
  season_.Ask("LB.SUBMIT lazy ann 1");
  season_.Move(kMinute);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lazy ann 2"), "accepted 1->1 1->2");
  season_.Restart(GetParam());
  EXPECT_TRUE(IsThere("event"));
  season_.SetTime(Moment(kEnd) + kHour - kMicros);
  season_.Restart(GetParam());
  EXPECT_TRUE(IsThere("event"));
  EXPECT_TRUE(IsThere("lazy"));
  season_.Move(kMicros);
  season_.Restart(GetParam());
  EXPECT_FALSE(IsThere("event"));
  EXPECT_TRUE(IsThere("lazy"));
  season_.Move(kMinute - kMicros);
  EXPECT_TRUE(IsThere("lazy"));
  season_.Move(kMicros);
  season_.Tick();
  EXPECT_FALSE(IsThere("lazy"));
  season_.Restart(GetParam());
  EXPECT_FALSE(IsThere("lazy"));
}

// The time of the last write survives a restart even if its entry does not.
TEST_P(ExpiryOverRestarts, LastWriteCountsAfterItsEntryIsRemoved) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb EXPIRE 1h"), "OK");
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Move(30 * kMinute);
  season_.Ask("LB.SUBMIT lb bob 2");
  season_.Ask("LB.REMOVE lb bob");
  season_.Restart(GetParam());
  season_.Move(kHour - kMicros);
  season_.Restart(GetParam());
  EXPECT_TRUE(IsThere("lb"));
  season_.Move(kMicros);
  EXPECT_FALSE(IsThere("lb"));
}

INSTANTIATE_TEST_SUITE_P(Endings, ExpiryOverRestarts, ::testing::ValuesIn(kEndings),
                         [](const auto& ending) { return std::string(EndingName(ending.param)); });

TEST_F(Expiry, AlterMovesTheExpiry) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb EXPIRE 1h" + std::string(kWindow)), "OK");
  season_.SetTime(kEnd);
  ASSERT_EQ(season_.Ask("LB.ALTER lb END 2026-11-20T14:00:00Z"), "OK");
  season_.SetTime("2026-11-20T14:59:59.999999Z");
  season_.Tick();
  EXPECT_TRUE(IsThere("lb"));
  ASSERT_EQ(season_.Ask("LB.ALTER lb EXPIRE 2h"), "OK");
  season_.SetTime("2026-11-20T15:59:59.999999Z");
  season_.Tick();
  EXPECT_TRUE(IsThere("lb"));
  season_.Move(kMicros);
  season_.Tick();
  EXPECT_FALSE(IsThere("lb"));

  // An expiry that has already passed is refused.
  ASSERT_EQ(season_.Ask("LB.CREATE lb END 2026-11-20T15:00:00Z"), "OK");
  EXPECT_EQ(season_.Ask("LB.ALTER lb EXPIRE 30m"),
            "-ERR EXPIRE 30m would drop the board at once: END 2026-11-20T15:00:00.000000Z, now "
            "2026-11-20T16:00:00.000000Z; set END later, or drop the board");
  EXPECT_TRUE(IsThere("lb"));
  EXPECT_EQ(season_.Code("LB.CREATE new END 2026-11-20T15:00:00Z EXPIRE 30m"), "ERR");
  EXPECT_FALSE(IsThere("new"));
}

TEST_F(Expiry, TtlIsTheEarlierOfRedisExpiryAndTheBoardsOwn) {
  season_.SetTime("2026-11-20T12:00:00Z");
  ASSERT_EQ(season_.Ask("LB.CREATE lb END 2026-11-20T13:00:00Z EXPIRE 1h"), "OK");
  season_.Ask("LB.SUBMIT lb ann 1");
  EXPECT_EQ(season_.Ask("TTL lb"), "7200");
  EXPECT_EQ(season_.Ask("EXPIRE lb 60"), "1");
  EXPECT_EQ(season_.Ask("TTL lb"), "60");
  EXPECT_EQ(season_.Ask("PERSIST lb"), "1") << "removes Redis' expiry only";
  EXPECT_EQ(season_.Ask("TTL lb"), "7200");
  EXPECT_EQ(season_.Ask("PERSIST lb"), "0");
  EXPECT_EQ(season_.Ask("EXPIRE lb 9000"), "1");
  EXPECT_EQ(season_.Ask("TTL lb"), "7200");
}

TEST_F(Expiry, EndNoneClearsGraceToo) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb END 2099-01-01T00:00:00Z GRACE 10m"), "OK");
  ASSERT_EQ(season_.Ask("LB.ALTER lb END none"), "OK");
  EXPECT_EQ(season_.Code("LB.CREATE lb"), "OK") << "the spec is the default one again";
  EXPECT_EQ(season_.Code("LB.ALTER lb GRACE 10m"), "ERR");
}

TEST_F(Expiry, ManyBoardsExpireInSlicesAndOthersStay) {
  for (int i = 0; i < 500; ++i) {
    const std::string board = "b" + std::to_string(i);
    const char* options = i % 5 == 0 ? "" : " END 2026-11-20T12:00:00Z EXPIRE 1h";
    ASSERT_EQ(season_.Ask("LB.CREATE " + board + options), "OK");
    season_.Ask("LB.SUBMIT " + board + " ann " + std::to_string(i));
  }
  season_.SetTime(Moment(kEnd) + kHour);
  season_.Tick();
  for (int i = 0; i < 10; ++i) season_.Tick();
  EXPECT_EQ(season_.engine().Measure().boards->all, 100U);
  EXPECT_EQ(season_.Ask("DBSIZE"), "100");
  season_.Restart(Ending::kPowerCut);
  season_.Tick();
  EXPECT_EQ(season_.Ask("DBSIZE"), "100");
  EXPECT_EQ(season_.Top("b5"), "1:ann=5");
}

TEST_F(Expiry, RedisExpireEmptiesTheBoardAndItsOwnExpireDropsIt) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb EXPIRE 2h"), "OK");
  season_.Ask("LB.SUBMIT lb ann 1");
  EXPECT_EQ(season_.Ask("EXPIRE lb 60"), "1");
  season_.Move(kMinute);
  EXPECT_EQ(season_.Ask("EXISTS lb"), "0");
  EXPECT_EQ(season_.Ask("LB.SIZE lb"), "0");  // declared and empty
  season_.Move(2 * kHour - kMinute);
  EXPECT_EQ(season_.Code("LB.SIZE lb"), "NOBOARD");
}

TEST_F(Windows, WindowAppliesInsideATransaction) {
  ASSERT_EQ(season_.Ask("LB.CREATE lb" + std::string(kWindow)), "OK");
  ASSERT_EQ(season_.Ask("LB.CREATE open"), "OK");
  season_.SetTime(kEnd);
  const std::string replies =
      season_.Exec({"ZADD open 1 a", "ZADD lb 1 a", "LB.SUBMIT lb a 1", "ZADD open 2 b"});
  EXPECT_TRUE(replies.starts_with("[1 -CLOSED ")) << replies;
  EXPECT_EQ(season_.Top("open"), "1:b=2 2:a=1");
  EXPECT_EQ(season_.Ask("LB.SIZE lb"), "0");
}

}  // namespace
}  // namespace laurel::testing
