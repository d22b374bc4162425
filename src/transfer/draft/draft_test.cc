#include "transfer/draft/draft.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/time_text.h"
#include "tests/support/seed.h"
#include "tests/transfer/listed_entries.h"

namespace laurel::transfer {
namespace {

using testing::ListedEntry;
using testing::ListEntries;

constexpr Stamp kNow = 1'794'804'800'000'000;
constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000;

// A row that owns its bytes.
struct OwnedRow {
  std::string member;
  std::vector<std::string> values;
  std::optional<Stamp> at;
  std::string meta;
  bool hidden = false;
  std::string instance;
};

Status AddTo(Draft* draft, const OwnedRow& row) {
  const std::vector<std::string_view> values(row.values.begin(), row.values.end());
  Row view;
  view.member = row.member;
  view.values = values;
  view.at = row.at;
  view.meta = row.meta;
  view.hidden = row.hidden;
  view.instance = row.instance;
  return draft->Add(view);
}

// Adds a row that must be accepted.
void Add(Draft* draft, const std::string& member, const std::string& value,
         std::optional<Stamp> at = std::nullopt, const std::string& meta = "") {
  const Status added = AddTo(draft, {member, {value}, at, meta, false, ""});
  ASSERT_TRUE(added.ok()) << added.error().ToString();
}

std::vector<std::string> Members(const Draft& draft) {
  std::vector<std::string> members;
  for (const ListedEntry& entry : ListEntries(draft)) members.push_back(entry.member);
  return members;
}

std::vector<Stamp> Stamps(const Draft& draft) {
  std::vector<Stamp> stamps;
  for (const ListedEntry& entry : ListEntries(draft)) stamps.push_back(entry.stamp);
  return stamps;
}

ListedEntry At(const Draft& draft, std::size_t i) { return ListEntries(draft).at(i); }

using Names = std::vector<std::string>;
using Times = std::vector<Stamp>;

Spec WithTie(Tie tie) {
  Spec spec;
  spec.tie = tie;
  return spec;
}

TEST(Draft, AnEmptyDraftHasNoEntries) {
  Draft draft(Spec{}, EqualRows::kAsAdded, 1);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(draft.size(), 0U);
  EXPECT_EQ(report.rows, 0U);
  EXPECT_FALSE(report.earliest.has_value());
  EXPECT_FALSE(report.all_values_equal);
  EXPECT_FALSE(report.all_times_equal);
}

TEST(Draft, EntriesStandBestFirstWithTheirTimesAsStamps) {
  Draft draft(Spec{}, EqualRows::kAsAdded, 1);
  Add(&draft, "ann", "10", 500);
  Add(&draft, "bob", "30", 700, "b");
  Add(&draft, "cid", "20", 600);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(Members(draft), (Names{"bob", "cid", "ann"}));
  EXPECT_EQ(Stamps(draft), (Times{700, 600, 500}));
  EXPECT_EQ(At(draft, 0).meta, "b");
  EXPECT_EQ(At(draft, 0).score, Score{30});
  EXPECT_EQ(report.earliest, 500);
  EXPECT_EQ(report.latest, 700);
  EXPECT_EQ(report.ties, 0U);
  EXPECT_FALSE(report.all_values_equal);
  EXPECT_FALSE(report.all_times_equal);
}

TEST(Draft, LatestRowReplacesTheOthersWhateverThePolicyIfTheSourceRepeatsRows) {
  for (const Policy policy : {Policy::kSet, Policy::kBest, Policy::kSum}) {
    Spec spec;
    spec.policy = policy;
    Draft draft(spec, EqualRows::kMemberDescending, 1'000'000, std::nullopt, std::nullopt,
                Folding::kLatest);
    Add(&draft, "ann", "30", 5'000'000);
    Add(&draft, "ann", "30", 5'000'000);
    Add(&draft, "bob", "20", 5'000'000);
    Add(&draft, "bob", "10", 6'000'000);
    draft.Finish(kNow);
    EXPECT_EQ(Members(draft), (Names{"ann", "bob"}));
    EXPECT_EQ(At(draft, 0).score, Score{30});
    EXPECT_EQ(At(draft, 1).score, Score{10});
  }
}

TEST(Draft, TheReportSaysIfAllValuesOrAllTimesAreEqual) {
  Draft draft(Spec{}, EqualRows::kAsAdded, 1);
  Add(&draft, "ann", "10", 500);
  Add(&draft, "bob", "10.0", 500);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_TRUE(report.all_values_equal);
  EXPECT_TRUE(report.all_times_equal);
  EXPECT_EQ(report.ties, 2U);
}

// Order of equal rows -----------------------------------------------------------------------------

TEST(Draft, UnderTieFirstEqualRowsGetRisingStampsInTheOrderShown) {
  Draft draft(WithTie(Tie::kFirst), EqualRows::kAsAdded, 1000);
  for (const char* member : {"cid", "ann", "bob"}) Add(&draft, member, "10", 5000);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(Members(draft), (Names{"cid", "ann", "bob"}));
  EXPECT_EQ(Stamps(draft), (Times{5000, 5001, 5002}));
  EXPECT_EQ(report.ties, 3U);
  EXPECT_EQ(report.crowded_ticks, 0U);
}

TEST(Draft, UnderTieLastEqualRowsGetFallingStampsInTheOrderShown) {
  Draft draft(WithTie(Tie::kLast), EqualRows::kAsAdded, 1000);
  for (const char* member : {"cid", "ann", "bob"}) Add(&draft, member, "10", 5000);
  draft.Finish(kNow);
  EXPECT_EQ(Members(draft), (Names{"cid", "ann", "bob"}));
  EXPECT_EQ(Stamps(draft), (Times{5002, 5001, 5000}));
}

TEST(Draft, UnderTieMemberEqualScoresAreInTheOrderOfMembersAndKeepTheirTimes) {
  Draft draft(WithTie(Tie::kMember), EqualRows::kMemberDescending, 1000);
  Add(&draft, "cid", "10", 5000);
  Add(&draft, "ann", "10", 5000);
  Add(&draft, "bob", "10", 4000);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(Members(draft), (Names{"ann", "bob", "cid"}));
  EXPECT_EQ(Stamps(draft), (Times{5000, 4000, 5000}));
  EXPECT_EQ(report.crowded_ticks, 0U);
}

TEST(Draft, RedisShowsEqualScoresByMemberDescending) {
  Draft draft(Spec{}, EqualRows::kMemberDescending, 1000);
  for (const char* member : {"ann", "cid", "bob"}) Add(&draft, member, "10", 5000);
  draft.Finish(kNow);
  EXPECT_EQ(Members(draft), (Names{"cid", "bob", "ann"}));
  EXPECT_EQ(Stamps(draft), (Times{5000, 5001, 5002}));
}

TEST(Draft, WithATickOfOneMicrosecondStampsStayWhereTheMemberKeepsTheOrder) {
  Draft draft(Spec{}, EqualRows::kAsAdded, 1);
  for (const char* member : {"ann", "bob", "cid"}) Add(&draft, member, "10", 5000);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(Members(draft), (Names{"ann", "bob", "cid"}));
  EXPECT_EQ(Stamps(draft), (Times{5000, 5000, 5000}));
  EXPECT_EQ(report.crowded_ticks, 0U);
}

TEST(Draft, WithATickOfOneMicrosecondStampsMoveWhereTheMemberWouldChangeTheOrder) {
  Draft draft(Spec{}, EqualRows::kAsAdded, 1);
  for (const char* member : {"bob", "ann", "cid"}) Add(&draft, member, "10", 5000);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(Members(draft), (Names{"bob", "ann", "cid"}));
  EXPECT_EQ(Stamps(draft), (Times{5000, 5001, 5001}));
  EXPECT_EQ(report.crowded_ticks, 1U);
}

TEST(Draft, ACrowdedTickKeepsTheOrderAndPushesTheNextTick) {
  Draft draft(Spec{}, EqualRows::kAsAdded, 2);
  Add(&draft, "late", "10", 12);
  for (const char* member : {"d", "c", "b", "a"}) Add(&draft, member, "10", 10);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(Members(draft), (Names{"d", "c", "b", "a", "late"}));
  EXPECT_EQ(Stamps(draft), (Times{10, 11, 12, 13, 14}));
  EXPECT_EQ(report.ties, 4U);
  EXPECT_EQ(report.crowded_ticks, 2U);
}

TEST(Draft, RowsWithoutTimesKeepTheirOrderAndGetNoStampAheadOfTheClock) {
  for (const Tie tie : {Tie::kFirst, Tie::kLast}) {
    Draft draft(WithTie(tie), EqualRows::kAsAdded, 1);
    for (const char* member : {"cid", "ann", "bob"}) Add(&draft, member, "10");
    const Draft::Report report = draft.Finish(kNow);
    EXPECT_EQ(Members(draft), (Names{"cid", "ann", "bob"}));
    const Times rising = {kNow - 3, kNow - 2, kNow - 1};
    EXPECT_EQ(Stamps(draft), tie == Tie::kFirst ? rising : Times(rising.rbegin(), rising.rend()));
    EXPECT_EQ(report.without_time, 3U);
    EXPECT_EQ(report.ties, 3U);
    EXPECT_FALSE(report.all_times_equal);
    EXPECT_EQ(report.crowded_ticks, 0U);
  }
}

// Folding -----------------------------------------------------------------------------------------

TEST(Draft, UnderPolicySetTheLatestRowOfAMemberStays) {
  Draft draft(Spec{}, EqualRows::kAsAdded, 1);
  Add(&draft, "ann", "10", 500, "old");
  Add(&draft, "ann", "5", 700, "new");
  Add(&draft, "ann", "90", 600, "between");
  Add(&draft, "bob", "1", 500);
  Add(&draft, "bob", "2", 500);
  Add(&draft, "cid", "7");
  Add(&draft, "cid", "8", 900);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(Members(draft), (Names{"cid", "ann", "bob"}));
  EXPECT_EQ(At(draft, 0).score, Score{7});
  EXPECT_EQ(At(draft, 1).score, Score{5});
  EXPECT_EQ(At(draft, 1).stamp, 700);
  EXPECT_EQ(At(draft, 1).meta, "new");
  EXPECT_EQ(At(draft, 2).score, Score{2});
  EXPECT_EQ(report.rows, 7U);
  EXPECT_EQ(report.folded, 4U);
}

TEST(Draft, UnderPolicyBestTheBestRowStaysAndOfEqualOnesTheEarliest) {
  Spec spec;
  spec.policy = Policy::kBest;
  spec.fields[0].direction = Direction::kAsc;
  Draft draft(spec, EqualRows::kAsAdded, 1);
  Add(&draft, "ann", "10", 500, "a");
  Add(&draft, "ann", "5", 700, "b");
  Add(&draft, "ann", "5", 600, "c");
  Add(&draft, "ann", "5", 600, "d");
  draft.Finish(kNow);
  EXPECT_EQ(At(draft, 0).score, Score{5});
  EXPECT_EQ(At(draft, 0).stamp, 600);
  EXPECT_EQ(At(draft, 0).meta, "c");
}

TEST(Draft, UnderPolicySumRowsAddUpExactly) {
  Spec spec;
  spec.policy = Policy::kSum;
  spec.fields[0].decimals = 2;
  Draft draft(spec, EqualRows::kAsAdded, 1);
  Add(&draft, "ann", "0.1", 500, "five");
  Add(&draft, "ann", "0.2", 900);
  Add(&draft, "ann", "0.05", 700, "seven");
  Add(&draft, "ann", "-1", 600, "six");
  draft.Finish(kNow);
  EXPECT_EQ(At(draft, 0).score, Score{-65});
  EXPECT_EQ(At(draft, 0).stamp, 900);
  EXPECT_EQ(At(draft, 0).meta, "seven");
}

TEST(Draft, ASumOutOfRangeIsRefusedAndChangesNothing) {
  Spec spec;
  spec.policy = Policy::kSum;
  Draft draft(spec, EqualRows::kAsAdded, 1);
  Add(&draft, "ann", "9223372036854775807", 500);
  const Status added = AddTo(&draft, {"ann", {"1"}, 900, "meta", true, ""});
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, ErrorCode::kOverflow);
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(report.rows, 1U);
  EXPECT_EQ(report.latest, 500);
  EXPECT_EQ(At(draft, 0).stamp, 500);
  EXPECT_EQ(At(draft, 0).meta, "");
  EXPECT_FALSE(At(draft, 0).hidden);
}

TEST(Draft, OperatorsFoldEachFieldByItself) {
  Spec spec;
  spec.fields = {{"points", 0, Direction::kDesc, Operator::kSum},
                 {"level", 0, Direction::kDesc, Operator::kMax},
                 {"fastest", 0, Direction::kAsc, Operator::kMin},
                 {"room", 0, Direction::kDesc, Operator::kSet}};
  Draft draft(spec, EqualRows::kAsAdded, 1);
  for (const OwnedRow& row : {OwnedRow{"ann", {"1", "5", "50", "7"}, 800, "", false, ""},
                              OwnedRow{"ann", {"2", "9", "70", "8"}, 900, "", true, ""},
                              OwnedRow{"ann", {"4", "6", "40", "9"}, 700, "", false, ""}}) {
    ASSERT_TRUE(AddTo(&draft, row).ok());
  }
  draft.Finish(kNow);
  ASSERT_EQ(draft.size(), 1U);
  EXPECT_EQ(At(draft, 0).score, (Score{7, 9, 40, 8}));
  EXPECT_EQ(At(draft, 0).stamp, 900);
  EXPECT_TRUE(At(draft, 0).hidden);
}

TEST(Draft, AHiddenRowWithoutValuesIsAMark) {
  Draft draft(Spec{}, EqualRows::kAsAdded, 1);
  ASSERT_TRUE(AddTo(&draft, {"ann", {}, std::nullopt, "", true, ""}).ok());
  ASSERT_TRUE(AddTo(&draft, {"bob", {}, std::nullopt, "", true, ""}).ok());
  EXPECT_FALSE(AddTo(&draft, {"bob", {}, std::nullopt, "", false, ""}).ok());
  Add(&draft, "bob", "5");
  Add(&draft, "cid", "6");
  EXPECT_EQ(draft.Finish(kNow).rows, 2U);
  EXPECT_EQ(Members(draft), (Names{"cid", "bob"}));
  EXPECT_FALSE(At(draft, 0).hidden);
  EXPECT_TRUE(At(draft, 1).hidden);
  EXPECT_TRUE(draft.board().marks()->Has("ann"));
}

// Refusals ----------------------------------------------------------------------------------------

TEST(Draft, RefusesARowThatTheBoardCouldNotHold) {
  Spec spec;
  spec.periods = {Period::kDay, Period::kAll};
  Draft draft(spec, EqualRows::kAsAdded, 1, std::nullopt, kNow);
  const auto refusal = [&](const OwnedRow& row) {
    const Status added = AddTo(&draft, row);
    return added.ok() ? "" : added.error().ToString();
  };
  EXPECT_EQ(refusal({std::string(kMaxMemberBytes, 'm'), {"1"}, 1, "", false, ""}), "");
  EXPECT_TRUE(refusal({std::string(kMaxMemberBytes + 1, 'm'), {"1"}, 1, "", false, ""})
                  .starts_with("LIMIT member"));
  EXPECT_EQ(refusal({"a", {"1"}, 1, std::string(kMaxMetaBytes, 'm'), false, ""}), "");
  EXPECT_EQ(refusal({"a", {"1"}, 1, std::string(kMaxMetaBytes + 1, 'm'), false, ""}),
            "LIMIT meta exceeds 4096 bytes");
  EXPECT_TRUE(refusal({"a", {"1.5"}, 1, "", false, ""}).starts_with("BADSCORE"));
  EXPECT_TRUE(refusal({"a", {"1e30"}, 1, "", false, ""}).starts_with("OVERFLOW"));
  EXPECT_EQ(refusal({"a", {"1", "2"}, 1, "", false, ""}), "ERR takes 1 value (score), got 2");
  EXPECT_EQ(refusal({"a", {"1"}, -1, "", false, ""}), "BADTIME the time is not from 1970 to 9999");
  EXPECT_EQ(refusal({"a", {"1"}, 0, "", false, ""}), "");
  EXPECT_EQ(refusal({"a", {"1"}, base::kMaxTime, "", false, ""}), "");
  EXPECT_TRUE(refusal({"a", {"1"}, base::kMaxTime + 1, "", false, ""}).starts_with("BADTIME"));
  EXPECT_EQ(refusal({"a", {"1"}, 1, "", false, "day:2026-11-15"}), "");
  EXPECT_EQ(refusal({"a", {"1"}, 1, "", false, "all"}), "");
  EXPECT_EQ(refusal({"a", {"1"}, 1, "", false, "week:2026-W46"}),
            "ERR 'week:2026-W46' is no instance of this board");
  EXPECT_EQ(refusal({"a", {"1"}, 1, "", false, "day"}), "ERR 'day' is no instance of this board");
  EXPECT_EQ(refusal({"a", {"1"}, 1, "", false, "day:-1"}),
            "ERR 'day:-1' is no instance of this board");
  EXPECT_EQ(refusal({"a", {"1"}, 1, "", false, "day:2026-11-31"}),
            "ERR 'day:2026-11-31' is no instance of this board");
}

TEST(Draft, ABoardWithoutPeriodsRefusesRowsOfInstances) {
  Draft draft(Spec{}, EqualRows::kAsAdded, 1);
  const Status added = AddTo(&draft, {"a", {"1"}, 1, "", false, "all"});
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().ToString(), "ERR 'all': the board has no periods");
}

