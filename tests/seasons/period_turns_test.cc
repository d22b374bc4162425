// Submits to boards with periods, the turn and the close of an instance, late writes, and KEEP.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/time_text.h"
#include "tests/seasons/season_rig.h"

namespace laurel::testing {
namespace {

constexpr const char* kNoon = "2026-11-12T12:00:00Z";      // Thursday
constexpr const char* kMidnight = "2026-11-13T00:00:00Z";  // the next turn

class PeriodTurns : public ::testing::Test {
 protected:
  void Create(const std::string& options) {
    ASSERT_EQ(season_.Ask("LB.CREATE lb " + options), "OK");
  }

  // The cursor of the instance's close, as LB.PERIODS shows it; "nil" if the instance is open.
  std::string CloseOf(const std::string& instance) {
    for (const Value& listed : season_.Get("LB.PERIODS lb").elements) {
      if (listed.Find("board")->text == "lb@" + instance) {
        return listed.Find("closed")->Plain();
      }
    }
    return "not listed";
  }

  Season season_{kNoon};
};

using PeriodWrites = PeriodTurns;

TEST_F(PeriodWrites, SubmitReachesEveryPeriodAndTheVerdictListsTheOthers) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 5 hour day week month all POLICY best"));
  season_.Ask("LB.SUBMIT lb ann 10");
  season_.Move(kHour);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 7"),
            "accepted nil->1 nil->7 day(not-best 1->1 10->10) week(not-best 1->1 10->10) "
            "month(not-best 1->1 10->10) all(not-best 1->1 10->10)");
  season_.Move(kDay);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 10"),
            "accepted nil->1 nil->10 day(accepted nil->1 nil->10) week(unchanged 1->1 10->10) "
            "month(unchanged 1->1 10->10) all(unchanged 1->1 10->10)");
  season_.Ask("LB.SUBMIT lb bob 20");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 30"),
            "accepted 2->1 10->30 day(accepted 2->1 10->30) week(accepted 2->1 10->30) "
            "month(accepted 2->1 10->30) all(accepted 2->1 10->30)");
}

TEST_F(PeriodWrites, VerdictOfASinglePeriodHasNoFieldPeriods) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 1 day"));
  EXPECT_EQ(season_.Get("LB.SUBMIT lb ann 10").Find("periods"), nullptr);
}

TEST_F(PeriodWrites, VerdictsOfOtherPeriodsAreFlatArraysInResp2) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all"));
  const std::string stamp = std::to_string(season_.now());
  const std::string verdict =
      "status accepted rank 1 previous_rank nil score [1] previous_score nil stamp " + stamp;
  EXPECT_EQ(season_.AskInResp2("LB.SUBMIT lb ann 1"),
            "[" + verdict + " periods [all [" + verdict + "]]]");
}

TEST_F(PeriodWrites, WriteHasOneStampInAllInstances) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 3 day week all"));
  season_.Ask("LB.MSUBMIT lb 2 ann 1 bob 1");
  const Stamp ann = season_.StampOf("lb@day", "ann");
  EXPECT_GE(ann, season_.now());
  EXPECT_LT(ann, season_.StampOf("lb@day", "bob"));
  for (const char* name : {"lb@week", "lb@all"}) {
    EXPECT_EQ(season_.StampOf(name, "ann"), ann);
    EXPECT_EQ(season_.Top(name), "1:ann=1 2:bob=1");
  }
  // An instance in which the score stays keeps its stamp.
  season_.Move(kDay);
  season_.Ask("LB.SUBMIT lb ann 1");
  EXPECT_EQ(season_.StampOf("lb@all", "ann"), ann);
  EXPECT_GE(season_.StampOf("lb@day", "ann"), season_.now());
}

TEST_F(PeriodWrites, PolicyAndOperatorsApplyToEachInstance) {
  ASSERT_NO_FATAL_FAILURE(
      Create("FIELDS 3 points:int:desc:sum deaths:int:asc:sum best:int:asc:min PERIODS 2 day all"));
  season_.Ask("LB.SUBMIT lb ann 10 2 50");
  season_.Move(kDay);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 1 60"),
            "accepted nil->1 nil->1,1,60 all(accepted 1->1 10,2,50->11,3,50)");
  EXPECT_EQ(season_.Verdict("LB.SET lb ann 5 5 5"),
            "accepted 1->1 1,1,60->5,5,5 all(accepted 1->1 11,3,50->5,5,5)");
  season_.Move(kDay);
  EXPECT_EQ(season_.Verdict("LB.INCR lb ann 1 1 1"),
            "accepted nil->1 nil->1,1,1 all(accepted 1->1 5,5,5->6,6,6)");
}

