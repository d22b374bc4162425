// plain, member-time and divisor through Codec.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "laurel/codecs.h"
#include "tests/support/seed.h"

namespace laurel {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kTwoTo53 = std::int64_t{1} << 53;

Codec MakeCodec(std::string_view name, const CodecParameters& parameters = {}) {
  return Codec::Make(name, parameters).value();
}

std::string ErrorOf(const Result<DecodedEntry>& entry) {
  return entry ? "no error" : entry.error().ToString();
}

std::string ErrorOf(const Result<EncodedEntry>& entry) {
  return entry ? "no error" : entry.error().ToString();
}

TEST(Plain, ValuesBelowTwoTo53AreExact) {
  const Codec codec = MakeCodec("plain");
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-7}, kTwoTo53 - 1, 1 - kTwoTo53}) {
    const EncodedEntry encoded = codec.Encode(value, 0, "ann").value();
    const DecodedEntry decoded = codec.Decode(encoded.score, encoded.member).value();
    EXPECT_EQ(decoded.value, value);
    EXPECT_EQ(decoded.member, "ann");
    EXPECT_TRUE(decoded.exact);
    EXPECT_EQ(decoded.at, std::nullopt);
    EXPECT_EQ(encoded.at, std::nullopt);
  }
}

TEST(Plain, TwoTo53IsRefusedBecauseTheNextValueHasTheSameScore) {
  const Codec codec = MakeCodec("plain");
  ASSERT_EQ(static_cast<double>(kTwoTo53), static_cast<double>(kTwoTo53 + 1));
  for (const std::int64_t value : {kTwoTo53, kTwoTo53 + 1, -kTwoTo53, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(ErrorOf(codec.Encode(value, 0, "ann")),
              "BADSCORE " + std::to_string(value) +
                  " is outside the values that plain holds exactly, -9007199254740991 to "
                  "9007199254740991");
  }
  const DecodedEntry decoded = codec.Decode(static_cast<double>(kTwoTo53), "ann").value();
  EXPECT_EQ(decoded.value, kTwoTo53);
  EXPECT_FALSE(decoded.exact);
  EXPECT_EQ(decoded.value_error, 1);
}

TEST(Plain, LargeScoresDecodeToTheNumberThatRedisShowsAndItsError) {
  const Codec codec = MakeCodec("plain");
  const DecodedEntry large = codec.Decode(1e18, "ann").value();
  EXPECT_EQ(large.value, 1'000'000'000'000'000'000);
  EXPECT_FALSE(large.exact);
  EXPECT_EQ(large.value_error, 64);  // doubles of this size are 128 apart
  EXPECT_EQ(codec.Decode(-0x1p63, "ann").value().value, INT64_MIN);
}

TEST(Plain, ScoresWithoutAWholeInt64AreErrors) {
  const Codec codec = MakeCodec("plain");
  EXPECT_EQ(ErrorOf(codec.Decode(95.5, "ann")),
            "BADSCORE 95.5 is not a score of plain: it is not a whole number");
  EXPECT_EQ(ErrorOf(codec.Decode(NAN, "ann")),
            "BADSCORE nan is not a score of plain: it is not finite");
  EXPECT_EQ(ErrorOf(codec.Decode(-INFINITY, "ann")),
            "BADSCORE -inf is not a score of plain: it is not finite");
  EXPECT_EQ(ErrorOf(codec.Decode(0x1p63, "ann")),
            "OVERFLOW the value of 9223372036854775808 under plain does not fit in 64 bits");
}

TEST(MemberTime, EncodesAsTheServiceDoes) {
  // EncodeEntry(9876543210, 1721059200, "user123") with a window of a century from 1970.
  const EncodedEntry entry =
      MakeCodec("member-time").Encode(9'876'543'210, 1'721'059'200 * kSecond, "user123").value();
  EXPECT_EQ(entry.score, 9'876'543'210.0);
  EXPECT_EQ(entry.member, "1434700799:user123");
  EXPECT_EQ(entry.at, 1'721'059'200 * kSecond);
}

TEST(MemberTime, MemberMayHoldColonsAndAnyBytes) {
  const Codec codec = MakeCodec("member-time");
  using std::string_view_literals::operator""sv;
  for (const std::string_view member : {""sv, ":"sv, "a:b:c"sv, "12"sv, "\0\xff\n"sv}) {
    const EncodedEntry encoded = codec.Encode(1, 5 * kSecond + 999'999, member).value();
    const DecodedEntry decoded = codec.Decode(encoded.score, encoded.member).value();
    EXPECT_EQ(decoded.member, member);
    EXPECT_EQ(decoded.at, 5 * kSecond);
    EXPECT_EQ(encoded.at, 5 * kSecond);
    EXPECT_TRUE(decoded.exact);
  }
}

TEST(MemberTime, WindowIsHalfOpenAndSetsTheNumberOfDigits) {
  CodecParameters parameters;
  parameters.base = 1'000 * kSecond;
  parameters.window_us = 100'000 * kSecond;  // 99999 seconds remain at most: five digits
  const Codec codec = MakeCodec("member-time", parameters);
  EXPECT_EQ(codec.Encode(7, 1'000 * kSecond, "a").value().member, "99999:a");
  EXPECT_EQ(codec.Encode(7, 101'000 * kSecond - 1, "a").value().member, "00000:a");
  EXPECT_EQ(ErrorOf(codec.Encode(7, 1'000 * kSecond - 1, "a")),
            "BADTIME 1970-01-01T00:16:39.999999Z is outside the times of member-time, "
            "1970-01-01T00:16:40Z to 1970-01-02T04:03:19.999999Z");
  EXPECT_EQ(codec.Encode(7, 101'000 * kSecond, "a").error().code, ErrorCode::kBadTime);
  EXPECT_EQ(codec.Decode(7, "00000:a").value().at, 100'999 * kSecond);
  EXPECT_EQ(codec.Decode(7, "99999:a").value().at, 1'000 * kSecond);

  parameters.window_us = 1 * kSecond;
  EXPECT_EQ(MakeCodec("member-time", parameters).Encode(7, 1'000 * kSecond, "a").value().member,
            "0:a");
}

TEST(MemberTime, MembersWithoutTheDigitsAreErrors) {
  const Codec codec = MakeCodec("member-time");
  for (const char* member : {"ann", "", ":ann", "123:ann", "12345678901:ann", "1234567890",
                             "-123456789:a", "+123456789:a", " 123456789:a", "123456789x:a"}) {
    const Result<DecodedEntry> entry = codec.Decode(5, member);
    EXPECT_EQ(ErrorOf(entry), "BADSCORE '" + std::string(member) +
                                  "' is not a member of member-time: it does not begin with 10 "
                                  "digits and a colon");
  }
  EXPECT_EQ(ErrorOf(codec.Decode(5, "3155760000:ann")),
            "BADSCORE '3155760000:ann' is not a member of member-time: its time is outside the "
            "window");
  EXPECT_TRUE(codec.Decode(5, "3155759999:ann"));
  EXPECT_EQ(codec.Decode(5.5, "0000000001:ann").error().code, ErrorCode::kBadScore);
}

TEST(MemberTime, TwoTo53IsRefusedAndDecodesAsNotExactWithAnExactTime) {
  const Codec codec = MakeCodec("member-time");
  EXPECT_EQ(codec.Encode(kTwoTo53, 0, "a").error().code, ErrorCode::kBadScore);
  const DecodedEntry decoded = codec.Decode(static_cast<double>(kTwoTo53), "0000000001:a").value();
  EXPECT_FALSE(decoded.exact);
  EXPECT_EQ(decoded.value, kTwoTo53);
  EXPECT_EQ(decoded.value_error, 1);
  EXPECT_EQ(decoded.at_error_us, 0);
}

// Redis compares scores, then members by bytes; ZREVRANGE lists the greater first.
TEST(MemberTime, RandomEntriesSortByValueThenEarlierTime) {
  base::Random random(TestSeed());
  const Codec codec = MakeCodec("member-time");
  const auto pick = [&random] {
    const auto value =
        static_cast<std::int64_t>(random.Below(2) + (random.OneIn(2) ? kTwoTo53 - 2 : 0));
    const auto second = static_cast<std::int64_t>(random.OneIn(2) ? random.Below(3'155'760'000)
                                                                  : 999'999'998 + random.Below(4));
    return std::pair(random.OneIn(2) ? value : -value, second);
  };
  for (int i = 0; i < 20'000; ++i) {
    const auto [value, second] = pick();
    const auto [other_value, other_second] = pick();
    const EncodedEntry a = codec.Encode(value, second * kSecond, "x").value();
    const EncodedEntry b = codec.Encode(other_value, other_second * kSecond, "x").value();
    const bool is_ahead = std::pair(a.score, a.member) > std::pair(b.score, b.member);
    ASSERT_EQ(is_ahead, std::pair(value, -second) > std::pair(other_value, -other_second))
        << value << " at " << second << ", " << other_value << " at " << other_second;
    const DecodedEntry decoded = codec.Decode(a.score, a.member).value();
    ASSERT_EQ(std::pair(decoded.value, *decoded.at), std::pair(value, second * kSecond));
    ASSERT_TRUE(decoded.exact);
  }
}

TEST(Divisor, ValueIsTheFloorAndThereIsNoTime) {
  const Codec codec = MakeCodec("divisor");
  const double fraction = 1e6 / 1'670'169'599'000.0;
  for (const std::int64_t value : {0, 1, 100, 1'000'000'000, -5}) {
    const DecodedEntry decoded = codec.Decode(fraction + static_cast<double>(value), "7").value();
    EXPECT_EQ(decoded.value, value);
    EXPECT_EQ(decoded.at, std::nullopt);
    EXPECT_EQ(decoded.member, "7");
    EXPECT_TRUE(decoded.exact);
  }
  EXPECT_EQ(ErrorOf(codec.Encode(1, 0, "7")),
            "ERR divisor only decodes: its scores hold sums of unknown fractions");
  EXPECT_FALSE(codec.Decode(INFINITY, "7"));
  EXPECT_EQ(codec.Decode(1e19, "7").error().code, ErrorCode::kOverflow);
}

}  // namespace
}  // namespace laurel