// Periods -----------------------------------------------------------------------------------------

Spec WithPeriods(std::vector<Period> periods) {
  Spec spec;
  spec.periods = std::move(periods);
  return spec;
}

// "ann day:2026-11-15 10, …" in the order of the draft.
std::string Placed(const Draft& draft) {
  std::string text;
  for (const ListedEntry& entry : ListEntries(draft)) {
    text += (text.empty() ? "" : ", ") + entry.member + " " + entry.instance + " " +
            std::to_string(entry.score[0]);
  }
  return text;
}

TEST(Draft, ARowGoesIntoTheInstanceOfEachPeriodByItsTime) {
  ASSERT_EQ(base::FormatIsoTime(kNow), "2026-11-16T04:53:20.000000Z");
  Spec spec = WithPeriods({Period::kDay, Period::kAll});
  spec.policy = Policy::kSum;
  Draft draft(spec, EqualRows::kAsAdded, 1, std::nullopt, kNow);
  Add(&draft, "ann", "1", kNow - kDay);
  Add(&draft, "ann", "2", kNow - 1);
  Add(&draft, "ann", "4");
  Add(&draft, "ann", "8", kNow - 2 * kDay);  // KEEP is 1
  Add(&draft, "ann", "16", kNow + kDay);     // has not begun
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(Placed(draft), "ann day:2026-11-15 1, ann all 31, ann day:2026-11-16 6");
  EXPECT_EQ(report.rows, 5U);
  EXPECT_EQ(report.entries, 3U);
  EXPECT_EQ(report.folded, 5U);
  EXPECT_EQ(report.outside, 2U);
}

