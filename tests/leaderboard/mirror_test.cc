// A mirror that applies the effects of a board has the state of that board, for any spec and any
// sequence of operations and clock steps, and also if the mirror was rebuilt from a walk during
// which the board was written to.
#include "tests/leaderboard/mirror.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/leaderboard/random_operations.h"
#include "tests/leaderboard/text_answer.h"
#include "tests/support/seed.h"

namespace laurel::leaderboard {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr Stamp kStart = 1'794'800'000 * kSecond;  // a day in November 2026

Stamp Step(base::Random* random, Stamp now) {
  if (!random->OneIn(3)) return now + static_cast<Stamp>(random->Below(1000));
  if (random->OneIn(12)) return now - static_cast<Stamp>(random->Below(7200)) * kSecond;
  if (random->OneIn(20)) return now + static_cast<Stamp>(random->Below(40 * 86400)) * kSecond;
  return now + static_cast<Stamp>(random->Below(3000)) * kSecond;
}

// Runs at most `steps` operations on one leaderboard.
void PlayEpisode(std::uint64_t seed, int steps) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Random random(seed);
  Mirror mirror("lb", RandomSpec(&random, kStart));
  mirror.SetTime(kStart);
  RandomOperations operations(&random, random.OneIn(2) ? 8 : 60);
  bool ended = false;
  const auto play = [&] {
    mirror.SetTime(Step(&random, mirror.now()));
    if (random.OneIn(5)) {
      ended = mirror.Advance(1 + random.Below(6)).ended;
    } else {
      TextAnswer answer;
      mirror.Write(operations.Draw(mirror.board().spec(), mirror.now()), &answer);
      ASSERT_FALSE(answer.text().empty());
    }
  };
  for (int i = 0; i < steps && !ended; ++i) {
    if (random.OneIn(40)) {
      mirror.Rebuild(1 + random.Below(5), [&] {
        if (random.OneIn(2) && !ended) play();
      });
    } else {
      play();
    }
    ASSERT_EQ(mirror.Compare(), "")
        << "step " << i << " of " << DescribeSpec(mirror.board().spec());
  }
}

TEST(Mirror, EqualsTheBoardAfterEveryOperation) {
  if (const auto wanted = NumberFromEnvironment("LAUREL_TEST_SEED")) {
    return PlayEpisode(*wanted, 400);
  }
  for (std::uint64_t seed = 1; seed <= 400 && !HasFatalFailure(); ++seed) PlayEpisode(seed, 120);
}

// AT never moves the clock, nor does a later write that builds on the score it came with.
TEST(Mirror, SumOnAScoreAheadOfTheClockDoesNotMoveTheClock) {
  Spec spec;
  spec.policy = Policy::kSum;
  Mirror mirror("lb", spec);
  mirror.SetTime(kStart);
  const Score one{1};
  Submit submit;
  submit.member = "ann";
  submit.values.score = &one;
  submit.at = kStart + kSecond;
  TextAnswer answer;
  mirror.Write(submit, &answer);
  submit.at.reset();
  mirror.Write(submit, &answer);
  const Write many[] = {{.member = "ann", .score = one}};
  mirror.Write(SubmitMany{.writes = many}, &answer);
  const core::EntryStore& entries = mirror.board().standings().entries();
  EXPECT_EQ(mirror.board().standings().layout().StampOf(entries.WordsAt(entries.At(0))),
            kStart + kSecond);
  EXPECT_LT(mirror.board().last_stamp(), kStart + kSecond);
  EXPECT_EQ(mirror.Compare(), "");
}

}  // namespace
}  // namespace laurel::leaderboard
