// How leaderboards of the library depend on time: windows, EXPIRE, request ids, periods, Advance;
// and how they are saved and restored.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/time_text.h"
#include "laurel/laurel.h"

namespace laurel {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;
constexpr std::int64_t kDay = 24 * kHour;
using Names = std::vector<std::string>;

Stamp Time(std::string_view text) { return base::ParseTime(text).value(); }

Names MembersOf(const Ranking& ranking) {
  Names members;
  for (const Entry& entry : ranking.Top(UINT64_MAX)) members.push_back(entry.member);
  return members;
}

template <typename T>
std::string CodeOf(const Result<T>& result) {
  return result.ok() ? "OK" : std::string(ErrorName(result.error().code));
}

class LibraryTest : public testing::Test {
 protected:
  // The moment of a write at now_, with `stamps` stamps taken from the clock.
  Moment Now(std::uint64_t stamps = 1) { return {now_, clock_.Take(now_, stamps)}; }
  static Spec WithPeriods(std::vector<Period> periods) {
    Spec spec;
    spec.periods = std::move(periods);
    return spec;
  }

  Stamp now_ = Time("2026-11-15T13:20:00Z");
  StampClock clock_;
  Boards boards_;
};

// Windows -----------------------------------------------------------------------------------------

TEST_F(LibraryTest, WriteOutsideTheWindowIsRefusedAndChangesNothing) {
  Spec spec;
  spec.start = now_;
  spec.end = now_ + kHour;
  spec.grace_us = kSecond;
  Board board = boards_.Create("event", spec).value();
  now_ -= 1;
  EXPECT_EQ(CodeOf(board.Submit("ann", {1}, Now())), "CLOSED");
  now_ += 1;
  EXPECT_TRUE(board.Submit("ann", {1}, Now()).ok());
  const Stamp in_time = now_ + kHour - 1;
  now_ += kHour;
  EXPECT_EQ(CodeOf(board.Submit("bob", {2}, Now())), "CLOSED");
  EXPECT_TRUE(board.Apply({.member = "bob", .score = {2}, .at = in_time}, Now()).ok()) << "GRACE";
  now_ += kSecond;
  EXPECT_EQ(CodeOf(board.Apply({.member = "cy", .score = {3}, .at = in_time}, Now())), "CLOSED");
  std::vector<Result<Verdict>> verdicts;
  board.ApplyBatch(std::vector<Write>{{.member = "cy", .score = {3}}}, Now(), &verdicts);
  EXPECT_EQ(CodeOf(verdicts[0]), "CLOSED");
  EXPECT_EQ(MembersOf(board), (Names{"bob", "ann"}));
  EXPECT_EQ(board.Remove(std::vector<std::string_view>{"bob"}), 1U) << "removals go on";
}

TEST_F(LibraryTest, ABatchRefusesRestoredEntriesWithoutTheirTime) {
  std::vector<Result<Verdict>> verdicts;
  for (const Spec& spec : {Spec(), Spec::SortedSet()}) {
    const bool is_set = spec.kind == BoardKind::kSortedSet;
    Board board = boards_.Create(is_set ? "set" : "lb", spec).value();
    Write write{.member = "ann", .score = {1}, .mode = WriteMode::kRestore};
    board.ApplyBatch({&write, 1}, Now(), &verdicts);
    EXPECT_FALSE(verdicts[0].ok());
    if (!is_set) continue;
    write.at = now_;
    board.ApplyBatch({&write, 1}, Now(), &verdicts);
    EXPECT_FALSE(verdicts[0].ok());
  }
}

TEST_F(LibraryTest, BoardIsGoneAfterItsExpireWhetherOrNotAdvanceWasCalled) {
  Spec spec;
  spec.end = now_ + kHour;
  spec.expire_us = kDay;
  Board board = boards_.Create("event", spec).value();
  ASSERT_TRUE(board.Submit("ann", {1}, Now()).ok());
  EXPECT_EQ(boards_.Due(), now_ + kHour + kDay);
  now_ += kHour + kDay - 1;
  EXPECT_TRUE(boards_.Find("event", now_).has_value());
  EXPECT_TRUE(board.Present(now_).ok());
  now_ += 1;
  EXPECT_FALSE(boards_.Find("event", now_).has_value());
  EXPECT_EQ(boards_.List("", SIZE_MAX, now_), Names{});
  EXPECT_EQ(CodeOf(board.Present(now_)), "NOBOARD");
  EXPECT_EQ(CodeOf(board.Submit("ann", {1}, Now())), "NOBOARD");
  EXPECT_EQ(CodeOf(board.ApplyAll(std::vector<Write>{{.member = "a", .score = {1}}}, Now())),
            "NOBOARD");
  EXPECT_EQ(CodeOf(board.SetMeta("ann", "x", now_)), "NOBOARD");
  EXPECT_EQ(boards_.size(), 1U);
  const Advanced advanced = boards_.Advance(now_);
  EXPECT_EQ(advanced.ended, Names{"event"});
  EXPECT_FALSE(advanced.more);
  EXPECT_EQ(boards_.size(), 0U);
  EXPECT_EQ(boards_.Due(), INT64_MAX);
}

TEST_F(LibraryTest, CreateReplacesABoardAfterItsExpire) {
  Spec spec;
  spec.expire_us = kHour;
  Board board = boards_.Create("daily", spec).value();
  ASSERT_TRUE(board.Submit("ann", {1}, Now()).ok());
  now_ += kHour;
  Board fresh = boards_.Create(board.name(), Spec(), now_).value();
  EXPECT_EQ(fresh.size(), 0U);
  EXPECT_EQ(fresh.spec(), Spec());
  EXPECT_EQ(fresh.name(), "daily");
  EXPECT_EQ(boards_.Due(), INT64_MAX);
}

TEST_F(LibraryTest, ExpireWithoutEndCountsFromTheLastAcceptedWrite) {
  Spec spec;
  spec.expire_us = kHour;
  Board board = boards_.Create("daily", spec).value();
  EXPECT_EQ(boards_.Due(), INT64_MAX) << "it has no write yet";
  std::vector<Result<Verdict>> verdicts;
  board.ApplyBatch(std::vector<Write>{{.member = "ann", .score = {3}}}, Now(), &verdicts);
  EXPECT_EQ(boards_.Due(), now_ + kHour);
  for (int i = 0; i < 3; ++i) {
    now_ += kHour - 1;
    ASSERT_TRUE(board.Submit("ann", {i}, Now()).ok());
    EXPECT_TRUE(boards_.Advance(now_ + 1).ended.empty());
    EXPECT_TRUE(boards_.Find("daily", now_ + kHour - 1).has_value());
  }
  EXPECT_EQ(boards_.Due(), now_ + kHour);
  EXPECT_EQ(boards_.Advance(now_ + kHour).ended, Names{"daily"});
}

// Request ids -------------------------------------------------------------------------------------

TEST_F(LibraryTest, RetryChangesNothingAndGetsTheFirstVerdict) {
  Spec spec;
  spec.policy = Policy::kSum;
  Board board = boards_.Create("points", spec).value();
  const WriteVerdict first = board.Submit("ann", {10}, Now(), {.id = "r1"}).value();
  EXPECT_FALSE(first.duplicate);
  ASSERT_TRUE(board.Submit("bob", {20}, Now()).ok());
  WriteVerdict retry = board.Submit("ann", {10}, Now(), {.id = "r1"}).value();
  EXPECT_TRUE(retry.duplicate);
  EXPECT_EQ(retry.rank, 1U) << "as it was then";
  retry.duplicate = false;
  EXPECT_EQ(retry, first);
  EXPECT_EQ(board.Get("ann")->score, Score{10});
  EXPECT_EQ(board.Describe(now_).ids, 1U);
  EXPECT_EQ(CodeOf(board.Submit("ann", {11}, Now(), {.id = "r1"})), "REUSED");
  EXPECT_EQ(board.Set("ann", {10}, Now(), {.id = "r1"}).error().message,
            "id 'r1' was used for another write at " + base::FormatIsoTime(now_) +
                ": accepted, rank 1, score 10");
  EXPECT_EQ(CodeOf(board.Submit("ann", {1}, Now(), {.id = ""})), "LIMIT");
}

TEST_F(LibraryTest, OneIdCoversAllWritesOfACall) {
  Board board = boards_.Create("points").value();
  const std::vector<Write> writes = {
      {.member = "ann", .score = {1}, .mode = WriteMode::kIncrement},
      {.member = "bob", .score = {2}, .mode = WriteMode::kIncrement}};
  ASSERT_FALSE(board.ApplyAll(writes, Now(2), {.id = "r"}).value()[1].duplicate);
  const std::vector<WriteVerdict> retry = board.ApplyAll(writes, Now(2), {.id = "r"}).value();
  ASSERT_EQ(retry.size(), 2U);
  EXPECT_TRUE(retry[0].duplicate && retry[1].duplicate);
  EXPECT_EQ(board.Get("bob")->score, Score{2});
  EXPECT_EQ(CodeOf(board.ApplyAll({writes.data(), 1}, Now(), {.id = "r"})), "REUSED");
}

TEST_F(LibraryTest, IdsAreForgottenByCountByAgeAndByAdvance) {
  Spec spec;
  spec.dedup = 2;
  Board board = boards_.Create("points", spec).value();
  for (const char* id : {"1", "2", "3"}) {
    ASSERT_TRUE(board.Increment("ann", {1}, Now(), {.id = id}).ok());
  }
  EXPECT_FALSE(board.Increment("ann", {1}, Now(), {.id = "1"})->duplicate);
  EXPECT_TRUE(board.Increment("ann", {1}, Now(), {.id = "3"})->duplicate);
  EXPECT_EQ(boards_.Due(), now_ + kDay);
  now_ += kDay;
  EXPECT_FALSE(boards_.Advance(now_, 1).ended.size() > 0);
  EXPECT_LE(boards_.Due(), now_) << "one was forgotten, and one is left";
  EXPECT_FALSE(boards_.Advance(now_).more);
  EXPECT_EQ(board.Describe(now_).ids, 0U);
  EXPECT_EQ(boards_.Due(), INT64_MAX);
  EXPECT_FALSE(board.Increment("ann", {1}, Now(), {.id = "3"})->duplicate);
  spec.dedup = 0;
  ASSERT_TRUE(board.Alter(spec, now_).ok());
  EXPECT_EQ(CodeOf(board.Increment("ann", {1}, Now(), {.id = "4"})), "ERR");
}

// Periods -----------------------------------------------------------------------------------------

TEST_F(LibraryTest, OneSubmitGoesToTheInstanceOfEveryPeriod) {
  Board board = boards_.Create("arena", WithPeriods({Period::kDay, Period::kAll})).value();
  ASSERT_TRUE(board.Submit("ann", {10}, Now()).ok());
  now_ += kDay;
  const WriteVerdict verdict = board.Submit("bob", {5}, Now()).value();
  EXPECT_EQ(verdict.rank, 1U) << "of the first period";
  ASSERT_EQ(verdict.periods.size(), 2U);
  EXPECT_EQ(verdict.periods[0].period, Period::kDay);
  EXPECT_EQ(verdict.periods[1].period, Period::kAll);
  EXPECT_EQ(verdict.periods[1].verdict.rank, 2U);
  EXPECT_EQ(MembersOf(board.InPeriod("day", now_).value()), Names{"bob"});
  EXPECT_EQ(MembersOf(board.InPeriod("day:-1", now_).value()), Names{"ann"});
  EXPECT_EQ(MembersOf(board.InPeriod("day:2026-11-15", now_).value()), Names{"ann"});
  EXPECT_EQ(MembersOf(board.InPeriod("all", now_).value()), (Names{"ann", "bob"}));
  EXPECT_EQ(MembersOf(board.Present(now_).value()), Names{"bob"});
  EXPECT_EQ(board.size(), 0U) << "the board itself has no entries";
  EXPECT_EQ(board.Describe(now_).size, 1U);
  EXPECT_EQ(board.Validate(), "");
}

TEST_F(LibraryTest, DayTurnsWithoutACallOfAdvance) {
  Board board = boards_.Create("arena", WithPeriods({Period::kDay})).value();
  ASSERT_TRUE(board.Submit("ann", {10}, Now()).ok());
  now_ = Time("2026-11-16T00:00:00Z");
  EXPECT_EQ(board.Present(now_)->size(), 0U);
  EXPECT_EQ(MembersOf(board.InPeriod("day:-1", now_).value()), Names{"ann"});
  const Write late{.member = "bob", .score = {20}, .at = now_ - 1};
  EXPECT_EQ(CodeOf(board.Apply(late, Now())), "CLOSED");
  now_ += kDay;  // KEEP 1
  EXPECT_EQ(CodeOf(board.InPeriod("day:2026-11-15", now_)), "NOBOARD");
  const std::vector<PeriodInfo> periods = board.Periods(now_);
  ASSERT_EQ(periods.size(), 1U);
  EXPECT_EQ(periods[0].instance.label, "2026-11-17");
  EXPECT_TRUE(periods[0].present);
}

TEST_F(LibraryTest, SelectorsOfUnknownInstancesAnswerNoBoard) {
  Board board = boards_.Create("arena", WithPeriods({Period::kDay})).value();
  Board plain = boards_.Create("plain").value();
  Board set = boards_.Create("set", Spec::SortedSet()).value();
  for (const char* selector : {"week", "day:", "day:2026-02-30", "day:-2", "Day", "", "nonsense"}) {
    EXPECT_EQ(CodeOf(board.InPeriod(selector, now_)), "NOBOARD") << selector;
  }
  EXPECT_EQ(CodeOf(plain.InPeriod("day", now_)), "NOBOARD");
  EXPECT_EQ(CodeOf(set.InPeriod("day", now_)), "NOBOARD");
  EXPECT_TRUE(plain.Periods(now_).empty());
  EXPECT_TRUE(set.Periods(now_).empty());
  EXPECT_EQ(board.InPeriod("day", now_)->size(), 0U) << "the instance has no writes yet";
}

TEST_F(LibraryTest, ZoneWithoutACalendarIsRefused) {
  Spec spec = WithPeriods({Period::kDay});
  spec.zone = "Asia/Shanghai";
  const Result<Board> refused = boards_.Create("arena", spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("'Asia/Shanghai'"), std::string::npos);
  EXPECT_EQ(boards_.size(), 0U);
}

TEST_F(LibraryTest, LateWriteWithinGraceGoesToThePreviousInstance) {
  Spec spec = WithPeriods({Period::kDay});
  spec.grace_us = kHour;
  Board board = boards_.Create("arena", spec).value();
  const Stamp midnight = Time("2026-11-16T00:00:00Z");
  now_ = midnight + kHour - 1;
  const Write late{.member = "ann", .score = {1}, .at = midnight - 1};
  ASSERT_TRUE(board.Apply(late, Now()).ok());
  EXPECT_EQ(MembersOf(board.InPeriod("day:-1", now_).value()), Names{"ann"});
  EXPECT_FALSE(board.Periods(now_)[1].closed);
  now_ += 1;
  EXPECT_EQ(CodeOf(board.Apply(late, Now())), "CLOSED");
  EXPECT_TRUE(board.Periods(now_)[1].closed) << "before anybody has called Advance";
}

TEST_F(LibraryTest, ApplyAllOnABoardWithPeriodsNeedsOneTimeForAllWrites) {
  Spec spec = WithPeriods({Period::kDay});
  spec.grace_us = kDay;
  Board board = boards_.Create("arena", spec).value();
  std::vector<Write> writes = {{.member = "ann", .score = {1}, .at = now_ - kDay},
                               {.member = "bob", .score = {2}}};
  EXPECT_EQ(CodeOf(board.ApplyAll(writes, Now(2))), "ERR");
  EXPECT_TRUE(board.Periods(now_).size() == 1 && board.Present(now_)->size() == 0);
  writes[1].at = writes[0].at;
  EXPECT_TRUE(board.ApplyAll(writes, Now(2)).ok());
  EXPECT_EQ(board.InPeriod("day:-1", now_)->size(), 2U);
  std::vector<Result<Verdict>> verdicts;
  writes[0].at.reset();
  board.ApplyBatch(writes, Now(2), &verdicts);
  EXPECT_EQ(MembersOf(board.Present(now_).value()), Names{"ann"}) << "each on its own";
}

TEST_F(LibraryTest, HideShowRemoveAndClearActOnEveryInstance) {
  Board board = boards_.Create("arena", WithPeriods({Period::kDay, Period::kWeek})).value();
  const std::vector<std::string_view> ann = {"ann"};
  ASSERT_TRUE(board.Submit("ann", {10}, Now()).ok());
  ASSERT_TRUE(board.Submit("bob", {5}, Now()).ok());
  EXPECT_EQ(board.Hide(ann).value(), 1U);
  EXPECT_EQ(MembersOf(board.InPeriod("day", now_).value()), Names{"bob"});
  EXPECT_EQ(MembersOf(board.InPeriod("week", now_).value()), Names{"bob"});
  now_ += kDay;
  EXPECT_TRUE(board.Submit("ann", {7}, Now())->hidden) << "in instances to come as well";
  EXPECT_EQ(board.Show(ann).value(), 1U);
  EXPECT_EQ(MembersOf(board.InPeriod("day", now_).value()), Names{"ann"});
  EXPECT_EQ(board.Remove(ann), 1U);
  EXPECT_EQ(board.InPeriod("day", now_)->size(), 0U);
  EXPECT_EQ(MembersOf(board.InPeriod("day:-1", now_).value()), Names{"bob"});
  EXPECT_EQ(board.Clear(), 2U) << "the day before, and the week";
  EXPECT_EQ(board.Validate(), "");
}

TEST_F(LibraryTest, PopAndTrimNeedAnInstance) {
  Board board = boards_.Create("arena", WithPeriods({Period::kDay, Period::kAll})).value();
  for (const char* member : {"ann", "bob", "cy"}) {
    ASSERT_TRUE(board.Submit(member, {1}, Now()).ok());
  }
  EXPECT_EQ(CodeOf(board.Pop(1, Board::End::kBest)), "ERR");
  EXPECT_EQ(CodeOf(board.Trim(1)), "ERR");
  BoardInstance day = board.InPeriod("day", now_).value();
  EXPECT_EQ(day.instance().label, "2026-11-15");
  EXPECT_TRUE(day.SetMeta("bob", "blue").value());
  EXPECT_EQ(day.Pop(1, Board::End::kWorst).value()[0].member, "cy");
  EXPECT_EQ(day.Trim(1).value(), 1U);
  EXPECT_EQ(MembersOf(day), Names{"ann"});
  EXPECT_EQ(day.Clear().value(), 1U);
  BoardInstance all = board.InPeriod("all", now_).value();
  EXPECT_EQ(MembersOf(all), (Names{"ann", "bob", "cy"}));
  EXPECT_EQ(all.Get("bob")->meta, "") << "the meta of the day's entry is its own";
  EXPECT_EQ(all.Remove(std::vector<std::string_view>{"ann", "eve"}).value(), 1U);
  EXPECT_EQ(board.InPeriod("day", now_)->size(), 0U);
}

TEST_F(LibraryTest, AlterChangesKeepAndRefusesPeriods) {
  Spec spec = WithPeriods({Period::kDay});
  Board board = boards_.Create("arena", spec).value();
  ASSERT_TRUE(board.Submit("ann", {1}, Now()).ok());
  now_ += 2 * kDay;
  EXPECT_EQ(CodeOf(board.InPeriod("day:-2", now_)), "NOBOARD");
  spec.keep = 2;
  ASSERT_TRUE(board.Alter(spec, now_).ok());
  EXPECT_EQ(MembersOf(board.InPeriod("day:-2", now_).value()), Names{"ann"});
  spec.periods = {Period::kWeek};
  EXPECT_EQ(CodeOf(board.Alter(spec, now_)), "ERR");
  EXPECT_EQ(board.spec().periods, std::vector{Period::kDay});
}

// Advance -----------------------------------------------------------------------------------------

TEST_F(LibraryTest, AdvanceAnnouncesEachInstanceOnceWhenItIsOver) {
  Spec spec = WithPeriods({Period::kDay, Period::kAll});
  spec.grace_us = kHour;
  Board board = boards_.Create("arena", spec).value();
  ASSERT_TRUE(board.Submit("ann", {10}, Now()).ok());
  ASSERT_TRUE(board.Submit("bob", {20}, Now()).ok());
  const Stamp midnight = Time("2026-11-16T00:00:00Z");
  EXPECT_TRUE(boards_.Advance(now_).closed.empty());
  EXPECT_EQ(boards_.Due(), midnight);
  EXPECT_TRUE(boards_.Advance(midnight + kHour - 1).closed.empty());
  EXPECT_EQ(boards_.Due(), midnight + kHour);
  now_ = midnight + 30 * kHour;  // late
  const Advanced advanced = boards_.Advance(now_);
  ASSERT_EQ(advanced.closed.size(), 1U);
  const ClosedPeriod& closed = advanced.closed[0];
  EXPECT_EQ(closed.board, "arena");
  EXPECT_EQ(closed.instance.label, "2026-11-15");
  EXPECT_EQ(closed.instance.end, midnight);
  EXPECT_EQ(closed.size, 2U);
  ASSERT_EQ(closed.top.size(), 2U);
  EXPECT_EQ(closed.top[0].member, "bob");
  EXPECT_EQ(closed.top[1].score, Score{10});
  EXPECT_EQ(closed.top[1].rank, 2U);
  EXPECT_GT(boards_.Due(), now_);
  EXPECT_TRUE(boards_.Advance(now_).closed.empty());
  EXPECT_EQ(board.InPeriod("all", now_)->size(), 2U);
}

TEST_F(LibraryTest, LateAdvanceClosesInstancesBeforeItDropsThem) {
  base::CountingMemory memory(base::SystemMemory());
  Boards boards(&memory);
  Board board = boards.Create("arena", WithPeriods({Period::kHour})).value();
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < 200; ++k) {
      ASSERT_TRUE(board.Submit("member" + std::to_string(k), {k}, Now()).ok());
    }
    now_ += kHour;
  }
  const auto before = memory.bytes_in_use();
  now_ += kDay;
  std::size_t closed = 0;
  int calls = 0;
  for (bool more = true; more; ++calls) {
    const Advanced advanced = boards.Advance(now_, 3);
    for (const ClosedPeriod& period : advanced.closed) {
      EXPECT_EQ(period.size, 200U);
      EXPECT_EQ(period.top.size(), 100U);
      EXPECT_FALSE(period.instance.label.empty());
    }
    closed += advanced.closed.size();
    more = advanced.more;
  }
  EXPECT_EQ(closed, 10U);
  EXPECT_GT(calls, 5) << "ten closed and ten dropped, three at a time";
  while (boards.Reclaim(1000)) {
  }
  EXPECT_LT(memory.bytes_in_use(), before / 5);
  const Stamp next_hour = Time("2026-11-17T00:00:00Z");
  EXPECT_EQ(boards.Due(), next_hour);
  ASSERT_TRUE(board.Submit("ann", {1}, Now()).ok());
  EXPECT_EQ(boards.Due(), next_hour);
}