TEST(Draft, APeriodMayBeFilledAlone) {
  const Spec spec = WithPeriods({Period::kDay, Period::kAll});
  const auto filled = [&](const std::string& period) {
    Draft draft(spec, EqualRows::kAsAdded, 1, period, kNow);
    Add(&draft, "ann", "1", kNow - kDay);
    Add(&draft, "bob", "2", kNow - 7 * kDay);
    draft.Finish(kNow);
    return Placed(draft);
  };
  EXPECT_EQ(filled("day"), "ann day:2026-11-15 1");
  EXPECT_EQ(filled("all"), "bob all 2, ann all 1");
  EXPECT_EQ(filled("day:2026-11-16"), "bob day:2026-11-16 2, ann day:2026-11-16 1");
  EXPECT_EQ(filled("day:-1"), "bob day:2026-11-15 2, ann day:2026-11-15 1");
}

TEST(Draft, APeriodThatTheBoardDoesNotKeepIsRefused) {
  const auto refusal = [&](const Spec& spec, const std::string& period) {
    Draft draft(spec, EqualRows::kAsAdded, 1, period, kNow);
    const Status added = AddTo(&draft, {"ann", {"1"}, kNow, "", false, ""});
    return added.ok() ? "" : added.error().ToString();
  };
  const Spec spec = WithPeriods({Period::kDay, Period::kAll});
  EXPECT_EQ(refusal(spec, "week"), "ERR period 'week': the board has the periods day, all");
  EXPECT_EQ(refusal(spec, "day:2026-11-14"),
            "ERR period 'day:2026-11-14': the board keeps no such instance, KEEP is 1");
  EXPECT_EQ(refusal(spec, "day:2026-11-17"),
            "ERR period 'day:2026-11-17': the board keeps no such instance, KEEP is 1");
  Spec unknown = spec;
  unknown.zone = "Nowhere/Town";
  EXPECT_TRUE(refusal(unknown, "day").starts_with("ERR TZ: "));
}

