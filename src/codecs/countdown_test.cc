// The encodings with a countdown, with many parameters: order and values inside the exact range,
// and refusals outside. The expected scores are those of the services' formulas (CodecCase).
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
using testing::kSecond;

// LAUREL_TEST_ALL runs 50 times as many.
int Rounds(int rounds) { return NumberFromEnvironment("LAUREL_TEST_ALL") ? 50 * rounds : rounds; }

TEST(CountdownRange, IsThatOfTheTable) {
  const auto expect = [](const CodecCase& c, std::int64_t least, std::int64_t greatest,
                         std::int64_t greatest_sum) {
    const CodecRange range = c.codec.range();
    EXPECT_EQ(range.least_value, least) << c.name;
    EXPECT_EQ(range.greatest_value, greatest) << c.name;
    EXPECT_EQ(range.greatest_sum, greatest_sum) << c.name;
    EXPECT_TRUE(range.holds_time);
    EXPECT_FALSE(range.time_in_member);
    EXPECT_EQ(range.resolution_us, c.unit_us);
  };
  const std::int64_t one = 1;
  expect(testing::DecimalCountdownCase(6, CodecUnit::kSecond), 0, (one << 33) - 1, (one << 32) - 1);
  expect(testing::DecimalCountdownCase(9, CodecUnit::kMillisecond), 0, (one << 23) - 1,
         (one << 22) - 1);
  expect(testing::ScaledTimeCase(10, CodecUnit::kSecond, 0), -900'720, 900'719, 900'719);
  expect(testing::DecimalTimeCase(), 0, 524'287, 524'287);
  expect(testing::BitFieldsCase(34), -524'288, 524'287, 524'287);
  expect(testing::BitFieldsCase(41), -4'096, 4'095, 4'095);
  expect(testing::BitFieldsCase(52), -2, 1, 1);
}

// ⌊53 − W·log2 10⌋ bits. Sums lose one of them, except where doubles are close enough as it is.
TEST(CountdownRange, SumsLoseABitForSomeWidths) {
  std::vector<int> widths_without_loss;
  for (int width = 1; width <= 15; ++width) {
    const CodecRange range = testing::DecimalCountdownCase(width, CodecUnit::kSecond).codec.range();
    const int bits = static_cast<int>(std::floor(53 - width * std::log2(10)));
    EXPECT_EQ(range.greatest_value, (std::int64_t{1} << bits) - 1) << width;
    if (range.greatest_sum == range.greatest_value) {
      widths_without_loss.push_back(width);
    } else {
      EXPECT_EQ(range.greatest_sum, (std::int64_t{1} << (bits - 1)) - 1) << width;
    }
  }
  EXPECT_EQ(widths_without_loss, (std::vector<int>{1, 4, 7, 10, 13}));
}

TEST(CountdownRange, TimesAreThoseWithWholeDigitsFrom1970To9999) {
  const auto expect = [](const CodecCase& c, const char* first, const char* last) {
    EXPECT_EQ(base::FormatIsoTime(c.codec.range().first_time), first) << c.name;
    EXPECT_EQ(base::FormatIsoTime(c.codec.range().last_time), last) << c.name;
  };
  expect(testing::DecimalTimeCase(), "1970-01-01T00:00:00.000000Z", "2255-03-14T15:59:59.999999Z");
  expect(testing::ScaledTimeCase(10, CodecUnit::kSecond, 0), "1970-01-01T00:00:00.000000Z",
         "2286-11-20T17:46:39.999999Z");
  expect(testing::ScaledTimeCase(15, CodecUnit::kHour, 0), "1970-01-01T00:00:00.000000Z",
         "9999-12-31T23:59:59.999999Z");
  // 2^34 ms are 198.8 days.
  expect(testing::BitFieldsCase(34), "2026-06-30T11:48:50.817000Z", "2027-01-15T08:00:00.000999Z");
  expect(testing::BitFieldsCase(52), "1970-01-01T00:00:00.000000Z", "2027-01-15T08:00:00.000999Z");
  expect(testing::DecimalCountdownCase(6, CodecUnit::kSecond), "2027-01-03T18:13:21.000000Z",
         "2027-01-15T08:00:00.999999Z");
}

TEST(CountdownExact, DecodeIsTheInverseOfEncodeAndEncodeIsTheServicesFormula) {
  base::Random random(TestSeed());
  for (const CodecCase& c : testing::CountdownCases()) {
    const CodecRange range = c.codec.range();
    for (int i = 0; i < Rounds(300); ++i) {
      const auto [value, at] = testing::PickExact(random, c);
      const Result<EncodedEntry> encoded = c.codec.Encode(value, at, "ann");
      ASSERT_TRUE(encoded) << c.name << ": " << encoded.error().ToString();
      ASSERT_EQ(encoded->score, c.Score(value, c.Remaining(at))) << c.name;
      ASSERT_EQ(encoded->at, c.Cut(at)) << c.name;
      ASSERT_EQ(encoded->member, "ann");
      const Result<DecodedEntry> decoded = c.codec.Decode(encoded->score, "ann");
      ASSERT_TRUE(decoded) << c.name << ": " << decoded.error().ToString();
      ASSERT_EQ(decoded->value, value) << c.name << " at " << at;
      ASSERT_EQ(decoded->at, c.Cut(at)) << c.name << " of " << value;
      ASSERT_EQ(decoded->member, "ann");
      ASSERT_EQ(decoded->value_error, 0);
      if (value <= range.greatest_sum) {
        ASSERT_TRUE(decoded->exact) << c.name << " of " << value;
      }
      ASSERT_EQ(decoded->exact, decoded->at_error_us == 0);
    }
  }
}

TEST(CountdownExact, ScoresSortByValueThenEarlierTime) {
  base::Random random(TestSeed());
  for (const CodecCase& c : testing::CountdownCases()) {
    const CodecRange range = c.codec.range();
    // Where Encode refuses one of them there is nothing to compare.
    const auto expect_less = [&c](std::int64_t value, Stamp at, std::int64_t better,
                                  Stamp better_at) {
      const Result<EncodedEntry> less = c.codec.Encode(value, at, "a");
      const Result<EncodedEntry> more = c.codec.Encode(better, better_at, "a");
      return !less || !more || less->score < more->score;
    };
    for (int i = 0; i < Rounds(150); ++i) {
      const auto [value, at] = testing::PickExact(random, c);
      const auto [other, other_at] = testing::PickExact(random, c);
      const double score = c.codec.Encode(value, at, "a").value().score;
      const double other_score = c.codec.Encode(other, other_at, "a").value().score;
      ASSERT_EQ(score < other_score,
                std::pair(value, -c.Cut(at)) < std::pair(other, -c.Cut(other_at)))
          << c.name << ": " << value << " at " << at << ", " << other << " at " << other_at;
      // Neighbours: the next unit of time, and the next value at the opposite end of time.
      ASSERT_TRUE(expect_less(value, at, value, at - c.unit_us)) << c.name << ": " << value;
      ASSERT_TRUE(expect_less(value, range.first_time, value + 1, range.last_time))
          << c.name << ": " << value;
    }
  }
}

TEST(CountdownExact, OutermostValuesAreEncodedAtTheTimesThatAllowIt) {
  const CodecCase c = testing::ScaledTimeCase(10, CodecUnit::kSecond, 0);
  const Stamp from = 745'259'008 * kSecond;  // 900719·10^10 + 9254740991 = 2^53 − 1
  EXPECT_EQ(base::FormatIsoTime(from), "1993-08-13T16:23:28.000000Z");
  EXPECT_EQ(c.codec.Encode(900'719, from, "a").value().score, 0x1p53 - 1);
  EXPECT_EQ(c.codec.Encode(900'719, from - 1, "a").error().ToString(),
            "BADSCORE 900719 is outside the values that scaled-time holds exactly, -900720 to "
            "900718");
  EXPECT_EQ(c.codec.Encode(-900'720, 9'254'740'990 * kSecond, "a").value().score, 1 - 0x1p53);
  EXPECT_FALSE(c.codec.Encode(-900'720, 9'254'740'991 * kSecond, "a"));
  EXPECT_TRUE(c.codec.Encode(900'718, 0, "a"));
  EXPECT_TRUE(c.codec.Encode(-900'719, c.codec.range().last_time, "a"));
}

TEST(CountdownOutside, EncodeRefusesTheNextValueAndTheNextTime) {
  for (const CodecCase& c : testing::CountdownCases()) {
    const CodecRange range = c.codec.range();
    const auto code = [&c](std::int64_t value, Stamp at) {
      const Result<EncodedEntry> entry = c.codec.Encode(value, at, "a");
      return entry ? std::string("encoded") : std::string(ErrorName(entry.error().code));
    };
    for (const Stamp at : {range.first_time, range.last_time}) {
      for (const std::int64_t value : {range.least_value - 1, range.greatest_value + 1,
                                       std::int64_t{INT64_MIN}, std::int64_t{INT64_MAX}}) {
        EXPECT_EQ(code(value, at), "BADSCORE") << c.name << ": " << value << " at " << at;
      }
      EXPECT_EQ(code(0, at), "encoded") << c.name;
    }
    for (const Stamp at :
         {range.first_time - 1, range.last_time + 1, Stamp{INT64_MIN}, Stamp{INT64_MAX}}) {
      EXPECT_EQ(code(0, at), "BADTIME") << c.name << " at " << at;
    }
  }
}

// The least value beyond the range that the formula gets wrong is the next one.
TEST(CountdownOutside, NextValueHasTwoTimesWithOneScore) {
  for (const CodecCase& c : testing::CountdownCases()) {
    const CodecRange range = c.codec.range();
    const std::int64_t value = range.greatest_value + 1;
    const std::int64_t first = c.Remaining(range.last_time);
    const std::int64_t last = c.Remaining(range.first_time);
    bool is_wrong = false;
    for (std::int64_t r = first; r < std::min(last, first + 200) && !is_wrong; ++r) {
      if (c.Score(value, r) != c.Score(value, r + 1)) continue;
      is_wrong = true;
      const Result<DecodedEntry> decoded = c.codec.Decode(c.Score(value, r), "a");
      if (!decoded) continue;  // at the end of its times a score may have two values
      EXPECT_FALSE(decoded->exact) << c.name;
      EXPECT_GE(decoded->at_error_us, c.unit_us) << c.name;
      EXPECT_EQ(decoded->value, value) << c.name;
    }
    EXPECT_TRUE(is_wrong) << c.name;
  }
}

}  // namespace
}  // namespace laurel