TEST_F(PeriodWrites, NxAndXxApplyToEachInstance) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all"));
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Move(kDay);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 2 XX"),
            "skipped nil->nil nil->nil all(accepted 1->1 1->2)");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 3 NX"),
            "accepted nil->1 nil->3 all(skipped 1->1 2->2)");
}

TEST_F(PeriodWrites, CapAppliesToEachInstance) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all POLICY best CAP 2"));
  season_.Ask("LB.MSUBMIT lb 2 a 10 b 20");
  season_.Move(kDay);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb c 5"),
            "accepted nil->1 nil->5 all(not-ranked nil->nil nil->nil needs=11)");
  EXPECT_EQ(season_.Top("lb@all"), "1:b=20 2:a=10");
  EXPECT_EQ(season_.Top("lb@day"), "1:c=5");
  EXPECT_EQ(season_.Code("LB.INCR lb c 5"), "ERR");
  EXPECT_EQ(season_.Code("ZINCRBY lb 5 c"), "ERR");
  EXPECT_EQ(season_.Ask("ZADD lb 15 d"), "1");
  EXPECT_EQ(season_.Top("lb@all"), "1:b=20 2:d=15");
}

TEST_F(PeriodWrites, ErrorInOneInstanceRefusesTheWholeWrite) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all POLICY sum"));
  season_.Ask("LB.SUBMIT lb ann 9223372036854775807");
  season_.Move(kDay);
  season_.Ask("LB.SUBMIT lb bob 1");
  const std::string before = season_.ReadAllPeriods("lb");
  for (const char* line : {"LB.SUBMIT lb ann 1", "LB.INCR lb ann 1", "ZINCRBY lb 1 ann",
                           "ZADD lb INCR 1 ann", "LB.MSUBMIT lb 2 bob 1 ann 1"}) {
    const std::string code = season_.Code(line);
    EXPECT_EQ(code, "OVERFLOW") << line;
    EXPECT_EQ(season_.ReadAllPeriods("lb"), before) << line;
  }
}

TEST_F(PeriodWrites, RedisWritesReplyForTheFirstPeriod) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all"));
  season_.Ask("ZADD lb 5 ann");
  season_.Move(kDay);
  EXPECT_EQ(season_.Ask("ZADD lb 6 ann"), "1");
  EXPECT_EQ(season_.Ask("ZADD lb CH 6 ann"), "0");
  EXPECT_EQ(season_.Ask("ZINCRBY lb 1 ann"), "7");
  EXPECT_EQ(season_.Ask("ZADD lb INCR 1 ann"), "8");
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=8");
  season_.Move(kDay);
  EXPECT_EQ(season_.Ask("ZINCRBY lb 2 ann"), "2");
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=10");
  // GT and LT compare with the score in each instance.
  season_.Move(kDay);
  EXPECT_EQ(season_.Ask("ZADD lb GT 4 ann"), "1");
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=10");
  EXPECT_EQ(season_.Top("lb@day"), "1:ann=4");
}

TEST_F(PeriodTurns, PeriodTurnsAtTheExactMicrosecond) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 1 day TURN 04:30 TZ Asia/Shanghai"));
  season_.SetTime("2026-11-12T20:29:59.999999Z");
  season_.Ask("LB.SUBMIT lb ann 1");
  EXPECT_EQ(season_.Top("lb@day:2026-11-12"), "1:ann=1");
  season_.Move(kMicros);
  EXPECT_EQ(season_.Top("lb@day"), "");
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:ann=1");
  season_.Ask("LB.SUBMIT lb ann 2");
  EXPECT_EQ(season_.Top("lb@day:2026-11-13"), "1:ann=2");
  EXPECT_EQ(season_.Top("lb@day:2026-11-12"), "1:ann=1");
}