TEST(Draft, WhileGraceLastsKeepCountsFromTheInstanceBefore) {
  Spec spec = WithPeriods({Period::kDay});
  spec.grace_us = kDay / 2;
  Draft draft(spec, EqualRows::kAsAdded, 1, std::nullopt, kNow);
  Add(&draft, "ann", "1", kNow - 2 * kDay);
  Add(&draft, "bob", "2", kNow - 3 * kDay);
  EXPECT_EQ(draft.Finish(kNow).outside, 1U);
  EXPECT_EQ(Placed(draft), "ann day:2026-11-14 1");
}

TEST(Draft, AMemberHasAnEntryInEachInstanceThatRowsName) {
  Draft draft(WithPeriods({Period::kDay}), EqualRows::kAsAdded, 1, std::nullopt, kNow);
  for (const char* instance :
       {"day:2026-11-15", "day:2026-11-16", "day:2026-11-15", "day:2026-11-01"}) {
    ASSERT_TRUE(AddTo(&draft, {"ann", {"1"}, 5, "", false, instance}).ok());
  }
  const Draft::Report report = draft.Finish(kNow);
  EXPECT_EQ(Placed(draft), "ann day:2026-11-15 1, ann day:2026-11-16 1");
  EXPECT_EQ(report.folded, 1U);
  EXPECT_EQ(report.outside, 1U);
  EXPECT_EQ(report.ties, 0U);
}

