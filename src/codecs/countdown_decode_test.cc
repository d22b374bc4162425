// What Decode makes of scores beyond the exact range, of sums, and of any double at all, under the
// encodings with a countdown.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/time_text.h"
#include "laurel/codecs.h"
#include "laurel/score.h"
#include "tests/support/codec_cases.h"
#include "tests/support/seed.h"

namespace laurel {
namespace {

using testing::CodecCase;
using testing::kCodecEnd;
using testing::kSecond;

// LAUREL_TEST_ALL runs 50 times as many.
int Rounds(int rounds) { return NumberFromEnvironment("LAUREL_TEST_ALL") ? 50 * rounds : rounds; }

// Twice to a thousand times the range and more: Decode finds the value, and a time that is off by
// what it says at most. Not at the ends of time, where the score of the neighbouring value is near.
TEST(CountdownOutside, DecodeRecoversTheValueAndTheTimeWithinItsError) {
  base::Random random(TestSeed());
  std::uint64_t inexact = 0;
  for (const CodecCase& c : testing::CountdownCases()) {
    const CodecRange range = c.codec.range();
    const std::int64_t first = c.Remaining(range.last_time);
    const std::int64_t last = c.Remaining(range.first_time);
    for (int i = 0; i < Rounds(200); ++i) {
      const std::int64_t value = range.greatest_value + 1 +
                                 static_cast<std::int64_t>(random.Next() >> (2 + random.Below(60)));
      const std::int64_t remaining = testing::Pick(random, first, last);
      const double score = c.Score(value, remaining);
      const Result<DecodedEntry> decoded = c.codec.Decode(score, "a");
      if (!decoded) {
        const double spacing = (std::nextafter(score, HUGE_VAL) - score) *
                               static_cast<double>(c.is_fraction ? c.span : 1);
        ASSERT_GE(2 * spacing, static_cast<double>(std::min(remaining, c.span - 1 - remaining)))
            << c.name << ": " << value << ", " << decoded.error().ToString();
        continue;
      }
      ASSERT_EQ(decoded->value, value) << c.name;
      const auto at = static_cast<Stamp>(c.end - Int128{remaining} * c.unit_us);
      ASSERT_LE(std::abs(*decoded->at - at), decoded->at_error_us) << c.name << ": " << value;
      ASSERT_EQ(decoded->exact, decoded->at_error_us == 0);
      ASSERT_GE(*decoded->at, range.first_time);
      ASSERT_LE(*decoded->at, range.last_time);
      inexact += decoded->exact ? 0 : 1;
    }
  }
  EXPECT_GT(inexact, 1000U);
}

// A service that computes in doubles rounds the product of a large value, then the sum.
TEST(CountdownOutside, DecodeAllowsForProductsInDoubles) {
  base::Random random(TestSeed());
  for (const CodecCase& c : {testing::ScaledTimeCase(10, CodecUnit::kSecond, 0),
                             testing::ScaledTimeCase(3, CodecUnit::kHour, kCodecEnd)}) {
    for (int i = 0; i < Rounds(20'000); ++i) {
      const auto value = static_cast<std::int64_t>(random.Next() >> (1 + random.Below(40)));
      const auto remaining =
          static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(c.span)));
      const double score =
          static_cast<double>(value) * static_cast<double>(c.span) + static_cast<double>(remaining);
      const Result<DecodedEntry> decoded = c.codec.Decode(score, "a");
      if (!decoded) continue;
      const auto at = static_cast<Stamp>(c.end - Int128{remaining} * c.unit_us);
      ASSERT_EQ(decoded->value, value) << c.name;
      ASSERT_LE(std::abs(*decoded->at - at), decoded->at_error_us) << c.name << ": " << value;
    }
  }
}

// Stored doubles of any bits, and the neighbours of real scores.
TEST(CountdownDecode, AnyDoubleIsRefusedOrStandsForWhatEncodesToIt) {
  base::Random random(TestSeed());
  std::uint64_t decoded_count = 0;
  for (const CodecCase& c : testing::CountdownCases()) {
    const bool is_summed = c.codec.name() == "decimal-countdown";
    for (int i = 0; i < Rounds(300); ++i) {
      const auto [value, at] = testing::PickExact(random, c);
      double score = c.Score(value, c.Remaining(at));
      if (random.OneIn(2)) {
        score = std::bit_cast<double>(random.Next());
      } else if (random.OneIn(2)) {
        score = std::nextafter(score, random.OneIn(2) ? -HUGE_VAL : HUGE_VAL);
      }
      const Result<DecodedEntry> decoded = c.codec.Decode(score, "a");
      if (!decoded) continue;
      ASSERT_TRUE(decoded->at);
      if (!decoded->exact || is_summed) continue;
      ++decoded_count;
      // Beyond the range of values, and below 0 where a sign stands in front, Encode refuses.
      const Result<EncodedEntry> encoded = c.codec.Encode(decoded->value, *decoded->at, "a");
      if (encoded) {
        ASSERT_EQ(encoded->score, score) << c.name;
      } else {
        ASSERT_TRUE(decoded->value < 0 || decoded->value > c.codec.range().greatest_value);
        ASSERT_TRUE(c.is_fraction) << c.name;
      }
    }
  }
  EXPECT_GT(decoded_count, 1000U);
}

TEST(CountdownDecode, ScoresThatNoServiceWritesAreErrors) {
  const auto error = [](const CodecCase& c, double score) {
    const Result<DecodedEntry> entry = c.codec.Decode(score, "a");
    return entry ? std::string("none") : entry.error().ToString();
  };
  const CodecCase scaled = testing::ScaledTimeCase(10, CodecUnit::kSecond, 0);
  const CodecCase countdown = testing::DecimalCountdownCase(6, CodecUnit::kSecond);
  const CodecCase decimal = testing::DecimalTimeCase();
  const CodecCase bits = testing::BitFieldsCase(34);
  for (const CodecCase* c : {&scaled, &countdown, &decimal, &bits}) {
    for (const double score : {static_cast<double>(NAN), HUGE_VAL, -HUGE_VAL}) {
      EXPECT_TRUE(error(*c, score).ends_with("it is not finite")) << c->name;
    }
    EXPECT_TRUE(error(*c, 1e300).starts_with("OVERFLOW")) << c->name;
    EXPECT_TRUE(error(*c, -1e300).starts_with("OVERFLOW")) << c->name;
    EXPECT_TRUE(error(*c, 5e-324).starts_with("BADSCORE")) << c->name;
  }
  EXPECT_EQ(error(scaled, 12348232399999.5),
            "BADSCORE 12348232399999.5 is not a score of scaled-time: it is not a whole number");
  EXPECT_EQ(error(countdown, 5.1234567),
            "BADSCORE 5.1234567 is not a score of decimal-countdown: it has more decimals");
  EXPECT_EQ(error(countdown, -5.000123),
            "BADSCORE -5.000123 is not a score of decimal-countdown: it is negative");
  EXPECT_EQ(error(decimal, 100),
            "BADSCORE 100 is not a score of decimal-time: it has no time of this codec");
  EXPECT_EQ(error(decimal, -0.83), "BADSCORE -0.83 is not a score of decimal-time: it is negative");
  EXPECT_EQ(error(decimal, 0x1p53),
            "BADSCORE 9007199254740992 is not a score of decimal-time: it is beyond the exact "
            "range and may stand for two different values");
}

// decimal-time writes negative values too, in the wrong order. They can be read all the same.
TEST(CountdownDecode, NegativeDecimalTimeIsRead) {
  const CodecCase c = testing::DecimalTimeCase();
  const DecodedEntry entry = c.codec.Decode(-5.8299999999, "a").value();
  EXPECT_EQ(entry.value, -5);
  EXPECT_EQ(entry.at, 1'700'000'000 * kSecond);
  EXPECT_TRUE(entry.exact);
  EXPECT_FALSE(c.codec.Encode(-5, 1'700'000'000 * kSecond, "a"));
}

TEST(CountdownDecode, WithoutAnEndDecimalCountdownHasValuesOnly) {
  CodecParameters parameters;
  parameters.width = 6;
  const Codec codec = Codec::Make("decimal-countdown", parameters).value();
  EXPECT_FALSE(codec.range().holds_time);
  EXPECT_EQ(codec.range().greatest_value, (std::int64_t{1} << 33) - 1);
  const DecodedEntry entry = codec.Decode(1234.000567, "a").value();
  EXPECT_EQ(entry.value, 1234);
  EXPECT_EQ(entry.at, std::nullopt);
  EXPECT_TRUE(entry.exact);
  EXPECT_EQ(codec.Encode(1234, 0, "a").error().ToString(),
            "ERR decimal-countdown encodes no times without --end");
}

// What the script of decimal-countdown does: it adds value.f to the whole part of the old score.
double AddUp(const CodecCase& c, base::Random& random, std::int64_t total, std::int64_t remaining) {
  double score = 0;
  std::int64_t left = total;
  for (std::uint64_t writes = random.Below(4); writes > 0; --writes) {
    const auto value =
        static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(left) + 1));
    left -= value;
    const auto other = static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(c.span)));
    score = c.Score(value, other) + std::floor(score);
  }
  return c.Score(left, remaining) + std::floor(score);
}

