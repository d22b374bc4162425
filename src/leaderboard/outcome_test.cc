#include "leaderboard/outcome.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::leaderboard {
namespace {

Spec WithFields(std::size_t count) {
  Spec spec;
  spec.fields.resize(count, spec.fields.front());
  for (std::size_t i = 0; i < count; ++i) spec.fields[i].name = "f" + std::to_string(i);
  return spec;
}

TEST(Outcome, VerdictsComeBackAsTheyWere) {
  Verdict verdict;
  verdict.status = WriteStatus::kNotRanked;
  verdict.previous_rank = 7;
  verdict.score = Score{1, -2};
  verdict.needs = Score{INT64_MAX, INT64_MIN};
  verdict.stamp = 5;
  const std::vector<Verdict> both = {verdict, Verdict()};
  std::string bytes;
  EncodeVerdicts(both, &bytes);
  std::vector<Verdict> read;
  ASSERT_TRUE(DecodeVerdicts(bytes, WithFields(2), &read));
  EXPECT_EQ(read, both);
}

// A replica and a restored payload may hold any bytes, and an answer prints the scores by the
// board's fields.
TEST(Outcome, ScoresOfAnotherNumberOfFieldsAreRefused) {
  Verdict verdict;
  verdict.score = Score{1, 2};
  std::string bytes;
  EncodeVerdicts({&verdict, 1}, &bytes);
  std::vector<Verdict> read;
  EXPECT_FALSE(DecodeVerdicts(bytes, WithFields(1), &read));
  EXPECT_FALSE(DecodeVerdicts(bytes, WithFields(3), &read));
  EXPECT_FALSE(DecodeVerdicts(bytes.substr(0, bytes.size() - 1), WithFields(2), &read));
}

}  // namespace
}  // namespace laurel::leaderboard