TEST(Draft, ASumOutOfRangeInOneInstanceChangesNone) {
  Spec spec = WithPeriods({Period::kDay, Period::kAll});
  spec.policy = Policy::kSum;
  Draft draft(spec, EqualRows::kAsAdded, 1, std::nullopt, kNow);
  Add(&draft, "ann", "9223372036854775807", kNow - kDay);
  const Status added = AddTo(&draft, {"ann", {"1"}, kNow, "", false, ""});
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, ErrorCode::kOverflow);
  draft.Finish(kNow);
  EXPECT_EQ(Placed(draft), "ann day:2026-11-15 9223372036854775807, ann all 9223372036854775807");
}

// A naive draft, obvious by reading ---------------------------------------------------------------

std::string ToString(const ListedEntry& entry) {
  std::string text = entry.instance + " " + entry.member + " at " + std::to_string(entry.stamp);
  for (std::size_t i = 0; i < entry.score.size(); ++i) text += " " + std::to_string(entry.score[i]);
  return text + " " + entry.meta + (entry.hidden ? " hidden" : "");
}

class NaiveDraft {
 public:
  NaiveDraft(const Spec& spec, EqualRows equals, std::int64_t tick_us)
      : spec_(spec), equals_(equals), tick_us_(tick_us) {}

  // Returns whether the row is accepted.
  bool Add(const OwnedRow& row) {
    const std::vector<std::string_view> texts(row.values.begin(), row.values.end());
    const Result<Score> score = ParseScore(spec_, texts);
    if (!score.ok()) return false;
    if (row.hidden) hidden_.insert(row.member);
    for (const std::string& instance : InstancesOf(row)) {
      Kept kept{row, *score, row.at.value_or(INT64_MAX), count_};
      kept.row.instance = instance;
      rows_[{instance, row.member}].push_back(kept);
    }
    ++count_;
    return true;
  }