TEST_F(LibraryTest, AdvanceSkipsADroppedBoardAndFollowsARenamedOne) {
  Board board = boards_.Create("arena", WithPeriods({Period::kDay})).value();
  ASSERT_TRUE(board.Submit("ann", {1}, Now()).ok());
  Board other = boards_.Create("other", WithPeriods({Period::kDay})).value();
  ASSERT_TRUE(other.Submit("bob", {1}, Now()).ok());
  ASSERT_TRUE(boards_.Drop("arena"));
  ASSERT_TRUE(boards_.Rename("other", "renamed").ok());
  const Advanced advanced = boards_.Advance(now_ + kDay);
  ASSERT_EQ(advanced.closed.size(), 1U);
  EXPECT_EQ(advanced.closed[0].board, "renamed");
}

// The hour that the clock goes back from has no writes.
TEST_F(LibraryTest, ClockThatStepsBackDoesNotUndoATurn) {
  Board written = boards_.Create("written", WithPeriods({Period::kHour, Period::kAll})).value();
  Board empty = boards_.Create("empty", WithPeriods({Period::kHour})).value();
  ASSERT_TRUE(written.Submit("ann", {1}, Now()).ok());
  now_ += 3 * kHour;
  ASSERT_LE(boards_.Due(), now_);
  EXPECT_EQ(boards_.Advance(now_).closed.size(), 1U);
  EXPECT_EQ(boards_.Due(), Time("2026-11-15T17:00:00Z"));
  now_ -= 3 * kHour;
  Boards restored;
  for (Board board : {written, empty}) {
    Board copy = restored.Restore(board.name(), board.Save(), now_).value();
    for (Board one : {board, copy}) {
      EXPECT_EQ(one.Periods(now_)[0].instance.label, "2026-11-15T16+0000") << one.name();
      ASSERT_TRUE(one.Submit("bob", {2}, Now()).ok());
      EXPECT_EQ(MembersOf(one.InPeriod("hour:2026-11-15T16+0000", now_).value()), Names{"bob"});
    }
  }
}