TEST_F(PeriodTurns, LateWriteGoesToThePreviousInstanceUntilGraceIsOver) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all GRACE 10m"));
  season_.Ask("LB.SUBMIT lb ann 5");
  season_.SetTime(kMidnight);
  season_.Ask("LB.SUBMIT lb bob 1");
  const std::string late = " AT 2026-11-12T23:59:59.999999Z";
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 6" + late),
            "accepted 1->1 5->6 all(accepted 1->1 5->6)");
  EXPECT_EQ(season_.StampOf("lb@day:-1", "ann"), Moment(kMidnight) - kMicros);
  season_.SetTime(Moment(kMidnight) + 10 * kMinute - kMicros);
  EXPECT_EQ(season_.Verdict("LB.INCR lb cid 6" + late),
            "accepted nil->2 nil->6 all(accepted nil->2 nil->6)");
  EXPECT_EQ(season_.Verdict("LB.MSUBMIT lb 1 dan 7" + late),
            "accepted nil->1 nil->7 all(accepted nil->1 nil->7)");
  // The instance before that is closed, so the write is refused although `all` would accept it.
  EXPECT_EQ(season_.Code("LB.SUBMIT lb eve 8 AT 2026-11-11T23:59:59.999999Z"), "CLOSED");
  season_.Move(kMicros);
  const std::string before = season_.ReadAllPeriods("lb");
  for (const char* line :
       {"LB.SUBMIT lb eve 8", "LB.SET lb eve 8", "LB.INCR lb eve 8", "LB.MSUBMIT lb 1 eve 8"}) {
    EXPECT_EQ(season_.Code(line + late), "CLOSED") << line;
  }
  EXPECT_EQ(season_.ReadAllPeriods("lb"), before);
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:dan=7 2:ann=6 3:cid=6");
  EXPECT_EQ(season_.Top("lb@day"), "1:bob=1");
  const std::string refusal = season_.Ask("LB.SUBMIT lb eve 8" + late);
  EXPECT_NE(refusal.find("2026-11-12T00:00:00.000000Z"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("2026-11-13T00:00:00.000000Z"), std::string::npos) << refusal;
}

TEST_F(PeriodTurns, LateWriteIsRefusedWithoutGrace) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 1 day"));
  season_.SetTime(kMidnight);
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann 5 AT 2026-11-12T23:59:59.999999Z"), "CLOSED");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 5 AT " + std::string(kMidnight)),
            "accepted nil->1 nil->5");
}

TEST_F(PeriodTurns, EachPeriodPlacesALateWriteByItself) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 3 hour day all GRACE 10m"));
  season_.SetTime("2026-11-12T13:05:00Z");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 5 AT 2026-11-12T12:59:00Z"),
            "accepted nil->1 nil->5 day(accepted nil->1 nil->5) all(accepted nil->1 nil->5)");
  EXPECT_EQ(season_.Top("lb@hour:2026-11-12T12+0000"), "1:ann=5");
  EXPECT_EQ(season_.Top("lb@hour"), "");
  EXPECT_EQ(season_.Top("lb@day"), "1:ann=5");
}

TEST_F(PeriodTurns, PeriodAllAcceptsAnyTime) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 1 all"));
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 5 AT 2020-01-01T00:00:00Z"),
            "accepted nil->1 nil->5");
  season_.Move(400 * kDay);
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=5");
}

TEST_F(PeriodTurns, WriteAheadOfTheClockGoesToTheNextInstance) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all"));
  season_.SetTime(Moment(kMidnight) - kSecond / 2);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 5 AT " + std::string(kMidnight)),
            "accepted nil->1 nil->5 all(accepted nil->1 nil->5)");
  EXPECT_EQ(season_.Top("lb@day:2026-11-13"), "1:ann=5");
  // AT does not move the clock: a write without AT still goes to the day before.
  season_.Ask("LB.SUBMIT lb bob 6");
  EXPECT_EQ(season_.Top("lb@day:2026-11-12"), "1:bob=6");
  EXPECT_EQ(season_.Top("lb@day"), "1:bob=6");
  season_.SetTime(kMidnight);
  EXPECT_EQ(season_.Top("lb@day"), "1:ann=5");
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:bob=6");
  EXPECT_EQ(season_.Top("lb@all"), "1:bob=6 2:ann=5");
}

TEST_F(PeriodTurns, ClockThatStepsBackDoesNotUndoATurn) {
  for (const Ending ending : kEndings) {
    for (const bool restarts : {false, true}) {
      SCOPED_TRACE(std::string(EndingName(ending)) + (restarts ? " restarts" : " goes on"));
      Season season(kNoon);
      ASSERT_EQ(season.Ask("LB.CREATE lb PERIODS 2 day all"), "OK");
      season.Ask("LB.SUBMIT lb ann 1");
      season.SetTime(Moment(kMidnight) + kSecond);
      season.Ask("LB.SUBMIT lb bob 2");
      if (ending == Ending::kSaved) season.Ask("SAVE");
      season.SetTime(Moment(kMidnight) - kSecond);
      if (restarts) season.Restart(ending);
      EXPECT_EQ(season.Top("lb@day"), "1:bob=2");
      season.Ask("LB.SUBMIT lb cid 3");
      EXPECT_EQ(season.Top("lb@day:2026-11-13"), "1:cid=3 2:bob=2");
      EXPECT_EQ(season.Top("lb@day:2026-11-12"), "1:ann=1");
      EXPECT_EQ(season.Top("lb@day"), "1:cid=3 2:bob=2");
      EXPECT_EQ(season.Top("lb@day:-1"), "1:ann=1");
      EXPECT_EQ(season.Top("lb"), "1:cid=3 2:bob=2");
      season.Move(-2 * kDay);
      if (restarts) season.Restart(ending);
      season.Ask("ZADD lb 4 dan");
      EXPECT_EQ(season.Top("lb@day:2026-11-13"), "1:dan=4 2:cid=3 3:bob=2");
      EXPECT_EQ(season.Top("lb@all"), "1:dan=4 2:cid=3 3:bob=2 4:ann=1");
    }
  }
}