  std::vector<ListedEntry> Finish(Stamp now) {
    std::vector<Kept> entries;
    for (const auto& [key, rows] : rows_) entries.push_back(Folded(rows));
    std::sort(entries.begin(), entries.end(),
              [&](const Kept& a, const Kept& b) { return Before(a, b); });
    GiveStamps(now, &entries);
    std::vector<ListedEntry> lines;
    for (const Kept& one : entries) {
      lines.push_back(
          {one.row.instance, one.row.member, one.score, one.stamp, one.row.meta, one.row.hidden});
    }
    return lines;
  }

 private:
  struct Kept {
    OwnedRow row;
    Score score;
    Stamp time = 0;  // INT64_MAX: none
    std::size_t shown = 0;
    Stamp stamp = 0;
  };

  [[nodiscard]] bool builds() const {
    return spec_.policy == Policy::kSum ||
           std::any_of(spec_.fields.begin(), spec_.fields.end(),
                       [](const Field& field) { return field.op != Operator::kSet; });
  }

  // The board, if it has periods, has days in UTC, KEEP 1, and `all`.
  [[nodiscard]] std::vector<std::string> InstancesOf(const OwnedRow& row) const {
    if (spec_.periods.empty()) return {""};
    const std::string today = "day:" + base::FormatIsoTime(kNow).substr(0, 10);
    const std::string yesterday = "day:" + base::FormatIsoTime(kNow - kDay).substr(0, 10);
    const std::string of_row = "day:" + base::FormatIsoTime(row.at.value_or(kNow)).substr(0, 10);
    std::vector<std::string> instances;
    for (const std::string& instance : {today, yesterday, std::string("all")}) {
      const bool by_time = row.instance.empty() && (instance == of_row || instance == "all");
      if (by_time || instance == row.instance) instances.push_back(instance);
    }
    return instances;
  }

