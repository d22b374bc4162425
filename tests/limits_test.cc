// Tests every documented limit at its edge: the largest value is accepted, the next is refused, and
// a refusal changes nothing.
#include "laurel/limits.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/laurel.h"

namespace laurel {
namespace {

constexpr Stamp kNow = 1'700'000'000'000'000;
constexpr Moment kMoment{kNow, kNow};

class LimitsTest : public testing::Test {
 protected:
  Boards boards_;
  Board board_ = boards_.Create("run").value();
};

template <typename T>
ErrorCode CodeOf(const Result<T>& result) {
  EXPECT_FALSE(result.ok());
  return result.ok() ? ErrorCode::kErr : result.error().code;
}

// The documentation states these numbers: changing one is a change of the product.
TEST(Limits, ConstantsAreTheDocumentedNumbers) {
  EXPECT_EQ(kMaxMemberBytes, 1024U);
  EXPECT_EQ(kMaxSortedSetMemberBytes, 512U * 1024);
  EXPECT_EQ(kMaxMetaBytes, 4096U);
  EXPECT_EQ(kMaxBoardNameBytes, 512U);
  EXPECT_EQ(kMaxFields, 8U);
  EXPECT_EQ(kMaxFieldNameBytes, 64U);
  EXPECT_EQ(kMaxDecimals, 9);
  EXPECT_EQ(kMaxHistogramBuckets, 1000U);
  EXPECT_EQ(kMaxStampLeadMicros, 1'000'000);
}

TEST_F(LimitsTest, MemberHasAtMost1024BytesInEveryWrite) {
  const std::string most(1024, 'm');
  const std::string beyond(1025, 'm');
  const std::string_view beyond_view = beyond;
  EXPECT_TRUE(board_.Submit(most, {1}, kMoment).ok());
  EXPECT_EQ(board_.Get(most).value().member, most);
  EXPECT_EQ(CodeOf(board_.Submit(beyond, {1}, kMoment)), ErrorCode::kLimit);
  EXPECT_EQ(CodeOf(board_.Hide({&beyond_view, 1})), ErrorCode::kLimit);
  const std::vector<Write> writes = {{.member = "fits", .score = {1}},
                                     {.member = beyond, .score = {1}}};
  EXPECT_EQ(CodeOf(board_.ApplyAll(writes, kMoment)), ErrorCode::kLimit);
  std::vector<Result<Verdict>> verdicts;
  board_.ApplyBatch({&writes[1], 1}, kMoment, &verdicts);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(CodeOf(verdicts[0]), ErrorCode::kLimit);
  EXPECT_EQ(board_.size(), 1U);
  EXPECT_FALSE(board_.contains("fits"));
}

TEST_F(LimitsTest, LoadEnforcesTheLimitsOfWrites) {
  Entry member;
  member.member = std::string(1024, 'm');
  member.score = {1};
  Entry meta;
  meta.meta = std::string(4096, 'x');
  meta.score = {1};
  const auto load = [&](const Entry& entry) {
    Boards boards;
    return boards.Create("run").value().Load({&entry, 1});
  };
  EXPECT_TRUE(load(member).ok());
  EXPECT_TRUE(load(meta).ok());
  member.member += 'm';
  meta.meta += 'x';
  EXPECT_FALSE(load(member).ok());
  EXPECT_FALSE(load(meta).ok());
}

TEST_F(LimitsTest, SortedSetMemberHasAtMost512KiB) {
  Board set = boards_.Create("set", Spec::SortedSet()).value();
  const std::string most(512 * 1024, 'm');
  EXPECT_TRUE(set.Set(most, Score::Double(1), kMoment).ok());
  EXPECT_EQ(set.Get(most).value().rank, 1U);
  EXPECT_EQ(CodeOf(set.Set(most + "m", Score::Double(1), kMoment)), ErrorCode::kLimit);
  EXPECT_EQ(set.size(), 1U);
}

TEST_F(LimitsTest, MetaHasAtMost4096BytesInEveryWrite) {
  const std::string most(4096, 'x');
  const std::string beyond(4097, 'x');
  const Write edge{.member = "ann", .score = {1}, .meta = most};
  const Write over{.member = "bob", .score = {2}, .meta = beyond};
  EXPECT_TRUE(board_.Apply(edge, kMoment).ok());
  EXPECT_EQ(board_.Get("ann").value().meta, most);
  EXPECT_EQ(CodeOf(board_.Apply(over, kMoment)), ErrorCode::kLimit);
  EXPECT_EQ(CodeOf(board_.ApplyAll({&over, 1}, kMoment)), ErrorCode::kLimit);
  EXPECT_EQ(CodeOf(board_.SetMeta("ann", beyond, kNow)), ErrorCode::kLimit);
  EXPECT_EQ(board_.Get("ann").value().meta, most);
  EXPECT_FALSE(board_.contains("bob"));
}

TEST_F(LimitsTest, BoardNameHasAtMost512BytesInCreateAndRename) {
  const std::string most(512, 'n');
  const std::string beyond(513, 'n');
  EXPECT_TRUE(boards_.Create(most).ok());
  EXPECT_TRUE(boards_.Find(most).has_value());
  EXPECT_EQ(CodeOf(boards_.Create(beyond)), ErrorCode::kLimit);
  EXPECT_EQ(CodeOf(boards_.Rename("run", beyond)), ErrorCode::kLimit);
  EXPECT_TRUE(boards_.Find("run").has_value());
  EXPECT_TRUE(boards_.Rename("run", std::string(512, 'o')).ok());
  EXPECT_EQ(boards_.size(), 2U);
}

TEST_F(LimitsTest, LeaderboardHasAtMostEightFields) {
  Spec spec;
  spec.fields.clear();
  for (int i = 0; i < 8; ++i) spec.fields.push_back(Field{.name = "f" + std::to_string(i)});
  Board board = boards_.Create("eight", spec).value();
  const Score score{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE(board.Submit("ann", score, kMoment).ok());
  EXPECT_EQ(board.Get("ann").value().score, score);
  spec.fields.push_back(Field{.name = "f8"});
  EXPECT_EQ(CodeOf(CheckSpec(spec)), ErrorCode::kLimit);
  EXPECT_EQ(CodeOf(boards_.Create("nine", spec)), ErrorCode::kLimit);
  EXPECT_FALSE(boards_.Find("nine").has_value());
}

TEST_F(LimitsTest, FieldNameHasAtMost64Bytes) {
  Spec spec;
  spec.fields[0].name = std::string(64, 'f');
  EXPECT_TRUE(boards_.Create("edge", spec).ok());
  spec.fields[0].name += 'f';
  EXPECT_EQ(CodeOf(boards_.Create("beyond", spec)), ErrorCode::kLimit);
  EXPECT_FALSE(boards_.Find("beyond").has_value());
}

TEST_F(LimitsTest, FieldHasAtMostNineDecimals) {
  Spec spec;
  spec.fields[0].decimals = 9;
  EXPECT_TRUE(boards_.Create("edge", spec).ok());
  spec.fields[0].decimals = 10;
  EXPECT_EQ(CodeOf(boards_.Create("beyond", spec)), ErrorCode::kErr);
  EXPECT_TRUE(ParseField("score:decimal9").ok());
  EXPECT_FALSE(ParseField("score:decimal10").ok());
}

TEST_F(LimitsTest, HistogramHas1To1000Buckets) {
  ASSERT_TRUE(board_.Submit("ann", {0}, kMoment).ok());
  ASSERT_TRUE(board_.Submit("bob", {999}, kMoment).ok());
  EXPECT_EQ(board_.Histogram(1).value().size(), 1U);
  EXPECT_EQ(board_.Histogram(1000).value().size(), 1000U);
  EXPECT_EQ(CodeOf(board_.Histogram(0)), ErrorCode::kErr);
  EXPECT_EQ(CodeOf(board_.Histogram(1001)), ErrorCode::kErr);
}

TEST_F(LimitsTest, AtIsAtMostOneSecondAheadOfTheClock) {
  const Write edge{.member = "ann", .score = {1}, .at = kNow + 1'000'000};
  const Write over{.member = "bob", .score = {2}, .at = kNow + 1'000'001};
  // The limit is measured from the clock, however far stamps lead it.
  const Moment leading{kNow, kNow + 60'000'000};
  EXPECT_EQ(board_.Apply(edge, leading).value().stamp, kNow + 1'000'000);
  EXPECT_EQ(CodeOf(board_.Apply(over, leading)), ErrorCode::kBadTime);
  EXPECT_EQ(CodeOf(board_.ApplyAll({&over, 1}, leading)), ErrorCode::kBadTime);
  EXPECT_FALSE(board_.contains("bob"));
  const Write ancient{.member = "cy", .score = {3}, .at = INT64_MIN};
  EXPECT_EQ(board_.Apply(ancient, leading).value().stamp, INT64_MIN)
      << "no limit on the other side";
}

}  // namespace
}  // namespace laurel