TEST_F(PeriodTurns, ClosedInstanceStaysClosedWhenTheClockStepsBack) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 1 day GRACE 1m"));
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.SetTime(Moment(kMidnight) + kMinute);
  season_.Ask("LB.SUBMIT lb bob 2");
  season_.Tick();
  const std::string cursor = CloseOf("day:2026-11-12");
  ASSERT_NE(cursor, "nil");
  season_.SetTime(Moment(kMidnight) - kHour);
  season_.Tick();
  EXPECT_EQ(season_.Code("LB.SUBMIT lb cid 3 AT " + std::string(kNoon)), "CLOSED");
  EXPECT_EQ(season_.Top("lb@day:2026-11-12"), "1:ann=1");
  EXPECT_EQ(CloseOf("day:2026-11-12"), cursor);
}

// Its close event is published with count and top, so the instance must not change any more.
TEST_F(PeriodTurns, ClosedInstanceDoesNotChange) {
  for (const Ending ending : kEndings) {
    SCOPED_TRACE(EndingName(ending));
    Season season(kNoon);
    ASSERT_EQ(season.Ask("LB.CREATE lb PERIODS 1 day KEEP 3"), "OK");
    season.Ask("LB.SUBMIT lb ann 1");
    season.SetTime(Moment(kMidnight) + kSecond);
    season.Tick();  // closes the instance without a write
    ASSERT_EQ(season.Instances("lb"), "day:2026-11-13=0* day:2026-11-12=1!");
    season.SetTime(Moment(kMidnight) - kSecond);
    season.Ask("LB.SUBMIT lb bob 2");
    season.Restart(ending);
    season.Ask("ZADD lb 3 cid");
    EXPECT_EQ(season.Instances("lb"), "day:2026-11-13=2* day:2026-11-12=1!");
    season.SetTime(Moment(kMidnight) + kHour);
    ASSERT_EQ(season.Ask("LB.ALTER lb GRACE 3h"), "OK");
    EXPECT_EQ(season.Code("LB.SUBMIT lb dan 4 AT " + std::string(kNoon)), "CLOSED");
    EXPECT_EQ(season.Top("lb@day:-1"), "1:ann=1");
  }
}

TEST_F(PeriodTurns, LateWriteReachesAnyInstanceThatIsNotClosed) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 hour all GRACE 2h"));
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 AT 2026-11-12T11:30:00Z"),
            "accepted nil->1 nil->1 all(accepted nil->1 nil->1)");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb bob 2 AT 2026-11-12T10:30:00Z"),
            "accepted nil->1 nil->2 all(accepted nil->1 nil->2)");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb cid 3 AT 2026-11-12T09:59:59.999999Z"), "CLOSED");
  EXPECT_EQ(season_.Top("lb@hour:2026-11-12T11+0000"), "1:ann=1");
  EXPECT_EQ(season_.Top("lb@hour:2026-11-12T10+0000"), "1:bob=2");
  EXPECT_EQ(season_.Top("lb@hour"), "");
}

// A score that builds on an old one never gets an earlier stamp than it. Each instance compares
// with its own old stamp.
TEST_F(PeriodTurns, LateWriteIsStampedByEachInstance) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 hour all GRACE 1h POLICY sum"));
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Ask("LB.SUBMIT lb ann 1 AT 2026-11-12T11:30:00Z");
  EXPECT_EQ(season_.StampOf("lb@hour:-1", "ann"), Moment("2026-11-12T11:30:00Z"));
  EXPECT_EQ(season_.StampOf("lb@all", "ann"), season_.StampOf("lb@hour", "ann"));
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=2");
  // SET replaces the score, and sets the stamp even if the score stays.
  season_.Ask("LB.SET lb ann 2 AT 2026-11-12T11:40:00Z");
  EXPECT_EQ(season_.StampOf("lb@all", "ann"), Moment("2026-11-12T11:40:00Z"));
  EXPECT_EQ(season_.StampOf("lb@hour:-1", "ann"), Moment("2026-11-12T11:40:00Z"));
  EXPECT_EQ(season_.Top("lb@hour"), "1:ann=1");
}

