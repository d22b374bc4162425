// Parsing and printing of numbers, bounds, scores, fields and specs.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "laurel/limits.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel {
namespace {

using namespace std::string_view_literals;  // texts with NUL bytes

constexpr std::uint64_t kPropertySeed = 20240607;

// The scaled integer that ParseNumber returns, or the name of its error.
std::string Parsed(std::string_view text, int decimals) {
  const Result<std::int64_t> number = ParseNumber(text, decimals);
  return number ? std::to_string(*number) : std::string(ErrorName(number.error().code));
}

void ExpectOneLine(const Error& error) {
  EXPECT_FALSE(error.message.empty());
  EXPECT_EQ(error.message.find_first_of("\r\n"), std::string::npos) << error.message;
  EXPECT_EQ(error.ToString(), std::string(ErrorName(error.code)) + " " + error.message);
}

TEST(ParseNumber, AcceptsNumbersAsRedisClientsWriteThem) {
  EXPECT_EQ(Parsed("95", 0), "95");
  EXPECT_EQ(Parsed("95.0", 0), "95");
  EXPECT_EQ(Parsed("+5", 0), "5");
  EXPECT_EQ(Parsed("-5", 0), "-5");
  EXPECT_EQ(Parsed("-0", 0), "0");
  EXPECT_EQ(Parsed("007", 0), "7");
  EXPECT_EQ(Parsed(".5", 1), "5");
  EXPECT_EQ(Parsed("-.5", 3), "-500");
  EXPECT_EQ(Parsed("1.0E7", 0), "10000000");
  EXPECT_EQ(Parsed("1e+16", 0), "10000000000000000");
  EXPECT_EQ(Parsed("1E3", 0), "1000");
  EXPECT_EQ(Parsed("1.5e-1", 2), "15");
  EXPECT_EQ(Parsed("10e-1", 0), "1");
  EXPECT_EQ(Parsed("1200e-2", 0), "12");
  EXPECT_EQ(Parsed("0.5e1", 0), "5");
}

TEST(ParseNumber, ScalesByTheFieldsDecimals) {
  EXPECT_EQ(Parsed("1.5", 1), "15");
  EXPECT_EQ(Parsed("1.5", 9), "1500000000");
  EXPECT_EQ(Parsed("1.50000000000000000000000000", 1), "15");
  EXPECT_EQ(Parsed("-0.000000001", 9), "-1");
}

TEST(ParseNumber, ReadsMoreDigitsThanADoubleHoldsExactly) {
  EXPECT_EQ(Parsed("9007199254740993", 0), "9007199254740993");
  EXPECT_EQ(Parsed("123456789.123456789", 9), "123456789123456789");
  EXPECT_EQ(Parsed("9.223372036854775807e18", 0), "9223372036854775807");
}

TEST(ParseNumber, AcceptsAllOfInt64AndNothingBeyond) {
  EXPECT_EQ(Parsed("9223372036854775807", 0), "9223372036854775807");
  EXPECT_EQ(Parsed("9223372036854775808", 0), "OVERFLOW");
  EXPECT_EQ(Parsed("-9223372036854775808", 0), "-9223372036854775808");
  EXPECT_EQ(Parsed("-9223372036854775809", 0), "OVERFLOW");
  EXPECT_EQ(Parsed("9223372036.854775807", 9), "9223372036854775807");
  EXPECT_EQ(Parsed("9223372036.854775808", 9), "OVERFLOW");
  EXPECT_EQ(Parsed("-9223372036.854775808", 9), "-9223372036854775808");
  EXPECT_EQ(Parsed("10000000000", 9), "OVERFLOW");
}

TEST(ParseNumber, HugeExponentsAndLongTextsAreReadExactly) {
  EXPECT_EQ(Parsed("1e400", 0), "OVERFLOW");
  EXPECT_EQ(Parsed("-1e400", 0), "OVERFLOW");
  EXPECT_EQ(Parsed("1e99999999999999999999999", 0), "OVERFLOW");
  EXPECT_EQ(Parsed("1e-99999999999999999999999", 9), "BADSCORE");
  EXPECT_EQ(Parsed("0e99999999999999999999999", 0), "0");
  EXPECT_EQ(Parsed("0.000e-99999999999999999999999", 0), "0");
  EXPECT_EQ(Parsed("1" + std::string(400, '0') + "e-400", 0), "1");
  EXPECT_EQ(Parsed("0." + std::string(400, '0') + "1e401", 0), "1");
  EXPECT_EQ(Parsed(std::string(1000, '0') + "42", 0), "42");
}

TEST(ParseNumber, NonZeroDigitsBeyondTheScaleAreBadScores) {
  EXPECT_EQ(Parsed("95.5", 0), "BADSCORE");
  EXPECT_EQ(Parsed("1e-1", 0), "BADSCORE");
  EXPECT_EQ(Parsed("1.005", 2), "BADSCORE");
  EXPECT_EQ(Parsed("0.0000000001", 9), "BADSCORE");
}

TEST(ParseNumber, TextThatIsNotAFiniteDecimalNumberIsABadScore) {
  const std::vector<std::string_view> bad = {
      "",     " ",     "+",   "-",   ".",   "-.",    "e5",   "1e",    "1e+",      "1e-",
      ".e5",  " 5",    "5 ",  "5\n", "--5", "+-5",   "5-",   "1.2.3", "1e5.5",    "1e5e5",
      "0x10", "1_000", "1,5", "abc", "12a", "inf",   "-inf", "+Inf",  "infinity", "nan",
      "NaN",  "1d5",   "1f",  "٣",   "１",  "1\0"sv, "\0"sv};
  for (const std::string_view text : bad) EXPECT_EQ(Parsed(text, 0), "BADSCORE") << text;
}

TEST(ParseNumber, EachKindOfErrorHasItsOwnOneLineMessage) {
  const Error no_number = ParseNumber("abc", 0).error();
  const Error too_fine = ParseNumber("95.5", 0).error();
  const Error too_large = ParseNumber("1e30", 0).error();
  for (const Error& error : {no_number, too_fine, too_large}) ExpectOneLine(error);
  EXPECT_NE(no_number.message, too_fine.message);
  EXPECT_NE(no_number.message, too_large.message);
  EXPECT_NE(too_fine.message, too_large.message);
  // A message that quotes its input stays one line.
  ExpectOneLine(ParseNumber("a\r\nb", 0).error());
}

TEST(FormatNumber, PrintsAllDecimalsAndNoExponent) {
  EXPECT_EQ(FormatNumber(0, 0), "0");
  EXPECT_EQ(FormatNumber(-7, 0), "-7");
  EXPECT_EQ(FormatNumber(10'000'000, 0), "10000000");
  EXPECT_EQ(FormatNumber(0, 2), "0.00");
  EXPECT_EQ(FormatNumber(5, 2), "0.05");
  EXPECT_EQ(FormatNumber(-5, 1), "-0.5");
  EXPECT_EQ(FormatNumber(1500, 3), "1.500");
  EXPECT_EQ(FormatNumber(INT64_MAX, 0), "9223372036854775807");
  EXPECT_EQ(FormatNumber(INT64_MIN, 0), "-9223372036854775808");
  EXPECT_EQ(FormatNumber(INT64_MIN, 9), "-9223372036.854775808");
}

TEST(FormatNumber, PrintsNumbersBeyondInt64) {
  const Int128 two_to_64 = Int128{1} << 64;
  EXPECT_EQ(FormatNumber(two_to_64, 0), "18446744073709551616");
  EXPECT_EQ(FormatNumber(-two_to_64, 3), "-18446744073709551.616");
}

std::int64_t AnyInt64(base::Random* random) {
  switch (random->Below(4)) {
    case 0:
      return static_cast<std::int64_t>(random->Next() >> random->Below(64));
    case 1:
      return -static_cast<std::int64_t>(random->Next() >> (1 + random->Below(63)));
    case 2:
      return random->OneIn(2) ? INT64_MIN + static_cast<std::int64_t>(random->Below(3))
                              : INT64_MAX - static_cast<std::int64_t>(random->Below(3));
    default:
      return static_cast<std::int64_t>(random->Next());
  }
}

TEST(NumberProperty, FormattedInt64ParsesBackAtEveryScale) {
  base::Random random(kPropertySeed);
  for (int round = 0; round < 100'000; ++round) {
    const std::int64_t value = AnyInt64(&random);
    for (int decimals = 0; decimals <= kMaxDecimals; ++decimals) {
      const std::string text = FormatNumber(value, decimals);
      ASSERT_EQ(Parsed(text, decimals), std::to_string(value)) << text << " at " << decimals;
    }
  }
}

// Scientific notation of `value` at the scale `decimals`: one digit before the point.
std::string Scientific(std::int64_t value, int decimals, std::string_view exponent_mark) {
  std::string digits = std::to_string(value);
  std::string sign;
  if (digits[0] == '-') {
    sign = "-";
    digits.erase(0, 1);
  }
  const int exponent = static_cast<int>(digits.size()) - 1 - decimals;
  std::string mark(exponent_mark);
  if (exponent < 0 && mark.back() == '+') mark.pop_back();
  const std::string fraction = digits.size() > 1 ? digits.substr(1) : "0";
  return sign + digits.substr(0, 1) + "." + fraction + mark + std::to_string(exponent);
}

TEST(NumberProperty, Int64InScientificNotationParsesBack) {
  base::Random random(kPropertySeed);
  for (int round = 0; round < 100'000; ++round) {
    const std::int64_t value = AnyInt64(&random);
    const int decimals = static_cast<int>(random.Below(kMaxDecimals + 1));
    for (const std::string_view mark : {"E", "e+", "e", "E+"}) {
      const std::string text = Scientific(value, decimals, mark);
      ASSERT_EQ(Parsed(text, decimals), std::to_string(value)) << text << " at " << decimals;
    }
  }
}

TEST(NumberProperty, WholeDoublesAsClientsPrintThemAreReadExactly) {
  base::Random random(kPropertySeed);
  for (int round = 0; round < 100'000; ++round) {
    // Whole numbers that a double holds exactly, in the 17 digits redis-py may send.
    const auto value = static_cast<std::int64_t>(random.Below(std::uint64_t{1} << 53));
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
    ASSERT_EQ(Parsed(text, 0), std::to_string(value)) << text;
    std::snprintf(text, sizeof text, "%.16E", static_cast<double>(value));
    ASSERT_EQ(Parsed(text, 0), std::to_string(value)) << text;
  }
}

TEST(ParseDouble, AcceptsTheGrammarOfStrtodWithoutBlanks) {
  EXPECT_EQ(ParseDouble("1.5").value(), 1.5);
  EXPECT_EQ(ParseDouble("-1e3").value(), -1000);
  EXPECT_EQ(ParseDouble("+5").value(), 5);
  EXPECT_EQ(ParseDouble(".5").value(), 0.5);
  EXPECT_EQ(ParseDouble("5.").value(), 5);
  EXPECT_EQ(ParseDouble("0x10").value(), 16);
  EXPECT_EQ(ParseDouble("5e-324").value(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(ParseDouble("1.7976931348623157e308").value(), std::numeric_limits<double>::max());
  for (const std::string_view text : {"inf", "+inf", "Inf", "infinity", "+INFINITY"}) {
    EXPECT_EQ(ParseDouble(text).value(), std::numeric_limits<double>::infinity()) << text;
  }
  EXPECT_EQ(ParseDouble("-inf").value(), -std::numeric_limits<double>::infinity());
}

TEST(ParseDouble, ReadsMinusZeroAsZero) {
  EXPECT_EQ(std::bit_cast<std::int64_t>(ParseDouble("-0").value()), 0);
  EXPECT_EQ(std::bit_cast<std::int64_t>(ParseDouble("-0.0e5").value()), 0);
}

TEST(ParseDouble, RefusesNanOutOfRangeAndGarbageWithOneLineErrors) {
  const std::vector<std::string_view> bad = {"",      " 1",     "1 ",     "nan", "-nan",
                                             "1e400", "-1e400", "1e-400", "abc", "1x",
                                             "--1",   "(1",     "1\0"sv,  "\t1", "1\n"};
  for (const std::string_view text : bad) {
    const Result<double> number = ParseDouble(text);
    ASSERT_FALSE(number.ok()) << text;
    ExpectOneLine(number.error());
  }
}

TEST(FormatDouble, PrintsTheShortestTextAndWholeNumbersPlainly) {
  EXPECT_EQ(FormatDouble(0), "0");
  EXPECT_EQ(FormatDouble(1), "1");
  EXPECT_EQ(FormatDouble(-95), "-95");
  EXPECT_EQ(FormatDouble(3.5), "3.5");
  EXPECT_EQ(FormatDouble(0.1), "0.1");
  EXPECT_EQ(FormatDouble(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(FormatDouble(1e15), "1000000000000000");
  EXPECT_EQ(FormatDouble(29952610459457.883), "29952610459457.883");
  EXPECT_EQ(FormatDouble(-1234567.25), "-1234567.25");
  EXPECT_EQ(FormatDouble(9007199254740991.0), "9007199254740991");
  EXPECT_EQ(FormatDouble(-9007199254740991.0), "-9007199254740991");
  EXPECT_EQ(FormatDouble(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(FormatDouble(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(FormatDouble, UsesTheLayoutOfRedis72) {
  EXPECT_EQ(FormatDouble(1e-6), "0.000001");
  EXPECT_EQ(FormatDouble(1e-7), "1e-7");
  EXPECT_EQ(FormatDouble(0.00001234), "1.234e-5");
  EXPECT_EQ(FormatDouble(12345678.12345679), "1.234567812345679e+7");
  EXPECT_EQ(FormatDouble(-0.5), "-0.5");
  EXPECT_EQ(FormatDouble(1e17), "100000000000000000");
  EXPECT_EQ(FormatDouble(4e18), "4000000000000000000");
  EXPECT_EQ(FormatDouble(1e22), "1e+22");
  EXPECT_EQ(FormatDouble(1.5e300), "1.5e+300");
}

std::size_t SignificantDigits(std::string_view text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? 0 : digits.find_last_not_of('0') - first + 1;
}

TEST(NumberProperty, FormattedDoubleParsesBackFromAtMost17Digits) {
  base::Random random(kPropertySeed);
  for (int round = 0; round < 300'000; ++round) {
    const auto value = std::bit_cast<double>(random.Next());
    if (std::isnan(value) || value == 0) continue;
    const std::string text = FormatDouble(value);
    const Result<double> back = ParseDouble(text);
    ASSERT_TRUE(back.ok()) << text;
    ASSERT_EQ(std::bit_cast<std::int64_t>(*back), std::bit_cast<std::int64_t>(value)) << text;
    // Whole numbers below 2^62 are printed whole, as Redis does.
    if (std::abs(value) < 0x1p62 && value == std::trunc(value)) continue;
    ASSERT_LE(SignificantDigits(text), 17U) << text;
  }
}

// Bounds ----------------------------------------------------------------------------------------

bool Admits(const ScoreBound& bound, BoundSide side, std::int64_t value) {
  switch (bound.reach) {
    case ScoreBound::Reach::kLowest:
      return side == BoundSide::kMin;
    case ScoreBound::Reach::kHighest:
      return side == BoundSide::kMax;
    case ScoreBound::Reach::kInclusive:
      return side == BoundSide::kMin ? value >= bound.value : value <= bound.value;
    case ScoreBound::Reach::kExclusive:
      return side == BoundSide::kMin ? value > bound.value : value < bound.value;
  }
  return false;
}

// The sample values that the bound admits. Compares bounds by what they admit, because a bound
// between two units has two equal representations.
std::string Admitted(const Spec& spec, std::string_view text, BoundSide side) {
  const Result<ScoreBound> bound = ParseBound(spec, text, side);
  if (!bound) return bound.error().ToString();
  std::string admitted;
  for (const std::int64_t value :
       {INT64_MIN, INT64_C(-11), INT64_C(-10), INT64_C(0), INT64_C(10), INT64_C(11), INT64_MAX}) {
    if (!Admits(*bound, side, value)) continue;
    if (!admitted.empty()) admitted += " ";
    admitted += value == INT64_MIN ? "min" : value == INT64_MAX ? "max" : std::to_string(value);
  }
  return admitted;
}

constexpr std::string_view kAll = "min -11 -10 0 10 11 max";

TEST(ParseBound, BoundsWholeUnitsInclusivelyAndExclusively) {
  const Spec spec;
  EXPECT_EQ(Admitted(spec, "10", BoundSide::kMin), "10 11 max");
  EXPECT_EQ(Admitted(spec, "(10", BoundSide::kMin), "11 max");
  EXPECT_EQ(Admitted(spec, "10", BoundSide::kMax), "min -11 -10 0 10");
  EXPECT_EQ(Admitted(spec, "(10", BoundSide::kMax), "min -11 -10 0");
  EXPECT_EQ(Admitted(spec, "(-1.0E1", BoundSide::kMin), "0 10 11 max");
}

TEST(ParseBound, BoundBetweenTwoUnitsAdmitsTheValuesOnItsSide) {
  const Spec spec;
  for (const std::string_view text : {"10.5", "(10.5", "10.000000000000000000000001"}) {
    EXPECT_EQ(Admitted(spec, text, BoundSide::kMin), "11 max") << text;
    EXPECT_EQ(Admitted(spec, text, BoundSide::kMax), "min -11 -10 0 10") << text;
  }
  for (const std::string_view text : {"-10.5", "(-10.5"}) {
    EXPECT_EQ(Admitted(spec, text, BoundSide::kMin), "-10 0 10 11 max") << text;
    EXPECT_EQ(Admitted(spec, text, BoundSide::kMax), "min -11") << text;
  }
  EXPECT_EQ(Admitted(spec, "1e-400", BoundSide::kMin), "10 11 max");
  EXPECT_EQ(Admitted(spec, "-1e-400", BoundSide::kMax), "min -11 -10");
}

TEST(ParseBound, BoundBeyondInt64AdmitsEverythingOrNothing) {
  const Spec spec;
  for (const std::string_view text : {"9223372036854775808", "(1e30", "1e400", "+inf", "inf"}) {
    EXPECT_EQ(Admitted(spec, text, BoundSide::kMin), "") << text;
    EXPECT_EQ(Admitted(spec, text, BoundSide::kMax), kAll) << text;
  }
  for (const std::string_view text : {"-9223372036854775809", "(-1e30", "-1e400", "-inf"}) {
    EXPECT_EQ(Admitted(spec, text, BoundSide::kMin), kAll) << text;
    EXPECT_EQ(Admitted(spec, text, BoundSide::kMax), "") << text;
  }
  EXPECT_EQ(Admitted(spec, "9223372036854775807", BoundSide::kMin), "max");
  EXPECT_EQ(Admitted(spec, "(9223372036854775807", BoundSide::kMin), "");
  EXPECT_EQ(Admitted(spec, "9223372036854775806.5", BoundSide::kMin), "max");
  EXPECT_EQ(Admitted(spec, "-9223372036854775808", BoundSide::kMax), "min");
  EXPECT_EQ(Admitted(spec, "(-9223372036854775808", BoundSide::kMax), "");
  EXPECT_EQ(Admitted(spec, "-9223372036854775807.5", BoundSide::kMax), "min");
}

TEST(ParseBound, ScalesToTheSmallestUnitOfTheField) {
  Spec spec;
  spec.fields[0].decimals = 1;
  EXPECT_EQ(Admitted(spec, "1", BoundSide::kMin), "10 11 max");
  EXPECT_EQ(Admitted(spec, "(1.0", BoundSide::kMin), "11 max");
  EXPECT_EQ(Admitted(spec, "1.05", BoundSide::kMin), "11 max");
}

TEST(ParseBound, BoundOfASortedSetHoldsTheDouble) {
  const Spec spec = Spec::SortedSet();
  const ScoreBound inclusive = ParseBound(spec, "1.5", BoundSide::kMin).value();
  EXPECT_EQ(inclusive.reach, ScoreBound::Reach::kInclusive);
  EXPECT_EQ(std::bit_cast<double>(inclusive.value), 1.5);
  const ScoreBound exclusive = ParseBound(spec, "(-0.1", BoundSide::kMax).value();
  EXPECT_EQ(exclusive.reach, ScoreBound::Reach::kExclusive);
  EXPECT_EQ(std::bit_cast<double>(exclusive.value), -0.1);
}

TEST(ParseBound, RefusesMalformedBoundsWithTheErrorOfRedis) {
  // Only leaderboards must refuse these: Redis itself parses them as numbers.
  for (const std::string_view text : {"", "(", " 5"}) {
    EXPECT_FALSE(ParseBound(Spec(), text, BoundSide::kMin).ok()) << "'" << text << "'";
  }
  for (const Spec& spec : {Spec(), Spec::SortedSet()}) {
    for (const std::string_view text : {"((5", "[5", "abc", "nan", "5x", "5 ", "-", "+"}) {
      const Result<ScoreBound> bound = ParseBound(spec, text, BoundSide::kMin);
      EXPECT_FALSE(bound.ok()) << "'" << text << "' on " << DescribeSpec(spec);
      if (bound.ok()) continue;
      EXPECT_EQ(bound.error().ToString(), "ERR min or max is not a float") << text;
    }
  }
}

// Scores ----------------------------------------------------------------------------------------

Spec ThreeFields() {
  Spec spec;
  spec.fields = {{"points", 0, Direction::kDesc, Operator::kSum},
                 {"deaths", 0, Direction::kAsc, Operator::kSum},
                 {"best", 3, Direction::kAsc, Operator::kMin}};
  return spec;
}

TEST(ParseScore, ReadsOneTextPerFieldAtTheScaleOfTheField) {
  const std::vector<std::string_view> texts = {"100", "-2", "61.5"};
  const Score score = ParseScore(ThreeFields(), texts).value();
  EXPECT_EQ(score, (Score{100, -2, 61'500}));
  EXPECT_EQ(FormatScore(ThreeFields(), score), (std::vector<std::string>{"100", "-2", "61.500"}));
}

TEST(ParseScore, WrongNumberOfValuesIsAnErrorThatNamesTheFields) {
  const std::vector<std::string_view> few = {"1", "2"};
  const std::vector<std::string_view> many = {"1", "2", "3", "4"};
  for (const auto& texts : {few, many}) {
    const Result<Score> score = ParseScore(ThreeFields(), texts);
    ASSERT_FALSE(score.ok());
    EXPECT_EQ(score.error().code, ErrorCode::kErr);
    ExpectOneLine(score.error());
    EXPECT_NE(score.error().message.find("points deaths best"), std::string::npos);
  }
}

TEST(ParseScore, ErrorInAnyFieldRefusesTheWholeScore) {
  const auto code = [](std::vector<std::string_view> texts) {
    return ParseScore(ThreeFields(), texts).error().code;
  };
  EXPECT_EQ(code({"x", "2", "3"}), ErrorCode::kBadScore);
  EXPECT_EQ(code({"1", "2.5", "3"}), ErrorCode::kBadScore);
  EXPECT_EQ(code({"1", "2", "3.0001"}), ErrorCode::kBadScore);
  EXPECT_EQ(code({"1", "2", "9223372036854775807"}), ErrorCode::kOverflow);
}

TEST(ParseScore, ScoreOfASortedSetIsADouble) {
  const Spec spec = Spec::SortedSet();
  const std::vector<std::string_view> texts = {"-0.5"};
  const Score score = ParseScore(spec, texts).value();
  EXPECT_EQ(score.AsDouble(), -0.5);
  EXPECT_EQ(FormatScore(spec, score), std::vector<std::string>{"-0.5"});
}

// Specs -----------------------------------------------------------------------------------------

TEST(ParseField, OmittedPartsTakeTheirDefaults) {
  EXPECT_EQ(ParseField("score").value(), Field{});
  EXPECT_EQ(ParseField("score:int").value(), Field{});
  EXPECT_EQ(ParseField("score:int:desc").value(), Field{});
  EXPECT_EQ(ParseField("score:int:desc:set").value(), Field{});
  const Field points{"points", 2, Direction::kAsc, Operator::kMin};
  EXPECT_EQ(ParseField("points:decimal2:asc:min").value(), points);
  EXPECT_EQ(ParseField("a:decimal1").value().decimals, 1);
  EXPECT_EQ(ParseField("a:decimal9").value().decimals, 9);
  EXPECT_EQ(ParseField("a:int:desc:sum").value().op, Operator::kSum);
  EXPECT_EQ(ParseField("a:int:desc:max").value().op, Operator::kMax);
}

TEST(ParseField, RefusesEachBadPartWithItsOwnMessage) {
  std::set<std::string> messages;
  const std::vector<std::string_view> bad = {"a:float", "a:int:up", "a:int:desc:avg",
                                             "a:int:desc:sum:more"};
  for (const std::string_view text : bad) {
    const Result<Field> field = ParseField(text);
    ASSERT_FALSE(field.ok()) << text;
    ExpectOneLine(field.error());
    messages.insert(field.error().message);
  }
  EXPECT_EQ(messages.size(), bad.size());
  for (const std::string_view text :
       {"a:decimal", "a:decimal0", "a:decimal10", "a:decimal1x", "a:decimal-1", "a:decimal01",
        "a:", "a:int:", "a:int:desc:", "a:INTEGER"}) {
    EXPECT_FALSE(ParseField(text).ok()) << text;
  }
}

TEST(CheckSpec, AcceptsSpecsAtTheLimits) {
  EXPECT_TRUE(CheckSpec(Spec()).ok());
  EXPECT_TRUE(CheckSpec(Spec::SortedSet()).ok());
  EXPECT_TRUE(CheckSpec(ThreeFields()).ok());
  Spec spec;
  spec.fields.clear();
  for (std::size_t i = 0; i < kMaxFields; ++i) {
    Field field;
    field.name = std::string(kMaxFieldNameBytes - 1, 'n') + std::to_string(i);
    field.decimals = kMaxDecimals;
    spec.fields.push_back(field);
  }
  spec.policy = Policy::kBest;
  spec.cap = UINT64_MAX;
  EXPECT_TRUE(CheckSpec(spec).ok());
}

TEST(CheckSpec, RefusesEachFaultWithItsOwnMessage) {
  std::vector<Spec> bad(11);
  bad[0].fields.clear();
  bad[1].fields.resize(kMaxFields + 1);
  for (std::size_t i = 0; i <= kMaxFields; ++i) bad[1].fields[i].name = std::to_string(i);
  bad[2].fields[0].name = "";
  bad[3].fields[0].name = std::string(kMaxFieldNameBytes + 1, 'n');
  bad[4].fields = {Field{}, Field{}};
  bad[5].fields[0].decimals = kMaxDecimals + 1;
  bad[6].fields[0].op = Operator::kSum;
  bad[6].policy = Policy::kBest;
  bad[7].policy = Policy::kSum;
  bad[7].cap = 10;
  bad[8].fields[0].op = Operator::kMax;
  bad[8].cap = 10;
  bad[9] = Spec::SortedSet();
  bad[9].cap = 10;
  bad[10].fields[0].decimals = -1;
  std::set<std::string> messages;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const Status status = CheckSpec(bad[i]);
    ASSERT_FALSE(status.ok()) << i;
    const ErrorCode code = status.error().code;
    EXPECT_TRUE(code == ErrorCode::kErr || code == ErrorCode::kLimit) << i;
    ExpectOneLine(status.error());
    messages.insert(status.error().message);
  }
  // The two specs with bad decimals may share a message, and so may the two with a cap that their
  // policy or operator forbids.
  EXPECT_GE(messages.size(), bad.size() - 2);
}

TEST(CheckSpec, RefusesLeaderboardOptionsOnASortedSet) {
  const auto refused = [](auto change) {
    Spec spec = Spec::SortedSet();
    change(&spec);
    return !CheckSpec(spec).ok();
  };
  EXPECT_TRUE(refused([](Spec* spec) { spec->policy = Policy::kSum; }));
  EXPECT_TRUE(refused([](Spec* spec) { spec->policy = Policy::kBest; }));
  EXPECT_TRUE(refused([](Spec* spec) { spec->fields.push_back(Field{"b", 0}); }));
  EXPECT_TRUE(refused([](Spec* spec) { spec->fields[0].op = Operator::kMin; }));
}

TEST(DescribeSpec, PrintsTheDefaultSpecAsLbCreateAcceptsIt) {
  EXPECT_EQ(DescribeSpec(Spec()), "FIELDS 1 score:int:desc POLICY set TIE first");
}

TEST(DescribeSpec, NamesEveryFieldAndOptionAndReadsBack) {
  Spec spec = ThreeFields();
  spec.tie = Tie::kLast;
  const std::string text = DescribeSpec(spec);
  std::istringstream words(text);
  std::string word;
  words >> word;
  EXPECT_EQ(word, "FIELDS");
  words >> word;
  EXPECT_EQ(word, "3");
  for (const Field& field : spec.fields) {
    words >> word;
    EXPECT_EQ(ParseField(word).value(), field) << word;
  }
  EXPECT_TRUE(text.ends_with(" TIE last")) << text;

  Spec capped;
  capped.policy = Policy::kBest;
  capped.tie = Tie::kMember;
  capped.cap = 100;
  EXPECT_EQ(DescribeSpec(capped), "FIELDS 1 score:int:desc POLICY best TIE member CAP 100");
}

}  // namespace
}  // namespace laurel
