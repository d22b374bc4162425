// Where the formulas of services go wrong, each at the number at which it begins. The formulas are
// written as the services have them (Go, Lua and Java, in doubles and 64-bit integers). The codec
// of the same name refuses to encode there, and Decode reports what is not certain.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "base/time_text.h"
#include "laurel/codecs.h"

namespace laurel {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kMillisecond = 1'000;

Stamp Time(const char* text) { return base::ParseTime(text).value(); }

// scaled-time ----------------------------------------------------------------------------------

// value*10000000000 + (9999999999 - timestamp), in doubles.
double ScaledScore(double value, std::int64_t timestamp) {
  return value * 10000000000.0 + (9999999999.0 - static_cast<double>(timestamp));
}

TEST(FormulaDefects, ScaledTimeGivesTwoSecondsOneScoreFrom900720On) {
  const Codec codec = Codec::Make("scaled-time", {}).value();
  const std::int64_t now = 1'700'000'000;
  int merged = 0;
  for (std::int64_t second = now; second < now + 1000; ++second) {
    ASSERT_GT(ScaledScore(900'719, second), ScaledScore(900'719, second + 1));
    merged += ScaledScore(900'720, second) == ScaledScore(900'720, second + 1) ? 1 : 0;
  }
  EXPECT_EQ(merged, 500);

  EXPECT_EQ(codec.Encode(900'719, now * kSecond, "a").value().score, ScaledScore(900'719, now));
  EXPECT_EQ(codec.Encode(900'720, now * kSecond, "a").error().code, ErrorCode::kBadScore);
  const DecodedEntry decoded = codec.Decode(ScaledScore(900'720, now), "a").value();
  EXPECT_EQ(decoded.value, 900'720);
  EXPECT_FALSE(decoded.exact);
  EXPECT_EQ(decoded.at_error_us, kSecond);
  EXPECT_LE(std::abs(*decoded.at - now * kSecond), decoded.at_error_us);
}

// "只需去掉后10位": the last ten digits dropped, which is no floor below 0.
TEST(FormulaDefects, ScaledTimeReadsMinusOneAsZero) {
  const double score = ScaledScore(-1, 1'700'000'000);
  EXPECT_EQ(static_cast<std::int64_t>(score) / 10'000'000'000, 0);
  const Codec codec = Codec::Make("scaled-time", {}).value();
  EXPECT_EQ(codec.Decode(score, "a").value().value, -1);
}

// decimal-time ---------------------------------------------------------------------------------

double DecimalTimeScore(std::int64_t score, std::int64_t now) {
  const std::string text = std::to_string(score) + "." + std::to_string(9999999999 - now);
  return std::strtod(text.c_str(), nullptr);
}

TEST(FormulaDefects, DecimalTimeGivesTwoSecondsOneScoreFrom524288On) {
  const Codec codec = Codec::Make("decimal-time", {}).value();
  const std::int64_t now = 1'727'654'405;  // 2024-09-30
  for (std::int64_t second = now; second < now + 10'000; ++second) {
    ASSERT_GT(DecimalTimeScore(524'287, second), DecimalTimeScore(524'287, second + 1));
  }
  EXPECT_EQ(DecimalTimeScore(524'288, now), DecimalTimeScore(524'288, now + 1));

  EXPECT_EQ(codec.Encode(524'287, now * kSecond, "a").value().score,
            DecimalTimeScore(524'287, now));
  EXPECT_EQ(codec.Encode(524'288, now * kSecond, "a").error().code, ErrorCode::kBadScore);
  const DecodedEntry decoded = codec.Decode(DecimalTimeScore(524'288, now), "a").value();
  EXPECT_EQ(decoded.value, 524'288);
  EXPECT_FALSE(decoded.exact);
  EXPECT_EQ(decoded.at_error_us, kSecond);
}

// 9999999999 - t has nine digits from then on, and ".999999999" is more than ".1000000000".
TEST(FormulaDefects, DecimalTimeRanksTheLaterAheadAfter2255) {
  const Codec codec = Codec::Make("decimal-time", {}).value();
  const std::int64_t last = 8'999'999'999;
  EXPECT_LT(DecimalTimeScore(5, last), DecimalTimeScore(5, last + 1));
  EXPECT_TRUE(codec.Encode(5, last * kSecond, "a"));
  EXPECT_EQ(codec.Encode(5, (last + 1) * kSecond, "a").error().code, ErrorCode::kBadTime);
}

TEST(FormulaDefects, DecimalTimeRanksTheLaterAheadBelowZero) {
  EXPECT_LT(DecimalTimeScore(-5, 1'700'000'000), DecimalTimeScore(-5, 1'700'000'001));
  const Codec codec = Codec::Make("decimal-time", {}).value();
  EXPECT_EQ(codec.Encode(-5, 1'700'000'000 * kSecond, "a").error().code, ErrorCode::kBadScore);
}

// decimal-countdown ----------------------------------------------------------------------------

// val2score of an event of ten days: 864000 s, six digits.
double CountdownScore(std::int64_t value, std::int64_t delta) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%lld.%06lld", static_cast<long long>(value),
                static_cast<long long>(delta));
  return std::strtod(text.data(), nullptr);
}

// The script: newScore = valScore + math.floor(score).
double CountdownAdd(double score, double value_score) { return value_score + std::floor(score); }

// fmt.Sprint of a float64: %g with the fewest digits, and an exponent from 10^6 on.
std::string GoSprint(double number) {
  std::array<char, 64> text;
  const int exponent = static_cast<int>(std::floor(std::log10(std::fabs(number))));
  const auto format =
      exponent < -4 || exponent >= 6 ? std::chars_format::scientific : std::chars_format::fixed;
  char* const end = std::to_chars(text.data(), text.data() + text.size(), number, format).ptr;
  return {text.data(), end};
}

// score2val: the text in front of the point.
std::int64_t CountdownValue(double score) {
  const std::string text = GoSprint(score);
  return std::strtoll(text.substr(0, text.find('.')).c_str(), nullptr, 10);
}

Codec TenDays() {
  CodecParameters parameters;
  parameters.start = Time("2022-11-26T00:00:00+08:00");
  parameters.end = Time("2022-12-06T00:00:00+08:00");
  return Codec::Make("decimal-countdown", parameters).value();
}

TEST(FormulaDefects, DecimalCountdownSumsGiveTwoSecondsOneScoreFromTwoTo32On) {
  const Codec codec = TenDays();
  const std::int64_t limit = std::int64_t{1} << 32;
  const auto sum = [](std::int64_t total, std::int64_t delta) {
    return CountdownAdd(CountdownScore(1, 700'000), CountdownScore(total - 1, delta));
  };
  for (std::int64_t delta = 1; delta < 20'000; ++delta) {
    ASSERT_GT(sum(limit - 1, delta), sum(limit - 1, delta - 1));
    const DecodedEntry decoded = codec.Decode(sum(limit - 1, delta), "a").value();
    ASSERT_TRUE(decoded.exact);
    ASSERT_EQ(decoded.value, limit - 1);
    ASSERT_EQ(decoded.at, codec.range().last_time + 1 - (delta + 1) * kSecond);
  }
  EXPECT_EQ(sum(limit, 8), sum(limit, 7));                        // the sum rounds twice …
  EXPECT_GT(CountdownScore(limit, 8), CountdownScore(limit, 7));  // … a single value.f does not

  EXPECT_EQ(codec.range().greatest_sum, limit - 1);
  const DecodedEntry decoded = codec.Decode(sum(limit, 8), "a").value();
  EXPECT_EQ(decoded.value, limit);
  EXPECT_FALSE(decoded.exact);
  EXPECT_EQ(decoded.at_error_us, kSecond);
}

TEST(FormulaDefects, DecimalCountdownGivesTwoSecondsOneScoreFromTwoTo33On) {
  const Codec codec = TenDays();
  const std::int64_t limit = std::int64_t{1} << 33;
  for (std::int64_t delta = 1; delta < 20'000; ++delta) {
    ASSERT_GT(CountdownScore(limit - 1, delta), CountdownScore(limit - 1, delta - 1));
  }
  EXPECT_EQ(CountdownScore(limit, 2), CountdownScore(limit, 1));
  const Stamp at = codec.range().last_time - 2 * kSecond;
  EXPECT_EQ(codec.Encode(limit - 1, at, "a").value().score, CountdownScore(limit - 1, 2));
  EXPECT_EQ(codec.Encode(limit, at, "a").error().code, ErrorCode::kBadScore);
  EXPECT_FALSE(codec.Decode(CountdownScore(limit, 2), "a").value().exact);
}

TEST(FormulaDefects, DecimalCountdownReadsAMillionAsOne) {
  const Codec codec = TenDays();
  const double score = CountdownScore(1'000'000, 400'000);
  ASSERT_EQ(score, 1000000.4);
  EXPECT_EQ(GoSprint(999999.4), "999999.4");
  EXPECT_EQ(CountdownValue(999999.4), 999'999);
  EXPECT_EQ(GoSprint(score), "1.0000004e+06");
  EXPECT_EQ(CountdownValue(score), 1);

  const DecodedEntry decoded = codec.Decode(score, "a").value();
  EXPECT_EQ(decoded.value, 1'000'000);
  EXPECT_EQ(decoded.at, Time("2022-12-06T00:00:00+08:00") - 400'000 * kSecond);
  EXPECT_TRUE(decoded.exact);
}

// Ten days and 14 hours before the end the difference still has six digits, a day earlier seven.
TEST(FormulaDefects, DecimalCountdownRanksTimesOfSevenDigitsFarBehind) {
  const Codec codec = TenDays();
  EXPECT_LT(CountdownScore(5, 1'000'000), CountdownScore(5, 864'000));
  const Stamp end = Time("2022-12-06T00:00:00+08:00");
  EXPECT_TRUE(codec.Encode(5, end - 999'999 * kSecond, "a"));
  EXPECT_EQ(codec.Encode(5, end - 1'000'000 * kSecond, "a").error().code, ErrorCode::kBadTime);
}

// bit-fields -----------------------------------------------------------------------------------

// RankOperator: toScore, getPoint, getTimeStamp and getDate. Redis holds the long as a double.
struct RankOperator {
  std::int64_t period_end_ms = 0;
  int left = 34;

  [[nodiscard]] double ToScore(int point, std::int64_t now_ms) const {
    std::int64_t score = std::int64_t{point} * (std::int64_t{1} << left);
    score = score | (period_end_ms - now_ms);
    return static_cast<double>(score);
  }
  [[nodiscard]] int GetPoint(std::int64_t score) const {
    return static_cast<int>(static_cast<std::uint64_t>(score) >> left);
  }
  [[nodiscard]] std::int64_t GetTimeStamp(std::int64_t score) const {
    const std::uint64_t factors = UINT64_MAX >> (64 - left);
    return period_end_ms - static_cast<std::int64_t>(factors & static_cast<std::uint64_t>(score));
  }
  // getDate expects a score and is called with a time stamp.
  [[nodiscard]] std::int64_t GetDateByUser(double score) const {
    return GetTimeStamp(GetTimeStamp(static_cast<std::int64_t>(score)));
  }
};

void ExpectBitFieldsMergeFrom(int bits, const char* end, int value) {
  CodecParameters parameters;
  parameters.end = Time(end);
  parameters.time_bits = bits;
  const Codec codec = Codec::Make("bit-fields", parameters).value();
  const RankOperator rank{*parameters.end / kMillisecond, bits};
  const std::int64_t now = Time("2022-12-05T12:00:00+08:00") / kMillisecond;
  int merged = 0;
  for (std::int64_t ms = now; ms < now + 1000; ++ms) {
    ASSERT_GT(rank.ToScore(value - 1, ms), rank.ToScore(value - 1, ms + 1));
    merged += rank.ToScore(value, ms) == rank.ToScore(value, ms + 1) ? 1 : 0;
  }
  EXPECT_EQ(merged, 500);

  EXPECT_EQ(codec.range().greatest_value, value - 1);
  EXPECT_EQ(codec.Encode(value - 1, now * kMillisecond, "a").value().score,
            rank.ToScore(value - 1, now));
  EXPECT_EQ(codec.Encode(value, now * kMillisecond, "a").error().code, ErrorCode::kBadScore);
  const DecodedEntry decoded = codec.Decode(rank.ToScore(value, now), "a").value();
  EXPECT_EQ(decoded.value, value);
  EXPECT_FALSE(decoded.exact);
  EXPECT_EQ(decoded.at_error_us, kMillisecond);
  EXPECT_LE(std::abs(*decoded.at - now * kMillisecond), decoded.at_error_us);
}

TEST(FormulaDefects, BitFieldsGiveTwoMillisecondsOneScoreFrom524288OnWith34Bits) {
  ExpectBitFieldsMergeFrom(34, "2023-03-05T23:59:59+08:00", 524'288);
}

TEST(FormulaDefects, BitFieldsGiveTwoMillisecondsOneScoreFrom4096OnWith41Bits) {
  ExpectBitFieldsMergeFrom(41, "2072-03-05T23:59:59+08:00", 4'096);
}

TEST(FormulaDefects, BitFieldsDecodeTheDateTwice) {
  CodecParameters parameters;
  parameters.end = Time("2023-03-05T23:59:59+08:00");
  const Codec codec = Codec::Make("bit-fields", parameters).value();
  const RankOperator rank{*parameters.end / kMillisecond};
  const std::int64_t now = Time("2022-12-05T12:00:00+08:00") / kMillisecond;
  const double score = rank.ToScore(15, now);
  EXPECT_EQ(rank.GetTimeStamp(static_cast<std::int64_t>(score)), now);
  EXPECT_NE(rank.GetDateByUser(score), now);

  const DecodedEntry decoded = codec.Decode(score, "a").value();
  EXPECT_EQ(decoded.at, now * kMillisecond);
  EXPECT_EQ(decoded.value, 15);
  EXPECT_TRUE(decoded.exact);
}

// The difference becomes negative, and its sign bits overwrite the points.
TEST(FormulaDefects, BitFieldsLoseThePointsAfterTheEnd) {
  CodecParameters parameters;
  parameters.end = Time("2023-03-05T23:59:59+08:00");
  const Codec codec = Codec::Make("bit-fields", parameters).value();
  const RankOperator rank{*parameters.end / kMillisecond};
  EXPECT_LT(rank.ToScore(15, rank.period_end_ms + 1), 0);
  EXPECT_EQ(codec.Encode(15, *parameters.end + kMillisecond, "a").error().code,
            ErrorCode::kBadTime);
}

// 2^34 ms and more before the end overwrite the lowest bits of the points.
TEST(FormulaDefects, BitFieldsChangeThePointsBefore199Days) {
  CodecParameters parameters;
  parameters.end = Time("2023-03-05T23:59:59+08:00");
  const Codec codec = Codec::Make("bit-fields", parameters).value();
  const RankOperator rank{*parameters.end / kMillisecond};
  const std::int64_t first = rank.period_end_ms - (std::int64_t{1} << 34) + 1;
  EXPECT_EQ(rank.GetPoint(static_cast<std::int64_t>(rank.ToScore(14, first))), 14);
  EXPECT_EQ(rank.GetPoint(static_cast<std::int64_t>(rank.ToScore(14, first - 1))), 15);
  EXPECT_TRUE(codec.Encode(14, first * kMillisecond, "a"));
  EXPECT_EQ(codec.Encode(14, (first - 1) * kMillisecond, "a").error().code, ErrorCode::kBadTime);
}

TEST(FormulaDefects, BitFieldsReadMinusOneAsABillion) {
  CodecParameters parameters;
  parameters.end = Time("2023-03-05T23:59:59+08:00");
  const Codec codec = Codec::Make("bit-fields", parameters).value();
  const RankOperator rank{*parameters.end / kMillisecond};
  const std::int64_t now = Time("2022-12-05T12:00:00+08:00") / kMillisecond;
  const double score = rank.ToScore(-1, now);
  EXPECT_EQ(rank.GetPoint(static_cast<std::int64_t>(score)), (1 << 30) - 1);
  EXPECT_EQ(codec.Encode(-1, now * kMillisecond, "a").value().score, score);
  EXPECT_EQ(codec.Decode(score, "a").value().value, -1);
}

// divisor --------------------------------------------------------------------------------------

// increaseRankNum: incrementScore(key, uid, 1000000d / now + point).
double DivisorAdd(double score, int point, std::int64_t now_ms) {
  const double suffix = 1000000.0 / static_cast<double>(now_ms);
  return score + (suffix + point);
}

TEST(FormulaDefects, DivisorRanksTheMemberWithMoreWritesAhead) {
  const std::int64_t now = 1'670'169'599'000;
  const double first = DivisorAdd(0, 10, now);
  const double later = DivisorAdd(DivisorAdd(0, 4, now + 1'000), 6, now + 5'000);
  EXPECT_GT(later, first);  // it reached 10 five seconds later

  const Codec codec = Codec::Make("divisor", {}).value();
  EXPECT_EQ(codec.Decode(first, "a").value().value, 10);
  EXPECT_EQ(codec.Decode(later, "b").value().value, 10);
  EXPECT_EQ(codec.Decode(later, "b").value().at, std::nullopt);
}

// Nothing in the score tells: Decode gives what Redis holds. The table of codecs.h says so.
TEST(FormulaDefects, DivisorFractionsAddUpToOnePoint) {
  const std::int64_t now = 1'670'169'599'000;
  const Codec codec = Codec::Make("divisor", {}).value();
  double score = 0;
  int writes = 0;
  for (; score < 1; ++writes) score = DivisorAdd(score, 0, now);
  EXPECT_GT(writes, 1'600'000);
  EXPECT_LT(writes, 1'700'000);
  EXPECT_EQ(codec.Decode(score, "a").value().value, 1);
  EXPECT_EQ(codec.Decode(score, "a").value().at, std::nullopt);
}

// member-time and plain ------------------------------------------------------------------------

TEST(FormulaDefects, MemberTimeGivesTwoValuesOneScoreFromTwoTo53On) {
  const std::int64_t limit = std::int64_t{1} << 53;
  EXPECT_EQ(static_cast<double>(limit), static_cast<double>(limit + 1));
  EXPECT_GT(static_cast<double>(limit), static_cast<double>(limit - 1));
  const Codec codec = Codec::Make("member-time", {}).value();
  EXPECT_TRUE(codec.Encode(limit - 1, 0, "a"));
  EXPECT_EQ(codec.Encode(limit, 0, "a").error().code, ErrorCode::kBadScore);
}

// EncodeEntry with a window that ends: Go reports an error, and so does the codec. A service
// without the check writes a minus, which sorts before every digit and loses the order.
TEST(FormulaDefects, MemberTimeRefusesTimesOutsideTheWindow) {
  const Codec codec = Codec::Make("member-time", {}).value();
  EXPECT_TRUE(codec.Encode(5, 3'155'759'999 * kSecond, "a"));
  EXPECT_EQ(codec.Encode(5, 3'155'760'000 * kSecond, "a").error().code, ErrorCode::kBadTime);
  EXPECT_EQ(codec.Encode(5, -1, "a").error().code, ErrorCode::kBadTime);
}

}  // namespace
}  // namespace laurel