TEST_F(PeriodTurns, HiddenMembersStayHiddenOverTurns) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all KEEP 2"));
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Ask("LB.SUBMIT lb cheat 100");
  season_.Ask("LB.SUBMIT lb other 100");
  season_.SetTime(kMidnight);
  season_.Ask("LB.SUBMIT lb cheat 100");
  EXPECT_EQ(season_.Ask("LB.HIDE lb cheat other early"), "3");
  for (const char* name : {"lb@day", "lb@day:-1", "lb@all"}) {
    EXPECT_EQ(season_.Top(name).find("cheat"), std::string::npos) << name;
    EXPECT_EQ(season_.Ask("ZSCORE " + std::string(name) + " cheat"), "100") << name;
    EXPECT_EQ(season_.Ask("ZRANK " + std::string(name) + " cheat"), "nil") << name;
  }
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=1");
  season_.Move(kDay);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb cheat 200"),
            "accepted nil->nil nil->200 hidden all(accepted nil->nil 100->200 hidden)");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb early 1"),
            "accepted nil->nil nil->1 hidden all(accepted nil->nil nil->1 hidden)");
  EXPECT_EQ(season_.Ask("LB.SIZE lb"), "0");
  for (const Ending ending : kEndings) {
    season_.Restart(ending);
    season_.Move(kHour);
    season_.Ask("LB.SUBMIT lb early 2");
    EXPECT_EQ(season_.Ask("LB.SIZE lb"), "0");
    EXPECT_EQ(season_.Top("lb@all"), "1:ann=1");
    EXPECT_EQ(season_.Top("lb@day:-2"), "1:ann=1");
  }
  EXPECT_EQ(season_.Ask("LB.SHOW lb cheat other"), "2");
  EXPECT_EQ(season_.Top("lb@day"), "1:cheat=200");
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:cheat=100");
  EXPECT_EQ(season_.Top("lb@day:-2"), "1:cheat=100 2:other=100 3:ann=1");
  EXPECT_EQ(season_.Top("lb@all"), "1:cheat=200 2:other=100 3:ann=1");
  // Deleting the entries keeps the hidden marks.
  season_.Ask("DEL lb");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb early 2"),
            "accepted nil->nil nil->2 hidden all(accepted nil->nil nil->2 hidden)");
}

TEST_F(PeriodTurns, InstanceClosesOnceAtItsEndPlusGrace) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all GRACE 10m KEEP 5"));
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.SetTime(Moment(kMidnight) + 10 * kMinute - kMicros);
  season_.Tick();
  EXPECT_EQ(season_.Instances("lb"), "day:2026-11-13=0* day:2026-11-12=1 all=1*");
  season_.Move(kMicros);
  season_.Tick();
  EXPECT_EQ(season_.Instances("lb"), "day:2026-11-13=0* day:2026-11-12=1! all=1*");
  const std::string cursor = CloseOf("day:2026-11-12");
  // Later writes, ticks and restarts do not close the instance again.
  season_.Ask("LB.SUBMIT lb bob 2");
  season_.Tick();
  for (const Ending ending : kEndings) {
    season_.Restart(ending);
    season_.Tick();
    EXPECT_EQ(CloseOf("day:2026-11-12"), cursor) << EndingName(ending);
    EXPECT_EQ(CloseOf("day:2026-11-13"), "nil");
  }
  season_.Move(kDay);
  season_.Tick();
  EXPECT_EQ(CloseOf("day:2026-11-12"), cursor);
  EXPECT_NE(CloseOf("day:2026-11-13"), "nil");
  EXPECT_NE(CloseOf("day:2026-11-13"), cursor);
}