// Saving ------------------------------------------------------------------------------------------

TEST_F(LibraryTest, RestoredBoardHasTheSameStateAndRecognizesRetries) {
  Spec spec = WithPeriods({Period::kDay, Period::kWeek});
  spec.policy = Policy::kSum;
  Board board = boards_.Create("arena", spec).value();
  boards_.Advance(now_);
  for (int i = 0; i < 300; ++i) {
    const std::string id = "r" + std::to_string(i);
    ASSERT_TRUE(board.Submit("member" + std::to_string(i % 120), {i}, Now(), {.id = id}).ok());
    now_ += kHour / 10;
  }
  ASSERT_EQ(board.Hide(std::vector<std::string_view>{"member7", "eve"}).value(), 2U);
  const std::string saved = board.Save();

  Boards boards;
  Board copy = boards.Restore("copy", saved, now_).value();
  EXPECT_EQ(copy.Save().size(), saved.size());
  EXPECT_EQ(copy.Validate(), "");
  EXPECT_EQ(copy.last_stamp(), board.last_stamp());
  EXPECT_EQ(copy.Periods(now_), board.Periods(now_));
  EXPECT_EQ(boards.Due(), boards_.Due());
  EXPECT_TRUE(copy.Submit("member59", {299}, Now(), {.id = "r299"})->duplicate);
  for (const char* selector : {"day", "day:-1", "week"}) {
    EXPECT_EQ(copy.InPeriod(selector, now_)->Top(UINT64_MAX),
              board.InPeriod(selector, now_)->Top(UINT64_MAX));
  }
  EXPECT_EQ(CodeOf(boards.Restore("copy", saved, now_)), "EXISTS");
  EXPECT_EQ(CodeOf(boards.Restore("a@b", saved, now_)), "ERR");
}

