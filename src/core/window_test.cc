#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "core/decide.h"
#include "core/store/environment.h"

namespace laurel::core {
namespace {

constexpr Stamp kStart = 1'000'000'000;
constexpr Stamp kEnd = 2'000'000'000;
constexpr std::int64_t kGrace = 10'000'000;

class WindowTest : public testing::Test {
 protected:
  // The error of a write that arrives at `now`, or "" if it is accepted.
  std::string Write(const Spec& spec, Stamp now, std::optional<Stamp> at = std::nullopt) {
    Environment environment(base::SystemMemory(), 1);
    const Standings standings(spec, &environment);
    laurel::Write write;
    write.member = "ann";
    write.score = Score{1};
    write.at = at;
    EffectBatch effects;
    const Result<Verdict> verdict = DecideWrite(standings, write, {now, now}, &effects);
    EXPECT_EQ(verdict.ok(), !effects.empty());
    return verdict.ok() ? "" : verdict.error().ToString();
  }

  static Spec Window(std::optional<Stamp> start, std::optional<Stamp> end,
                     std::int64_t grace_us = 0) {
    Spec spec;
    spec.start = start;
    spec.end = end;
    spec.grace_us = grace_us;
    return spec;
  }
};

TEST_F(WindowTest, StartIsInsideAndEndIsNot) {
  const Spec spec = Window(kStart, kEnd);
  EXPECT_NE(Write(spec, kStart - 1), "");
  EXPECT_EQ(Write(spec, kStart), "");
  EXPECT_EQ(Write(spec, kEnd - 1), "");
  EXPECT_NE(Write(spec, kEnd), "");
}

TEST_F(WindowTest, EitherSideMayBeOpen) {
  EXPECT_EQ(Write(Window(kStart, std::nullopt), INT64_C(4'000'000'000'000'000)), "");
  EXPECT_NE(Write(Window(kStart, std::nullopt), 0), "");
  EXPECT_EQ(Write(Window(std::nullopt, kEnd), 0), "");
  EXPECT_NE(Write(Window(std::nullopt, kEnd), kEnd), "");
}

TEST_F(WindowTest, GraceAdmitsLateArrivalsOfTimelyWrites) {
  const Spec spec = Window(kStart, kEnd, kGrace);
  EXPECT_NE(Write(spec, kEnd), "") << "its own time is too late";
  EXPECT_EQ(Write(spec, kEnd, kEnd - 1), "");
  EXPECT_EQ(Write(spec, kEnd + kGrace - 1, kEnd - 1), "");
  EXPECT_NE(Write(spec, kEnd + kGrace, kEnd - 1), "") << "it arrives too late";
  EXPECT_NE(Write(spec, kEnd + 1, kEnd), "");
  EXPECT_NE(Write(spec, kEnd + 1, kStart - 1), "");
}

TEST_F(WindowTest, WithoutGraceALateArrivalIsRefusedWhateverItsAt) {
  EXPECT_NE(Write(Window(kStart, kEnd), kEnd, kEnd - 1), "");
}

TEST_F(WindowTest, TheErrorNamesEveryTimeThatDecides) {
  EXPECT_EQ(Write(Window(kStart, kEnd), 0),
            "CLOSED the window is open from START 1970-01-01T00:16:40.000000Z to END "
            "1970-01-01T00:33:20.000000Z, GRACE 0s; now 1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(Write(Window(std::nullopt, kEnd, kGrace), kEnd),
            "CLOSED the window is open from START none to END 1970-01-01T00:33:20.000000Z, GRACE "
            "10s; now 1970-01-01T00:33:20.000000Z");
  EXPECT_EQ(Write(Window(kStart, std::nullopt), kEnd, 0),
            "CLOSED the window is open from START 1970-01-01T00:16:40.000000Z to END none, GRACE "
            "0s; AT 1970-01-01T00:00:00.000000Z, now 1970-01-01T00:33:20.000000Z");
}

TEST_F(WindowTest, OneWriteOutsideTheWindowRefusesTheWholeList) {
  Environment environment(base::SystemMemory(), 1);
  const Standings standings(Window(kStart, kEnd), &environment);
  laurel::Write writes[2];
  writes[0].member = "ann";
  writes[1].member = "bob";
  writes[0].score = writes[1].score = Score{1};
  writes[1].at = kStart - 1;
  EffectBatch effects;
  const auto verdicts = DecideWrites(standings, writes, {kStart + 5, kStart + 5}, &effects);
  ASSERT_FALSE(verdicts.ok());
  EXPECT_EQ(verdicts.error().code, ErrorCode::kClosed);
  EXPECT_TRUE(effects.empty());
}

TEST_F(WindowTest, RemovalAndHidingWorkAfterTheEnd) {
  Environment environment(base::SystemMemory(), 1);
  Standings standings(Window(kStart, kEnd), &environment);
  laurel::Write write;
  write.member = "ann";
  write.score = Score{1};
  EffectBatch effects;
  ASSERT_TRUE(DecideWrite(standings, write, {kStart, kStart}, &effects).ok());
  standings.Apply(effects);
  const std::string_view ann = "ann";
  effects.Clear();
  EXPECT_EQ(*DecideHide(standings, {&ann, 1}, &effects), 1U);
  Marks marks(base::SystemMemory());
  marks.Add(ann);
  standings.SetMarks(&marks);
  standings.Apply(effects);
  effects.Clear();
  EXPECT_EQ(*DecideShow(standings, {&ann, 1}, &effects), 1U);
  standings.SetMarks(nullptr);
  standings.Apply(effects);
  effects.Clear();
  EXPECT_EQ(DecideRemove(standings, {&ann, 1}, &effects), 1U);
}

TEST_F(WindowTest, DescribeSpecListsWindowAndExpire) {
  Spec spec = Window(kStart, kEnd, kGrace);
  spec.expire_us = INT64_C(86'400'000'000);
  EXPECT_EQ(DescribeSpec(spec),
            "FIELDS 1 score:int:desc POLICY set TIE first START 1970-01-01T00:16:40.000000Z END "
            "1970-01-01T00:33:20.000000Z GRACE 10s EXPIRE 1d");
}

}  // namespace
}  // namespace laurel::core