TEST_F(PeriodTurns, InstanceClosesAfterDowntime) {
  for (const Ending ending : kEndings) {
    SCOPED_TRACE(EndingName(ending));
    season_.Ask("LB.DROP lb");
    ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day week KEEP 5"));
    const Stamp day = season_.now();
    season_.Ask("LB.SUBMIT lb ann 1");
    season_.SetTime(day + 2 * kDay);
    season_.Restart(ending);
    season_.Tick();
    const std::string first = season_.Instances("lb");
    EXPECT_NE(first.find("=1!"), std::string::npos) << first;
    EXPECT_EQ(season_.Top("lb@day:-2"), "1:ann=1");
    season_.Ask("LB.HIDE lb nobody");  // waits until it and all earlier effects are durable
    const std::string before = season_.Ask("LB.PERIODS lb");
    season_.Restart(ending);
    season_.Tick();
    EXPECT_EQ(season_.Ask("LB.PERIODS lb"), before);
    season_.SetTime(day + 7 * kDay);
  }
}

TEST_F(PeriodTurns, CloseIsShownOnceItIsDurable) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 1 day KEEP 5"));
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.SetTime(kMidnight);
  season_.HoldDisk();
  season_.Tick();
  TestClient client;
  const auto listed = season_.Begin(&client, {"LB.PERIODS lb"});
  if (listed->answered()) {
    for (const Value& instance : listed->Answer().elements) {
      EXPECT_EQ(instance.Find("closed")->Plain(), "nil");
    }
  }
  season_.ReleaseDisk();
  listed->Answer();
  season_.Ask("LB.HIDE lb nobody");
  EXPECT_EQ(season_.Instances("lb"), "day:2026-11-13=0* day:2026-11-12=1!");
}

TEST_F(PeriodTurns, KeptInstancesStayReadableWithFullRanks) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all KEEP 2 GRACE 10m"));
  for (int i = 0; i < 50; ++i) {
    season_.Ask("LB.SUBMIT lb m" + std::to_string(i) + " " + std::to_string(i % 7));
  }
  season_.Ask("LB.SUBMIT lb ann 3");
  const std::string reads = season_.ReadAll("lb@day:2026-11-12");
  for (int day = 1; day <= 2; ++day) {
    season_.Move(kDay);
    season_.Ask("LB.SUBMIT lb ann " + std::to_string(day));
    season_.Tick();
    EXPECT_EQ(season_.ReadAll("lb@day:2026-11-12"), reads);
    EXPECT_EQ(season_.ReadAll("lb@day:-" + std::to_string(day)), reads);
  }
  // Just before the third turn + GRACE.
  season_.SetTime("2026-11-15T00:09:59.999999Z");
  season_.Tick();
  EXPECT_EQ(season_.ReadAll("lb@day:2026-11-12"), reads);
  season_.Move(kMicros);
  EXPECT_EQ(season_.Code("LB.TOP lb@day:2026-11-12 5"), "NOBOARD");
  EXPECT_EQ(season_.Ask("EXISTS lb@day:2026-11-12"), "0");
  season_.Tick();
  EXPECT_EQ(season_.Instances("lb"),
            "day:2026-11-15=0* day:2026-11-14=1! day:2026-11-13=1! all=51*");
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:ann=2");
  EXPECT_EQ(season_.Top("lb@day:-2"), "1:ann=1");
  EXPECT_EQ(season_.Code("LB.TOP lb@day:-3 5"), "NOBOARD");
  for (const Ending ending : kEndings) {
    season_.Restart(ending);
    EXPECT_EQ(season_.Code("LB.TOP lb@day:2026-11-12 5"), "NOBOARD");
    EXPECT_EQ(season_.Top("lb@day:-2"), "1:ann=1");
  }
}

TEST_F(PeriodTurns, KeepCountsCalendarInstancesWithOrWithoutWrites) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 1 day"));
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Move(kDay);
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:ann=1");
  season_.Move(kDay);
  EXPECT_EQ(season_.Top("lb@day:-1"), "");
  EXPECT_EQ(season_.Code("LB.TOP lb@day:2026-11-12 5"), "NOBOARD");

  ASSERT_EQ(season_.Ask("LB.CREATE none PERIODS 1 day KEEP 0"), "OK");
  season_.Ask("LB.SUBMIT none ann 1");
  season_.Move(kDay);
  EXPECT_EQ(season_.Ask("EXISTS none"), "0");
  EXPECT_EQ(season_.Code("LB.TOP none@day:2026-11-14 5"), "NOBOARD");
}