TEST_F(LibraryTest, SortedSetsAndBoardsWithoutPeriodsAreRestoredToo) {
  Board set = boards_.Create("set", Spec::SortedSet()).value();
  Board plain = boards_.Create("plain").value();
  for (int i = 0; i < 100; ++i) {
    const std::string member = std::to_string(i);
    ASSERT_TRUE(set.Set(member, Score::Double(i * 0.5), Now()).ok());
    ASSERT_TRUE(plain.Apply({.member = member, .score = {i}, .meta = "m"}, Now()).ok());
  }
  Boards boards;
  for (const Board& board : {set, plain}) {
    const Board copy = boards.Restore(board.name(), board.Save(), now_).value();
    EXPECT_EQ(copy.spec(), board.spec());
    EXPECT_EQ(copy.Top(UINT64_MAX), board.Top(UINT64_MAX));
    EXPECT_EQ(copy.Validate(), "");
  }
}

TEST_F(LibraryTest, DamagedBytesAreRefusedAndCreateNoBoard) {
  Board board = boards_.Create("arena", WithPeriods({Period::kDay})).value();
  ASSERT_TRUE(board.Submit("ann", {1}, Now()).ok());
  const std::string saved = board.Save();
  Boards boards;
  for (std::size_t i = 0; i < saved.size(); ++i) {
    std::string damaged = saved;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_EQ(CodeOf(boards.Restore("copy", damaged, now_)), "ERR") << i;
    EXPECT_EQ(CodeOf(boards.Restore("copy", saved.substr(0, i), now_)), "ERR") << i;
  }
  EXPECT_EQ(boards.size(), 0U);
}

}  // namespace
}  // namespace laurel