  // The entry of a member's rows. REQUIRES: no sum is out of range.
  [[nodiscard]] Kept Folded(const std::vector<Kept>& rows) const {
    std::vector<Kept> in_time = rows;
    std::stable_sort(in_time.begin(), in_time.end(),
                     [](const Kept& a, const Kept& b) { return a.time < b.time; });
    Kept entry = in_time.back();
    if (builds()) {
      entry.row.meta.clear();
      for (const Kept& one : in_time) {
        if (!one.row.meta.empty()) entry.row.meta = one.row.meta;
      }
      for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
        std::vector<std::int64_t> values;
        for (const Kept& one : rows) values.push_back(one.score[i]);
        const Operator op = spec_.policy == Policy::kSum ? Operator::kSum : spec_.fields[i].op;
        if (op == Operator::kSum) {
          entry.score[i] = std::accumulate(values.begin(), values.end(), std::int64_t{0});
        }
        if (op == Operator::kMax) entry.score[i] = *std::max_element(values.begin(), values.end());
        if (op == Operator::kMin) entry.score[i] = *std::min_element(values.begin(), values.end());
      }
    } else if (spec_.policy == Policy::kBest) {
      entry = in_time[0];
      for (const Kept& one : in_time) {
        if (IsBetter(one.score, entry.score)) entry = one;
      }
    }
    // Of any instance.
    entry.row.hidden = hidden_.contains(entry.row.member);
    return entry;
  }

  [[nodiscard]] bool IsBetter(const Score& a, const Score& b) const {
    for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
      if (a[i] != b[i]) return (a[i] > b[i]) == (spec_.fields[i].direction == Direction::kDesc);
    }
    return false;
  }

  [[nodiscard]] bool Before(const Kept& a, const Kept& b) const {
    if (a.row.instance != b.row.instance) return a.row.instance < b.row.instance;
    if (IsBetter(a.score, b.score)) return true;
    if (IsBetter(b.score, a.score)) return false;
    if (spec_.tie == Tie::kMember) return a.row.member < b.row.member;
    if (a.time != b.time) return (a.time < b.time) == (spec_.tie == Tie::kFirst);
    if (equals_ == EqualRows::kMemberDescending) return a.row.member > b.row.member;
    if (equals_ == EqualRows::kMemberAscending) return a.row.member < b.row.member;
    return a.shown < b.shown;
  }

  // Raises stamps until each entry ranks ahead of the next one by the board's own rules.
  void GiveStamps(Stamp now, std::vector<Kept>* entries) const {
    const bool backward = spec_.tie == Tie::kLast;
    if (backward) std::reverse(entries->begin(), entries->end());
    std::map<std::string, Stamp> untimed;  // by instance: the next stamp
    for (const Kept& one : *entries) {
      if (one.time == INT64_MAX) --untimed.try_emplace(one.row.instance, now).first->second;
    }
    for (std::size_t i = 0; i < entries->size(); ++i) {
      Kept& one = (*entries)[i];
      one.stamp = one.time == INT64_MAX ? untimed[one.row.instance]++ : one.time;
      if (i == 0 || spec_.tie == Tie::kMember) continue;
      const Kept& other = (*entries)[i - 1];
      if (other.row.instance != one.row.instance || !(other.score == one.score)) continue;
      const bool by_member =
          backward ? one.row.member < other.row.member : other.row.member < one.row.member;
      const bool may_equal = tick_us_ == 1 && by_member;
      while (one.stamp < other.stamp || (one.stamp == other.stamp && !may_equal)) ++one.stamp;
    }
    if (backward) std::reverse(entries->begin(), entries->end());
  }

  Spec spec_;
  EqualRows equals_;
  std::int64_t tick_us_;
  std::size_t count_ = 0;
  std::map<std::pair<std::string, std::string>, std::vector<Kept>> rows_;
  std::set<std::string> hidden_;
};

// Random rows -------------------------------------------------------------------------------------

Spec RandomSpec(base::Random* random) {
  Spec spec;
  spec.fields.clear();
  const std::uint64_t fields = 1 + random->Below(random->OneIn(3) ? kMaxFields : 2);
  const bool operators = random->OneIn(3);
  for (std::uint64_t i = 0; i < fields; ++i) {
    Field field;
    field.name = "f" + std::to_string(i);
    field.direction = random->OneIn(2) ? Direction::kAsc : Direction::kDesc;
    if (operators) field.op = static_cast<Operator>(random->Below(4));
    spec.fields.push_back(field);
  }
  if (!operators) spec.policy = static_cast<Policy>(random->Below(3));
  spec.tie = static_cast<Tie>(random->Below(3));
  if (random->OneIn(4)) spec.periods = {Period::kDay, Period::kAll};
  return spec;
}