TEST_F(PeriodTurns, AlterAppliesToAllInstances) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all KEEP 3 POLICY set"));
  for (int day = 0; day < 4; ++day) {
    if (day > 0) season_.Move(kDay);
    season_.Ask("LB.MSUBMIT lb 3 a 1 b 2 c 3");
  }
  ASSERT_EQ(season_.Ask("LB.ALTER lb CAP 2"), "OK");
  for (const char* name : {"lb@day", "lb@day:-1", "lb@day:-3", "lb@all"}) {
    EXPECT_EQ(season_.Top(name), "1:c=3 2:b=2") << name;
  }
  ASSERT_EQ(season_.Ask("LB.ALTER lb POLICY best"), "OK");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb c 1"), "not-best 1->1 3->3 all(not-best 1->1 3->3)");
  ASSERT_EQ(season_.Ask("LB.ALTER lb KEEP 1"), "OK");
  season_.Tick();
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:c=3 2:b=2");
  EXPECT_EQ(season_.Code("LB.TOP lb@day:-2 5"), "NOBOARD");
  EXPECT_EQ(season_.Code("LB.TOP lb@day:2026-11-13 5"), "NOBOARD");
  ASSERT_EQ(season_.Ask("LB.ALTER lb KEEP 2"), "OK");
  season_.Move(kDay);
  EXPECT_EQ(season_.Top("lb@day:-2"), "1:c=3 2:b=2");
  const std::string late = "LB.SUBMIT lb b 9 AT 2026-11-15T23:00:00Z";
  EXPECT_EQ(season_.Top("lb@day:2026-11-15"), "1:c=3 2:b=2");
  EXPECT_EQ(season_.Code(late), "CLOSED");

  // A longer GRACE does not reopen a closed instance, but applies to the next one.
  ASSERT_EQ(season_.Ask("LB.ALTER lb GRACE 13h"), "OK");
  season_.Move(kDay);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb b 9 AT 2026-11-16T23:00:00Z"),
            "accepted nil->1 nil->9 all(accepted 2->1 2->9)");
  season_.Restart(Ending::kKilled);
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:b=9");
}

TEST_F(PeriodTurns, WindowOfTheBoardAppliesToItsInstances) {
  ASSERT_NO_FATAL_FAILURE(
      Create("PERIODS 2 day all START 2026-11-12T06:00:00Z END 2026-11-13T06:00:00Z EXPIRE 2d"));
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann 1 AT 2026-11-12T05:00:00Z"), "CLOSED");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1"),
            "accepted nil->1 nil->1 all(accepted nil->1 nil->1)");
  season_.SetTime("2026-11-13T06:00:00Z");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann 2"), "CLOSED");
  EXPECT_EQ(season_.Ask("LB.REMOVE lb nobody"), "0");
  EXPECT_EQ(season_.Top("lb@day:-1"), "1:ann=1");
  season_.SetTime("2026-11-15T06:00:00Z");
  season_.Tick();
  for (const char* name : {"lb", "lb@all", "lb@day:-1"}) {
    EXPECT_EQ(season_.Code("LB.SIZE " + std::string(name)), "NOBOARD") << name;
  }
  EXPECT_EQ(season_.engine().Measure().boards->all, 0U);
}

TEST_F(PeriodTurns, EveryReadIsTheSameAfterARestart) {
  for (const Ending ending : kEndings) {
    SCOPED_TRACE(EndingName(ending));
    Season season(kNoon);
    ASSERT_EQ(season.Ask("LB.CREATE lb PERIODS 5 all hour day week month KEEP 3 GRACE 5m "
                         "TZ Europe/Berlin TURN 03:00 POLICY sum"),
              "OK");
    for (int i = 0; i < 40; ++i) {
      season.Move(7 * kHour);
      season.Ask("LB.SUBMIT lb ann " + std::to_string(i) + " META x" + std::to_string(i));
      season.Ask("LB.MSUBMIT lb 2 bob 1 m" + std::to_string(i) + " 5");
      if (i % 5 == 0) season.Ask("LB.HIDE lb m" + std::to_string(i));
      if (i == 20) season.Ask("SAVE");
    }
    season.Tick();
    const std::string before = season.ReadAllPeriods("lb");
    season.Restart(ending);
    EXPECT_EQ(season.ReadAllPeriods("lb"), before);
    season.Tick();
    EXPECT_EQ(season.ReadAllPeriods("lb"), before);
  }
}

TEST_F(PeriodTurns, WriteBreaksTheWatchOfAnyNameItChanges) {
  for (const char* name : {"lb", "lb@day", "lb@week"}) {
    SCOPED_TRACE(name);
    season_.Ask("LB.DROP lb");
    ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day week"));
    TestClient client;
    season_.Begin(&client, {"WATCH " + std::string(name)})->Answer();
    season_.Ask("LB.SUBMIT lb ann 1");
    EXPECT_EQ(season_.Begin(&client, {"ZCARD lb"}, true)->Answer().Plain(), "nil");
  }
}

