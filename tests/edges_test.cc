// Edge cases of the library that the random tests reach only now and then.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "laurel/board.h"
#include "laurel/entry.h"
#include "laurel/limits.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "model/test_board.h"

namespace laurel {
namespace {

using model::TestBoard;
using model::TinyShape;
using End = Board::End;

constexpr Stamp kNow = 1'700'000'000'000'000;
constexpr std::int64_t kMin = INT64_MIN;
constexpr std::int64_t kMax = INT64_MAX;

Moment After(Stamp micros) { return {kNow + micros, kNow + micros}; }

Spec OneField(Direction direction, Policy policy = Policy::kSet, Tie tie = Tie::kFirst) {
  Spec spec;
  spec.fields[0].direction = direction;
  spec.policy = policy;
  spec.tie = tie;
  return spec;
}

Spec WithOperator(Operator op) {
  Spec spec;
  spec.fields[0].op = op;
  return spec;
}

Spec Capped(std::uint64_t cap, Tie tie) {
  Spec spec;
  spec.cap = cap;
  spec.tie = tie;
  return spec;
}

Write WriteOf(WriteMode mode, std::string_view member, Score score,
              std::optional<Stamp> at = std::nullopt) {
  Write write;
  write.mode = mode;
  write.member = member;
  write.score = score;
  write.at = at;
  return write;
}

std::vector<std::string> Order(const Board& board) {
  std::vector<std::string> members;
  board.ForEach(End::kBest, [&](const Entry& entry) {
    members.push_back(entry.member);
    return true;
  });
  return members;
}

using Names = std::vector<std::string>;

std::int64_t ScoreOf(const Board& board, std::string_view member) {
  return board.Get(member).value().score[0];
}

// int64 at its ends -----------------------------------------------------------------------------

void AddExtremes(Board* board) {
  const std::vector<std::pair<std::string, std::int64_t>> values = {
      {"zero", 0},         {"max", kMax}, {"min", kMin}, {"max-1", kMax - 1},
      {"min+1", kMin + 1}, {"one", 1},    {"minus", -1}};
  Stamp micros = 0;
  for (const auto& [member, value] : values) {
    ASSERT_TRUE(board->Submit(member, {value}, After(++micros)).ok());
  }
}

TEST(Extremes, DescendingOrderHoldsAtBothEndsOfInt64) {
  for (const core::Shape& shape : {core::Shape(), TinyShape()}) {
    TestBoard board(OneField(Direction::kDesc), shape);
    AddExtremes(&*board);
    EXPECT_EQ(Order(*board), (Names{"max", "max-1", "one", "zero", "minus", "min+1", "min"}));
    EXPECT_EQ(board->Validate(), "");
  }
}

TEST(Extremes, AscendingOrderHoldsAtBothEndsOfInt64) {
  for (const core::Shape& shape : {core::Shape(), TinyShape()}) {
    TestBoard board(OneField(Direction::kAsc), shape);
    AddExtremes(&*board);
    EXPECT_EQ(Order(*board), (Names{"min", "min+1", "minus", "zero", "one", "max-1", "max"}));
    EXPECT_EQ(board->Get("min").value().rank, 1U);
    EXPECT_EQ(board->Validate(), "");
  }
}

TEST(Extremes, ValuesComeBackExactlyInEveryFieldAndDirection) {
  Spec spec;
  spec.fields = {{"a", 0, Direction::kDesc},
                 {"b", 0, Direction::kAsc},
                 {"c", 9, Direction::kDesc},
                 {"d", 9, Direction::kAsc}};
  TestBoard board(spec, TinyShape());
  const Score ends{kMin, kMin, kMax, kMax};
  const Score other_ends{kMax, kMax, kMin, kMin};
  ASSERT_TRUE(board->Submit("a", ends, After(1)).ok());
  ASSERT_TRUE(board->Submit("b", other_ends, After(2)).ok());
  EXPECT_EQ(board->Get("a").value().score, ends);
  EXPECT_EQ(board->Get("b").value().score, other_ends);
  EXPECT_EQ(Order(*board), (Names{"b", "a"}));
}

TEST(Extremes, SumsBeyondEitherEndAreRefusedAndChangeNothing) {
  TestBoard board(OneField(Direction::kDesc, Policy::kSum));
  ASSERT_TRUE(board->Submit("high", {kMax}, After(1)).ok());
  ASSERT_TRUE(board->Submit("low", {kMin}, After(2)).ok());
  const std::optional<Entry> high = board->Get("high");
  EXPECT_EQ(board->Submit("high", {1}, After(3)).error().code, ErrorCode::kOverflow);
  EXPECT_EQ(board->Increment("high", {kMax}, After(4)).error().code, ErrorCode::kOverflow);
  EXPECT_EQ(board->Submit("low", {-1}, After(5)).error().code, ErrorCode::kOverflow);
  EXPECT_EQ(board->Increment("low", {kMin}, After(6)).error().code, ErrorCode::kOverflow);
  EXPECT_EQ(board->Get("high"), high);
  EXPECT_EQ(ScoreOf(*board, "low"), kMin);
}

TEST(Extremes, IncrementByInt64MinWorksWhereTheSumFits) {
  TestBoard board(Spec{});
  ASSERT_TRUE(board->Set("a", {kMax}, After(1)).ok());
  EXPECT_EQ(board->Increment("a", {kMin}, After(2)).value().score, (Score{-1}));
  EXPECT_EQ(board->Increment("a", {kMin}, After(3)).error().code, ErrorCode::kOverflow);
  EXPECT_EQ(board->Increment("new", {kMin}, After(4)).value().score, (Score{kMin}));
  EXPECT_EQ(board->Increment("new", {kMax}, After(5)).value().score, (Score{-1}));
}

TEST(Extremes, OverflowInTheLastFieldLeavesTheFirstUnchanged) {
  Spec spec;
  spec.fields = {{"points", 0}, {"deaths", 0, Direction::kAsc}};
  spec.policy = Policy::kSum;
  TestBoard board(spec);
  ASSERT_TRUE(board->Submit("a", {5, kMax}, After(1)).ok());
  EXPECT_EQ(board->Submit("a", {1, 1}, After(2)).error().code, ErrorCode::kOverflow);
  EXPECT_EQ(board->Get("a").value().score, (Score{5, kMax}));
}

TEST(Extremes, OverflowOfOneWriteUndoesTheWholeBatch) {
  TestBoard board(OneField(Direction::kDesc, Policy::kSum));
  ASSERT_TRUE(board->Submit("full", {kMax}, After(1)).ok());
  const std::vector<Write> writes = {WriteOf(WriteMode::kSubmit, "new", {1}),
                                     WriteOf(WriteMode::kSubmit, "full", {-1}),
                                     WriteOf(WriteMode::kSubmit, "full", {2})};
  EXPECT_EQ(board->ApplyAll(writes, After(2)).error().code, ErrorCode::kOverflow);
  EXPECT_EQ(Order(*board), Names{"full"});
  EXPECT_EQ(ScoreOf(*board, "full"), kMax);
  EXPECT_EQ(board->Get("full").value().stamp, kNow + 1);
}

TEST(Extremes, MinAndMaxOperatorsReachBothEnds) {
  TestBoard least(WithOperator(Operator::kMin));
  ASSERT_TRUE(least->Submit("a", {kMax}, After(1)).ok());
  EXPECT_EQ(least->Submit("a", {kMin}, After(2)).value().score, (Score{kMin}));
  EXPECT_EQ(least->Submit("a", {kMax}, After(3)).value().status, WriteStatus::kUnchanged);

  TestBoard most(WithOperator(Operator::kMax));
  ASSERT_TRUE(most->Submit("a", {kMin}, After(1)).ok());
  EXPECT_EQ(most->Submit("a", {kMax}, After(2)).value().score, (Score{kMax}));
  EXPECT_EQ(most->Submit("a", {kMin}, After(3)).value().status, WriteStatus::kUnchanged);
}

TEST(Extremes, BoundsAtBothEndsIncludeAndExcludeExactly) {
  for (const Direction direction : {Direction::kDesc, Direction::kAsc}) {
    TestBoard board(OneField(direction), TinyShape());
    AddExtremes(&*board);
    EXPECT_EQ(board->Count(ScoreBound::AtLeast(kMin), ScoreBound::AtMost(kMax)), 7U);
    EXPECT_EQ(board->Count(ScoreBound::Above(kMin), ScoreBound::Below(kMax)), 5U);
    EXPECT_EQ(board->Count(ScoreBound::AtLeast(kMax), ScoreBound::AtMost(kMax)), 1U);
    EXPECT_EQ(board->Count(ScoreBound::Above(kMax), ScoreBound::Highest()), 0U);
    EXPECT_EQ(board->Count(ScoreBound::Lowest(), ScoreBound::Below(kMin)), 0U);
    EXPECT_EQ(board->Count(ScoreBound::Lowest(), ScoreBound::AtMost(kMin)), 1U);
    EXPECT_EQ(board->Count(ScoreBound::Lowest(), ScoreBound::Highest()), 7U);
    EXPECT_EQ(board->Count(ScoreBound::AtLeast(1), ScoreBound::AtMost(-1)), 0U);
    EXPECT_EQ(board->Between(ScoreBound::AtLeast(kMax - 1), ScoreBound::Highest()).size(), 2U);
  }
}

TEST(Extremes, RankOfIsExactAtBothEndsOfInt64) {
  TestBoard board(OneField(Direction::kAsc));
  AddExtremes(&*board);
  EXPECT_EQ(board->RankOf({kMin}).value(), 2U);  // after its equal
  EXPECT_EQ(board->RankOf({kMax}).value(), 8U);
  EXPECT_EQ(board->RankOf({kMin}, RankKind::kCompetition).value(), 1U);
  EXPECT_EQ(board->RankOf({kMax}, RankKind::kDense).value(), 7U);
}

TEST(Extremes, HistogramOverAllOfInt64CountsEveryEntry) {
  TestBoard board(Spec{});
  AddExtremes(&*board);
  for (const std::uint64_t buckets : {1U, 2U, 3U, 1000U}) {
    const std::vector<HistogramBucket> histogram = board->Histogram(buckets).value();
    ASSERT_EQ(histogram.size(), buckets);
    EXPECT_EQ(histogram.front().from, Int128{kMin});
    EXPECT_GE(histogram.back().to, Int128{kMax} + 1);
    std::uint64_t total = 0;
    for (const HistogramBucket& bucket : histogram) total += bucket.count;
    EXPECT_EQ(total, 7U);
  }
  const std::vector<HistogramBucket> halves = board->Histogram(2).value();
  EXPECT_EQ(halves[0], (HistogramBucket{kMin, 0, 3}));
  EXPECT_EQ(halves[1], (HistogramBucket{0, Int128{kMax} + 1, 4}));
}

// Empty boards and one entry ---------------------------------------------------------------------

TEST(EmptyBoard, AnswersEveryReadWithAnEmptyResult) {
  for (const Spec& spec : {Spec(), Spec::SortedSet()}) {
    TestBoard board(spec);
    const std::vector<std::string_view> asked = {"a", "b", "a"};
    EXPECT_EQ(board->size(), 0U);
    EXPECT_FALSE(board->contains("a"));
    EXPECT_EQ(board->Get("a"), std::nullopt);
    EXPECT_EQ(board->At(1), std::nullopt);
    EXPECT_EQ(board->At(0), std::nullopt);
    EXPECT_TRUE(board->Top(10).empty());
    EXPECT_TRUE(board->Range(1, -1).value().empty());
    EXPECT_EQ(board->Range(0, 1).error().code, ErrorCode::kErr);
    EXPECT_EQ(board->Around("a", 3), std::nullopt);
    const std::vector<AmongEntry> among = board->Among(asked);
    ASSERT_EQ(among.size(), 2U);
    EXPECT_EQ(among[0], (AmongEntry{"a", std::nullopt, std::nullopt}));
    EXPECT_EQ(board->RankOf(Score::Double(1)).value(), 1U);
    EXPECT_EQ(board->Count(ScoreBound::Lowest(), ScoreBound::Highest()), 0U);
    EXPECT_TRUE(board->Between(ScoreBound::Lowest(), ScoreBound::Highest()).empty());
    EXPECT_EQ(board->PercentileOf("a"), std::nullopt);
    EXPECT_EQ(board->Quantile(0).value(), std::nullopt);
    EXPECT_TRUE(board->RandomEntries(5, true, 1).empty());
    EXPECT_TRUE(board->RandomEntries(5, false, 1).empty());
    EXPECT_EQ(board->Scan(0, 10).cursor, 0U);
    EXPECT_TRUE(board->Scan(0, 10).entries.empty());
    EXPECT_TRUE(Order(*board).empty());
    std::vector<std::optional<std::uint64_t>> ranks;
    board->Ranks(asked, &ranks);
    EXPECT_EQ(ranks, std::vector<std::optional<std::uint64_t>>(3));
    EXPECT_TRUE(board->Pop(3, End::kBest)->empty());
    EXPECT_EQ(*board->Trim(0), 0U);
    EXPECT_EQ(board->Clear(), 0U);
    EXPECT_EQ(board->Remove(asked), 0U);
    EXPECT_EQ(board->Validate(), "");
    EXPECT_LE(board->MemoryUsage(), 1024U);
  }
}

TEST(EmptyBoard, HistogramIsEmptyAndASortedSetRefusesIt) {
  TestBoard board(Spec{});
  EXPECT_TRUE(board->Histogram(10).value().empty());
  EXPECT_EQ(board->Histogram(0).error().code, ErrorCode::kErr);
  EXPECT_EQ(board->Histogram(kMaxHistogramBuckets + 1).error().code, ErrorCode::kErr);
  TestBoard sorted_set(Spec::SortedSet());
  EXPECT_EQ(sorted_set->Histogram(10).error().code, ErrorCode::kWrongType);
}

TEST(OneEntry, IsFirstLastBestAndWorst) {
  TestBoard board(Spec{});
  ASSERT_TRUE(board->Submit("ann", {-7}, After(1)).ok());
  const Entry ann{1, "ann", {-7}, kNow + 1, ""};
  const std::vector<Entry> all = {ann};
  for (const RankKind kind : {RankKind::kOrdinal, RankKind::kCompetition, RankKind::kDense}) {
    EXPECT_EQ(board->Get("ann", kind), ann);
    EXPECT_EQ(board->At(1, kind), ann);
    EXPECT_EQ(board->Top(UINT64_MAX, kind), all);
    EXPECT_EQ(board->Range(-1, -1, kind).value(), all);
    EXPECT_EQ(board->Around("ann", UINT64_MAX, kind), all);
    EXPECT_EQ(board->RankOf({-8}, kind).value(), 2U);
  }
  EXPECT_EQ(board->At(2), std::nullopt);
  EXPECT_EQ(board->Range(kMin, kMax).value(), all);
  EXPECT_TRUE(board->Range(2, 5).value().empty());
  EXPECT_TRUE(board->Range(-5, -2).value().empty());
  EXPECT_EQ(board->PercentileOf("ann"), (Percentile{1'000'000, 0, 0, 1}));
  for (const std::int64_t percent :
       {INT64_C(0), INT64_C(50'000'000'000), INT64_C(100'000'000'000)}) {
    EXPECT_EQ(board->Quantile(percent).value(), (Score{-7}));
  }
  EXPECT_EQ(board->Quantile(-1).error().code, ErrorCode::kErr);
  EXPECT_EQ(board->Quantile(100'000'000'001).error().code, ErrorCode::kErr);
  const std::vector<HistogramBucket> buckets = {{-7, -6, 1}, {-6, -5, 0}};
  EXPECT_EQ(board->Histogram(2).value(), buckets);
  EXPECT_EQ(board->RandomEntries(3, true, 9), all);
  EXPECT_EQ(board->RandomEntries(3, false, 9).size(), 3U);
  EXPECT_EQ(*board->Pop(5, End::kWorst), all);
  EXPECT_EQ(board->size(), 0U);
}

// Many entries ----------------------------------------------------------------------------------

TEST(Large, AMillionEqualScoresStandInOrderOfArrival) {
  constexpr std::uint64_t kCount = 1'000'000;
  TestBoard board(Spec{});
  for (std::uint64_t i = 1; i <= kCount; ++i) {
    ASSERT_TRUE(board->Submit(std::to_string(i), {95}, After(static_cast<Stamp>(i))).ok());
  }
  ASSERT_EQ(board->size(), kCount);
  for (std::uint64_t i = 1; i <= kCount; i += 9973) {
    const std::string member = std::to_string(i);
    ASSERT_EQ(board->Get(member).value().rank, i);
    ASSERT_EQ(board->Get(member, RankKind::kCompetition).value().rank, 1U);
    ASSERT_EQ(board->Get(member, RankKind::kDense).value().rank, 1U);
    ASSERT_EQ(board->At(i).value().member, member);
  }
  EXPECT_EQ(board->Top(3)[2].member, "3");
  EXPECT_EQ(board->Around("500000", 1).value()[2].member, "500001");
  EXPECT_EQ(board->RankOf({95}).value(), kCount + 1);
  EXPECT_EQ(board->RankOf({95}, RankKind::kDense).value(), 1U);
  EXPECT_EQ(board->PercentileOf("1"), (Percentile{0, 0, kCount - 1, kCount}));
  EXPECT_EQ(board->Validate(), "");

  for (std::uint64_t i = 1; i <= kCount; i += 2) {
    const std::string member = std::to_string(i);
    const std::string_view odd = member;
    ASSERT_EQ(board->Remove({&odd, 1}), 1U);
  }
  EXPECT_EQ(board->size(), kCount / 2);
  for (std::uint64_t i = 2; i <= kCount; i += 9974) {
    ASSERT_EQ(board->Get(std::to_string(i)).value().rank, i / 2);
  }
  EXPECT_EQ(board->Validate(), "");
}

TEST(Large, RankKindsAreExactWithManyEqualScores) {
  // s members have score s, for s from 1 to 400.
  constexpr std::int64_t kHeight = 400;
  TestBoard board(OneField(Direction::kAsc));
  Stamp micros = 0;
  for (std::int64_t score = kHeight; score >= 1; --score) {
    for (std::int64_t i = 1; i <= score; ++i) {
      const std::string member = std::to_string(score) + "/" + std::to_string(i);
      ASSERT_TRUE(board->Submit(member, {score}, After(++micros)).ok());
    }
  }
  for (std::int64_t score = 1; score <= kHeight; ++score) {
    const auto ahead = static_cast<std::uint64_t>(score * (score - 1) / 2);
    const auto own = static_cast<std::uint64_t>(score);
    const std::string last = std::to_string(score) + "/" + std::to_string(score);
    ASSERT_EQ(board->Get(last).value().rank, ahead + own);
    ASSERT_EQ(board->Get(last, RankKind::kCompetition).value().rank, ahead + 1);
    ASSERT_EQ(board->Get(last, RankKind::kDense).value().rank, own);
    const ScoreBound bound = ScoreBound::AtLeast(score);
    ASSERT_EQ(board->Count(bound, bound), own);
  }
  EXPECT_EQ(board->Validate(), "");
}

TEST(Large, AscendingAndDescendingInsertsGiveExactRanks) {
  constexpr std::int64_t kCount = 200'000;
  for (const bool rising : {true, false}) {
    TestBoard board(Spec{});
    for (std::int64_t i = 1; i <= kCount; ++i) {
      const std::int64_t score = rising ? i : kCount + 1 - i;
      ASSERT_TRUE(board->Submit(std::to_string(score), {score}, After(i)).ok());
    }
    for (std::int64_t score = 1; score <= kCount; score += 7) {
      const auto rank = static_cast<std::uint64_t>(kCount + 1 - score);
      ASSERT_EQ(board->Get(std::to_string(score)).value().rank, rank);
      ASSERT_EQ(board->At(rank).value().score[0], score);
    }
    EXPECT_EQ(board->Validate(), "");
  }
}

TEST(Large, LoadedBoardStaysSortedUnderUpdates) {
  constexpr std::int64_t kCount = 20'000;
  for (const core::Shape& shape : {core::Shape(), TinyShape()}) {
    std::vector<Entry> sorted;
    for (std::int64_t i = 0; i < kCount; ++i) {
      sorted.push_back({std::nullopt, std::to_string(i), {2 * (kCount - i)}, kNow + i, ""});
    }
    TestBoard board(Spec{}, shape);
    ASSERT_TRUE(board->Load(sorted).ok());
    EXPECT_EQ(board->Validate(), "");
    EXPECT_EQ(board->Get("777").value().rank, 778U);
    EXPECT_EQ(board->Load(sorted).error().code, ErrorCode::kErr);

    base::Random random(5);
    std::vector<std::int64_t> scores;
    for (const Entry& entry : sorted) scores.push_back(entry.score[0]);
    for (int round = 0; round < 20'000; ++round) {
      const std::size_t i = random.Below(scores.size());
      scores[i] = static_cast<std::int64_t>(random.Next());
      ASSERT_TRUE(board->Set(sorted[i].member, {scores[i]}, After(kCount + round)).ok());
    }
    EXPECT_EQ(board->Validate(), "");
    std::vector<std::int64_t> shown;
    board->ForEach(End::kWorst, [&](const Entry& entry) {
      shown.push_back(entry.score[0]);
      return true;
    });
    std::sort(scores.begin(), scores.end());
    EXPECT_EQ(shown, scores);
  }
}

TEST(Large, RemovingAllEntriesFreesTheMemory) {
  for (const Spec& spec : {Spec(), Spec::SortedSet()}) {
    TestBoard board(spec);
    for (int i = 0; i < 50'000; ++i) {
      ASSERT_TRUE(board->Set("member:" + std::to_string(i), Score::Double(i), After(i)).ok());
    }
    EXPECT_GT(board->MemoryUsage(), 100'000U);
    for (int i = 0; i < 25'000; ++i) {
      const std::string member = "member:" + std::to_string(2 * i);
      const std::string_view even = member;
      ASSERT_EQ(board->Remove({&even, 1}), 1U);
    }
    EXPECT_EQ(board->Validate(), "");
    while (board->size() > 0) EXPECT_FALSE(board->Pop(100, End::kWorst)->empty());
    EXPECT_EQ(board->Validate(), "");
    EXPECT_LE(board->MemoryUsage(), 1024U);
    EXPECT_EQ(board.DestroyAndCountLeakedBytes(), 0U);
  }
}

TEST(Large, DestroyingABoardWithEntriesLeaksNothing) {
  TestBoard board(Spec{}, TinyShape());
  for (int i = 0; i < 5'000; ++i) {
    const std::string member = std::to_string(i);
    const std::string_view view = member;
    ASSERT_TRUE(board->Submit(member, {i}, After(i)).ok());
    ASSERT_TRUE(board->SetMeta(member, std::string(100, 'x'), kNow).value());
    if (i % 10 == 0) {
      ASSERT_EQ(board->Hide({&view, 1}).value(), 1U);
    }
  }
  EXPECT_EQ(board.DestroyAndCountLeakedBytes(), 0U);
}

// Caps ------------------------------------------------------------------------------------------

TEST(CapOfOne, TieFirstRefusesAnEqualNewcomerAndReportsTheNeededScore) {
  TestBoard board(Capped(1, Tie::kFirst));
  EXPECT_EQ(board->Submit("ann", {10}, After(1)).value().rank, 1U);
  const Verdict equal = board->Submit("bob", {10}, After(2)).value();
  EXPECT_EQ(equal.status, WriteStatus::kNotRanked);
  EXPECT_EQ(equal.needs, (Score{11}));
  EXPECT_EQ(equal.score, std::nullopt);
  EXPECT_EQ(equal.rank, std::nullopt);
  EXPECT_EQ(board->Submit("cid", {11}, After(3)).value().rank, 1U);
  EXPECT_EQ(Order(*board), Names{"cid"});
  EXPECT_EQ(board->Increment("cid", {1}, After(4)).error().code, ErrorCode::kErr);
}

TEST(CapOfOne, TieLastLetsAnEqualNewcomerEvictTheHolder) {
  TestBoard board(Capped(1, Tie::kLast));
  ASSERT_TRUE(board->Submit("ann", {10}, After(1)).ok());
  EXPECT_EQ(board->Submit("bob", {10}, After(2)).value().rank, 1U);
  EXPECT_EQ(Order(*board), Names{"bob"});
  EXPECT_EQ(board->Submit("cid", {9}, After(3)).value().status, WriteStatus::kNotRanked);
}

TEST(Cap, HiddenMembersTakeNoPlaceAndShowEvictsTheWorst) {
  TestBoard board(Capped(2, Tie::kFirst));
  const std::string_view ann = "ann";
  ASSERT_TRUE(board->Submit("ann", {30}, After(1)).ok());
  ASSERT_EQ(board->Hide({&ann, 1}).value(), 1U);
  ASSERT_TRUE(board->Submit("bob", {20}, After(2)).ok());
  ASSERT_TRUE(board->Submit("cid", {10}, After(3)).ok());
  EXPECT_EQ(Order(*board), (Names{"bob", "cid"}));
  EXPECT_EQ(board->Get("ann").value().rank, std::nullopt);
  EXPECT_EQ(board->Show({&ann, 1}).value(), 1U);
  EXPECT_EQ(Order(*board), (Names{"ann", "bob"}));
  EXPECT_TRUE(board->Alter(Capped(1, Tie::kFirst), kNow).ok());
  EXPECT_EQ(Order(*board), Names{"ann"});
}

// Members ---------------------------------------------------------------------------------------

TEST(Members, EmptyToMaximumLengthIsAcceptedAndOneMoreByteIsRefused) {
  for (const Spec& spec : {Spec(), Spec::SortedSet()}) {
    const bool sorted_set = spec.kind == BoardKind::kSortedSet;
    const std::size_t most = sorted_set ? kMaxSortedSetMemberBytes : kMaxMemberBytes;
    TestBoard board(spec);
    const Names members = {"", "x", std::string(most - 1, 'y'), std::string(most, 'z')};
    for (const std::string& member : members) {
      ASSERT_TRUE(board->Set(member, Score::Double(1), After(1)).ok());
      EXPECT_EQ(board->Get(member).value().member, member);
    }
    EXPECT_EQ(Order(*board), members);
    const std::string beyond(most + 1, 'z');
    EXPECT_EQ(board->Set(beyond, Score::Double(1), After(2)).error().code, ErrorCode::kLimit);
    EXPECT_EQ(board->Get(beyond), std::nullopt);
    EXPECT_EQ(board->size(), members.size());
    const std::vector<std::string_view> all(members.begin(), members.end());
    EXPECT_EQ(board->Remove(all), members.size());
    EXPECT_LE(board->MemoryUsage(), 1024U);
  }
}

TEST(Members, MetaOfMaximumLengthIsAcceptedAndOneMoreByteIsRefused) {
  TestBoard board(Spec{});
  ASSERT_TRUE(board->Submit("a", {1}, After(1)).ok());
  const std::string most(kMaxMetaBytes, 'm');
  EXPECT_TRUE(board->SetMeta("a", most, kNow).value());
  EXPECT_EQ(board->SetMeta("a", most + "m", kNow).error().code, ErrorCode::kLimit);
  EXPECT_EQ(board->Get("a").value().meta, most);
  EXPECT_FALSE(board->SetMeta("absent", "m", kNow).value());
}

void ExpectBytesOrder(const Names& ascending) {
  for (const core::Shape& shape : {core::Shape(), TinyShape()}) {
    Spec spec;
    spec.tie = Tie::kMember;
    TestBoard board(spec, shape);
    Stamp micros = 0;
    for (auto member = ascending.rbegin(); member != ascending.rend(); ++member) {
      ASSERT_TRUE(board->Submit(*member, {95}, After(++micros)).ok());
    }
    EXPECT_EQ(Order(*board), ascending);
    EXPECT_EQ(board->Validate(), "");
  }
}

TEST(Members, NumbersAsMembersAreComparedAsText) {
  ExpectBytesOrder({"+5", "-0", "-1", "-10", "-9", "-9223372036854775808", "0", "00", "007", "10",
                    "1e3", "5", "7", "9", "9223372036854775807", "9223372036854775808"});
}

TEST(Members, NulAndHighBytesAreOrderedAsUnsignedBytes) {
  using namespace std::string_literals;
  ExpectBytesOrder({""s, "\0"s, "\0\0"s, "\0a"s, "a"s, "a\0"s, "a\0b"s, "aa"s, "\x7f"s, "\x80"s,
                    "\xff"s, "\xff\0"s});
}

TEST(Members, Utf8MembersAreOrderedByTheirBytes) {
  ExpectBytesOrder({"Z", "a", "ä", "é", "あ", "用户", "用户1", "😀"});
}

// Rules of order --------------------------------------------------------------------------------

TEST(RulesOfOrder, EqualScoresKeepTheOrderOfArrivalThroughUpdates) {
  TestBoard board(Spec{});
  ASSERT_TRUE(board->Set("user1", {89}, After(1)).ok());
  ASSERT_TRUE(board->Set("user2", {95}, After(2)).ok());
  ASSERT_TRUE(board->Set("user3", {95}, After(3)).ok());
  ASSERT_TRUE(board->Set("user4", {90}, After(4)).ok());
  EXPECT_EQ(Order(*board), (Names{"user2", "user3", "user4", "user1"}));
  EXPECT_EQ(board->Increment("user4", {6}, After(5)).value().rank, 1U);
  EXPECT_EQ(Order(*board), (Names{"user4", "user2", "user3", "user1"}));
  const std::string_view user4 = "user4";
  EXPECT_EQ(board->Remove({&user4, 1}), 1U);
  EXPECT_EQ(Order(*board), (Names{"user2", "user3", "user1"}));
}

TEST(RulesOfOrder, EqualStampsGivenByAtAreResolvedByMemberBytes) {
  for (const Tie tie : {Tie::kFirst, Tie::kLast}) {
    TestBoard board(OneField(Direction::kDesc, Policy::kSet, tie));
    for (const std::string_view member : {"c", "10", "a", "9", "b"}) {
      const Write write = WriteOf(WriteMode::kSubmit, member, {95}, kNow - 5);
      ASSERT_TRUE(board->Apply(write, After(1)).ok());
    }
    EXPECT_EQ(Order(*board), (Names{"10", "9", "a", "b", "c"}));
  }
}

TEST(RulesOfOrder, TieLastPutsTheLaterStampAhead) {
  TestBoard board(OneField(Direction::kDesc, Policy::kSet, Tie::kLast));
  for (const Stamp micros : {1, 2, 3}) {
    ASSERT_TRUE(board->Submit(std::to_string(micros), {95}, After(micros)).ok());
  }
  EXPECT_EQ(Order(*board), (Names{"3", "2", "1"}));
  EXPECT_EQ(board->RankOf({95}).value(), 1U);
}

TEST(RulesOfOrder, Rule5UnchangedScoreKeepsTheStamp) {
  for (const Policy policy : {Policy::kSet, Policy::kBest, Policy::kSum}) {
    TestBoard board(OneField(Direction::kDesc, policy));
    ASSERT_TRUE(board->Submit("ann", {95}, After(1)).ok());
    ASSERT_TRUE(board->Submit("bob", {95}, After(2)).ok());
    const Score again{policy == Policy::kSum ? 0 : 95};
    EXPECT_EQ(board->Submit("ann", again, After(3)).value().status, WriteStatus::kUnchanged);
    EXPECT_EQ(board->Increment("ann", {0}, After(4)).value().status, WriteStatus::kUnchanged);
    EXPECT_EQ(board->Set("ann", {95}, After(5)).value().status, WriteStatus::kUnchanged);
    if (policy == Policy::kBest) {
      EXPECT_EQ(board->Submit("ann", {94}, After(6)).value().status, WriteStatus::kNotBest);
    }
    const Write at = WriteOf(WriteMode::kSubmit, "ann", again, kNow - 100);
    EXPECT_EQ(board->Apply(at, After(7)).value().status, WriteStatus::kUnchanged);
    EXPECT_EQ(board->Get("ann").value().stamp, kNow + 1);
    EXPECT_EQ(Order(*board), (Names{"ann", "bob"}));
  }
}

TEST(RulesOfOrder, Rule5ExceptionSetWithAtCorrectsTheStampAndKeepsTheMeta) {
  TestBoard board(Spec{});
  Write write = WriteOf(WriteMode::kSubmit, "ann", {95});
  write.meta = "replay";
  ASSERT_TRUE(board->Apply(write, After(1)).ok());
  ASSERT_TRUE(board->Submit("bob", {95}, After(2)).ok());
  Write correction = WriteOf(WriteMode::kSet, "ann", {95}, kNow + 3);
  correction.meta = "other";
  const Verdict verdict = board->Apply(correction, After(4)).value();
  EXPECT_EQ(verdict.status, WriteStatus::kAccepted);
  EXPECT_EQ(verdict.rank, 2U);
  EXPECT_EQ(verdict.previous_rank, 1U);
  EXPECT_EQ(board->Get("ann").value().stamp, kNow + 3);
  EXPECT_EQ(board->Get("ann").value().meta, "replay");
  EXPECT_EQ(board->Apply(correction, After(5)).value().status, WriteStatus::kUnchanged);
}

TEST(RulesOfOrder, Rule6AtIsTheStampOfAChangedScore) {
  TestBoard board(Spec{});
  const Write early = WriteOf(WriteMode::kSubmit, "late", {95}, kNow - 50);
  ASSERT_TRUE(board->Submit("early", {95}, After(1)).ok());
  EXPECT_EQ(board->Apply(early, After(2)).value().stamp, kNow - 50);
  EXPECT_EQ(Order(*board), (Names{"late", "early"}));
  // A replaced score does not build on the old one, so its stamp may be earlier.
  const Write back = WriteOf(WriteMode::kSubmit, "early", {96}, kNow - 70);
  EXPECT_EQ(board->Apply(back, After(3)).value().stamp, kNow - 70);
}

TEST(RulesOfOrder, Rule6ScoreBuiltOnTheOldOneGetsNoEarlierStamp) {
  TestBoard sum(OneField(Direction::kDesc, Policy::kSum));
  TestBoard operators(WithOperator(Operator::kMax));
  TestBoard plain(Spec{});
  for (TestBoard* board : {&sum, &operators, &plain}) {
    const WriteMode mode = board == &plain ? WriteMode::kIncrement : WriteMode::kSubmit;
    ASSERT_TRUE((*board)->Apply(WriteOf(mode, "ann", {10}, kNow - 10), After(1)).ok());
    const Verdict earlier =
        (*board)->Apply(WriteOf(mode, "ann", {20}, kNow - 20), After(2)).value();
    EXPECT_EQ(earlier.status, WriteStatus::kAccepted);
    EXPECT_EQ(earlier.stamp, kNow - 10);
    const Verdict later = (*board)->Apply(WriteOf(mode, "ann", {30}, kNow - 5), After(3)).value();
    EXPECT_EQ(later.stamp, kNow - 5);
  }
}

TEST(RulesOfOrder, Rule6AtOneSecondAheadIsAcceptedAndAMicrosecondMoreIsBadTime) {
  TestBoard board(Spec{});
  const Moment moment{kNow, kNow};
  const Write edge = WriteOf(WriteMode::kSubmit, "a", {1}, kNow + kMaxStampLeadMicros);
  const Write beyond = WriteOf(WriteMode::kSubmit, "b", {1}, kNow + kMaxStampLeadMicros + 1);
  EXPECT_EQ(board->Apply(edge, moment).value().stamp, kNow + kMaxStampLeadMicros);
  EXPECT_EQ(board->Apply(beyond, moment).error().code, ErrorCode::kBadTime);
  EXPECT_EQ(board->size(), 1U);
}

TEST(Policies, BestReplacesTheWholeTupleOrNothing) {
  Spec spec;
  spec.fields = {{"points", 0, Direction::kDesc}, {"seconds", 0, Direction::kAsc}};
  spec.policy = Policy::kBest;
  TestBoard board(spec);
  ASSERT_TRUE(board->Submit("ann", {10, 60}, After(1)).ok());
  // A better second field does not count when the first is worse.
  EXPECT_EQ(board->Submit("ann", {9, 1}, After(2)).value().status, WriteStatus::kNotBest);
  EXPECT_EQ(board->Submit("ann", {10, 61}, After(3)).value().status, WriteStatus::kNotBest);
  EXPECT_EQ(board->Submit("ann", {10, 60}, After(4)).value().status, WriteStatus::kUnchanged);
  EXPECT_EQ(board->Submit("ann", {10, 59}, After(5)).value().status, WriteStatus::kAccepted);
  EXPECT_EQ(board->Submit("ann", {11, 999}, After(6)).value().score, (Score{11, 999}));
}

TEST(Policies, OneSubmitAppliesTheOperatorOfEachField) {
  Spec spec;
  spec.fields = {{"points", 0, Direction::kDesc, Operator::kSum},
                 {"deaths", 0, Direction::kAsc, Operator::kSum},
                 {"fastest", 3, Direction::kAsc, Operator::kMin}};
  TestBoard board(spec);
  ASSERT_TRUE(board->Submit("ann", {100, 2, 61'500}, After(1)).ok());
  EXPECT_EQ(board->Submit("ann", {50, 1, 60'000}, After(2)).value().score, (Score{150, 3, 60'000}));
  EXPECT_EQ(board->Submit("ann", {0, 0, 99'000}, After(3)).value().status, WriteStatus::kUnchanged);
  ASSERT_TRUE(board->Submit("bob", {150, 3, 59'999}, After(4)).ok());
  EXPECT_EQ(Order(*board), (Names{"bob", "ann"}));
  EXPECT_EQ(board->Submit("ann", {0, -1, 70'000}, After(5)).value().rank, 1U);
  EXPECT_EQ(board->Set("ann", {1, 2, 3}, After(6)).value().score, (Score{1, 2, 3}));
}

// Sorted sets -----------------------------------------------------------------------------------

TEST(SortedSet, OrdersInfinitiesZeroAndDenormalsByNumberThenBytes) {
  using Limits = std::numeric_limits<double>;
  const std::vector<std::pair<std::string, double>> ascending = {
      {"-inf", -Limits::infinity()},
      {"lowest", Limits::lowest()},
      {"-1.5", -1.5},
      {"-denormal", -Limits::denorm_min()},
      {"zero a", 0.0},
      {"zero b", -0.0},
      {"zero c", 0.0},
      {"denormal", Limits::denorm_min()},
      {"normal", Limits::min()},
      {"0.1", 0.1},
      {"0.1+", 0.1 + std::numeric_limits<double>::epsilon()},
      {"max", Limits::max()},
      {"+inf", Limits::infinity()}};
  for (const core::Shape& shape : {core::Shape(), TinyShape()}) {
    TestBoard board(Spec::SortedSet(), shape);
    Names members;
    for (const auto& [member, value] : ascending) members.push_back(member);
    for (auto entry = ascending.rbegin(); entry != ascending.rend(); ++entry) {
      ASSERT_TRUE(board->Set(entry->first, Score::Double(entry->second), After(1)).ok());
    }
    EXPECT_EQ(Order(*board), members);
    EXPECT_EQ(board->Get("zero b").value().score[0], 0);  // the bits of +0
    EXPECT_EQ(board->Get("zero b").value().stamp, 0);
    EXPECT_EQ(board->Validate(), "");
  }
}

TEST(SortedSet, InfinityPlusMinusInfinityIsRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  TestBoard board(Spec::SortedSet());
  ASSERT_TRUE(board->Set("a", Score::Double(infinity), After(1)).ok());
  const Result<WriteVerdict> nan = board->Increment("a", Score::Double(-infinity), After(2));
  EXPECT_EQ(nan.error().code, ErrorCode::kErr);
  EXPECT_EQ(board->Get("a").value().score.AsDouble(), infinity);
}

TEST(SortedSet, BoundsParsedFromTextCountInfiniteScoresAsRedisDoes) {
  const Spec spec = Spec::SortedSet();
  const double infinity = std::numeric_limits<double>::infinity();
  TestBoard board(spec);
  ASSERT_TRUE(board->Set("low", Score::Double(-infinity), After(1)).ok());
  ASSERT_TRUE(board->Set("zero", Score::Double(0), After(2)).ok());
  ASSERT_TRUE(board->Set("high", Score::Double(infinity), After(3)).ok());
  const auto count = [&](std::string_view min, std::string_view max) {
    return board->Count(ParseBound(spec, min, BoundSide::kMin).value(),
                        ParseBound(spec, max, BoundSide::kMax).value());
  };
  EXPECT_EQ(count("-inf", "+inf"), 3U);
  EXPECT_EQ(count("(-inf", "(+inf"), 1U);
  EXPECT_EQ(count("+inf", "+inf"), 1U);
  EXPECT_EQ(count("-inf", "-inf"), 1U);
  EXPECT_EQ(count("-0", "0"), 1U);
}

TEST(SortedSet, RefusesStampsMetaHiddenMarksAndCaps) {
  TestBoard board(Spec::SortedSet());
  ASSERT_TRUE(board->Set("a", Score::Double(1), After(1)).ok());
  const std::string_view a = "a";
  EXPECT_EQ(
      board->Apply(WriteOf(WriteMode::kSet, "a", Score::Double(2), kNow), After(2)).error().code,
      ErrorCode::kWrongType);
  EXPECT_EQ(board->SetMeta("a", "m", kNow).error().code, ErrorCode::kWrongType);
  EXPECT_EQ(board->Hide({&a, 1}).error().code, ErrorCode::kWrongType);
  EXPECT_EQ(board->Show({&a, 1}).error().code, ErrorCode::kWrongType);
  EXPECT_EQ(board->Alter(Capped(1, Tie::kFirst), kNow).error().code, ErrorCode::kWrongType);
  EXPECT_EQ(board->Get("a").value().score.AsDouble(), 1);
}

}  // namespace
}  // namespace laurel