struct RowRanges {
  std::uint64_t members = 1;
  std::uint64_t values = 1;
  std::uint64_t times = 1;
  std::int64_t tick_us = 1;
  bool wide = false;  // values of all of int64 among the others
};

OwnedRow RandomRow(const Spec& spec, const RowRanges& ranges, base::Random* random) {
  OwnedRow row;
  row.member = "m" + std::to_string(random->Below(ranges.members));
  if (random->OneIn(5)) row.member += std::string(random->Below(40), '\0');
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    const auto wide = static_cast<std::int64_t>(random->Next());
    const auto narrow = static_cast<std::int64_t>(random->Below(ranges.values)) -
                        static_cast<std::int64_t>(ranges.values / 2);
    row.values.push_back(std::to_string(ranges.wide && random->OneIn(3) ? wide : narrow));
  }
  if (!random->OneIn(4)) {
    row.at = kNow - static_cast<Stamp>(random->Below(ranges.times)) * ranges.tick_us;
    if (random->OneIn(3)) *row.at -= kDay;
  }
  if (random->OneIn(3))
    row.meta = std::string(random->Below(20), 'x') + std::to_string(random->Below(100));
  row.hidden = random->OneIn(20);
  constexpr const char* kInstances[] = {
      "", "", "all", "day:2026-11-15", "day:2026-11-16", "day:2026-11-01"};
  if (!spec.periods.empty()) row.instance = kInstances[random->Below(std::size(kInstances))];
  return row;
}

bool MayOverflow(const Spec& spec, const RowRanges& ranges) {
  const auto sums = [](const Field& field) { return field.op == Operator::kSum; };
  return ranges.wide &&
         (spec.policy == Policy::kSum || std::any_of(spec.fields.begin(), spec.fields.end(), sums));
}

TEST(Draft, RandomRowsAreFoldedOrderedAndStampedAsTheNaiveDraftDoes) {
  base::Random random(TestSeed());
  for (int episode = 0; episode < 300; ++episode) {
    const Spec spec = RandomSpec(&random);
    const auto equals = static_cast<EqualRows>(random.Below(3));
    RowRanges ranges;
    ranges.members = 1 + random.Below(random.OneIn(2) ? 20 : 3000);
    ranges.values = 1 + random.Below(random.OneIn(2) ? 5 : 1'000'000);
    ranges.times = 1 + random.Below(random.OneIn(2) ? 4 : 1'000'000);
    ranges.tick_us = random.OneIn(2) ? 1 : 1 + static_cast<std::int64_t>(random.Below(1000));
    ranges.wide = random.OneIn(3);
    if (MayOverflow(spec, ranges)) ranges.wide = false;
    const std::uint64_t rows = random.OneIn(20) ? 6000 : random.Below(300);
    SCOPED_TRACE("episode " + std::to_string(episode) + ": " + DescribeSpec(spec) + ", " +
                 std::to_string(rows) + " rows");
    Draft draft(spec, equals, ranges.tick_us, std::nullopt, kNow);
    NaiveDraft naive(spec, equals, ranges.tick_us);
    for (std::uint64_t i = 0; i < rows; ++i) {
      const OwnedRow row = RandomRow(spec, ranges, &random);
      const Status added = AddTo(&draft, row);
      ASSERT_TRUE(added.ok()) << added.error().ToString();
      ASSERT_TRUE(naive.Add(row));
    }
    draft.Finish(kNow);
    ASSERT_EQ(draft.board().Validate(), "");
    std::vector<ListedEntry> lines = ListEntries(draft);
    std::vector<ListedEntry> expected = naive.Finish(kNow);
    ASSERT_EQ(lines.size(), expected.size());
    // The order of instances is the draft's own. Hidden entries stand behind the visible ones.
    for (auto* list : {&lines, &expected}) {
      std::stable_sort(list->begin(), list->end(), [](const auto& a, const auto& b) {
        if (a.instance != b.instance) return a.instance < b.instance;
        if (a.hidden != b.hidden) return b.hidden;
        return a.hidden && a.member < b.member;
      });
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ASSERT_EQ(ToString(lines[i]), ToString(expected[i])) << "entry " << i;
    }
  }
}

}  // namespace
}  // namespace laurel::transfer