TEST_F(PeriodTurns, WatchOfAnInstanceIsBrokenByItsOwnChangesOnly) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all"));
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Move(kDay);
  season_.Ask("LB.SUBMIT lb ann 1");
  TestClient past;
  season_.Begin(&past, {"WATCH lb@day:-1"})->Answer();
  season_.Ask("LB.SUBMIT lb bob 1");
  EXPECT_EQ(season_.Begin(&past, {"ZCARD lb@day:-1"}, true)->Answer().Plain(), "[1]");
  season_.Begin(&past, {"WATCH lb@day:-1"})->Answer();
  season_.Ask("ZREM lb ann");
  EXPECT_EQ(season_.Begin(&past, {"ZCARD lb@day:-1"}, true)->Answer().Plain(), "nil");
  // The same instance under another of its names.
  season_.Begin(&past, {"WATCH lb@day"})->Answer();
  season_.Ask("LB.REMOVE lb@day:2026-11-13 bob");
  EXPECT_EQ(season_.Begin(&past, {"ZCARD lb"}, true)->Answer().Plain(), "nil");
  season_.Begin(&past, {"WATCH lb"})->Answer();
  season_.Ask("LB.SUBMIT lb bob 1");
  EXPECT_EQ(season_.Begin(&past, {"ZCARD lb"}, true)->Answer().Plain(), "nil");
}

TEST_F(PeriodTurns, WriteServesBlockedPopsOfInstances) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all"));
  TestClient first;
  TestClient second;
  const auto day = season_.Begin(&first, {"BZPOPMIN lb@day 0"});
  const auto all = season_.Begin(&second, {"BZPOPMAX other lb@all 0"});
  EXPECT_FALSE(day->answered());
  EXPECT_FALSE(all->answered());
  season_.Ask("LB.MSUBMIT lb 2 ann 1 bob 2");
  EXPECT_EQ(day->Answer().Plain(), "[lb@day ann 1]");
  EXPECT_EQ(all->Answer().Plain(), "[lb@all bob 2]");
  EXPECT_EQ(season_.Top("lb@day"), "1:bob=2");
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=1");
}

// `lb@day` means the current day, also for a client that has been blocked since the day before.
TEST_F(PeriodTurns, BlockedPopIsServedByTheInstanceAfterATurn) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all"));
  TestClient waits;
  const auto popped = season_.Begin(&waits, {"BZPOPMIN lb@day 0"});
  season_.SetTime(kMidnight);
  season_.Tick();
  season_.Ask("LB.SUBMIT lb ann 1");
  season_.Ask("ZADD other 1 x");  // waits until all earlier effects are durable
  const bool answered = popped->answered();
  EXPECT_TRUE(answered);
  if (!answered) season_.engine().Cancel(popped.get(), engine::Wakeup::kTimeout);
  popped->Answer();
  EXPECT_EQ(season_.Top("lb@day"), "");
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=1");
}

TEST_F(PeriodTurns, WriteAfterATurnBreaksAnEarlierWatch) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all"));
  for (const char* name : {"lb@day", "lb", "lb@all"}) {
    SCOPED_TRACE(name);
    season_.Ask("LB.SUBMIT lb ann 1");
    TestClient watches;
    season_.Begin(&watches, {"WATCH " + std::string(name)})->Answer();
    season_.Move(kDay);
    season_.Ask("LB.SUBMIT lb ann 2");
    season_.Ask("LB.SUBMIT lb ann 1");
    EXPECT_EQ(season_.Begin(&watches, {"ZCARD lb@day"}, true)->Answer().Plain(), "nil");
  }
}

TEST_F(PeriodTurns, PeriodsWorkInsideATransaction) {
  ASSERT_NO_FATAL_FAILURE(Create("PERIODS 2 day all"));
  ASSERT_EQ(season_.Ask("LB.CREATE other PERIODS 1 hour"), "OK");
  EXPECT_EQ(season_.Exec({"ZADD lb 1 ann", "ZADD lb@day 1 bob", "ZADD other 2 ann",
                          "ZRANGE lb@all 0 -1", "ZPOPMIN lb@day", "ZCARD lb", "ZCARD lb@all"}),
            "[1 " + season_.Ask("ZADD lb@day 1 bob") + " 1 [ann] [ann 1] 0 1]");
  for (const Ending ending : kEndings) {
    season_.Restart(ending);
    EXPECT_EQ(season_.Instances("lb"), "day:2026-11-12=0* all=1*");
    EXPECT_EQ(season_.Top("other"), "1:ann=2");
  }
}

}  // namespace
}  // namespace laurel::testing