TEST(CountdownSums, AreExactUpToGreatestSumAndWithinTheirErrorBeyond) {
  base::Random random(TestSeed());
  for (int width = 1; width <= 15; ++width) {
    const CodecCase c = testing::DecimalCountdownCase(width, CodecUnit::kMillisecond);
    const CodecRange range = c.codec.range();
    const std::int64_t most = c.Remaining(range.first_time);
    bool lost_a_time = false;
    for (int i = 0; i < Rounds(2'000); ++i) {
      const std::int64_t total = testing::Pick(random, 0, range.greatest_value);
      const std::int64_t remaining = testing::Pick(random, 0, most);
      const double score = AddUp(c, random, total, remaining);
      const Result<DecodedEntry> decoded = c.codec.Decode(score, "a");
      // The first and last unit beyond greatest_sum may be those of the neighbouring value.
      if (!decoded && total > range.greatest_sum && (remaining == 0 || remaining == c.span - 1)) {
        continue;
      }
      ASSERT_TRUE(decoded) << c.name << ": " << decoded.error().ToString();
      const auto at = static_cast<Stamp>(c.end - Int128{remaining} * c.unit_us);
      ASSERT_EQ(decoded->value, total) << c.name << ": " << remaining;
      ASSERT_LE(std::abs(*decoded->at - at), decoded->at_error_us) << c.name << ": " << total;
      if (total <= range.greatest_sum) {
        ASSERT_TRUE(decoded->exact) << c.name << ": " << total;
      }
      lost_a_time = lost_a_time || *decoded->at != at;
    }
    if (range.greatest_sum == range.greatest_value) {
      EXPECT_FALSE(lost_a_time) << c.name;
    }
  }
}

}  // namespace
}  // namespace laurel
