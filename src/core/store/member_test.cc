#include "core/store/member.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::core {
namespace {

using std::string_view_literals::operator""sv;

TEST(Member, CanonicalDecimalTextBecomesAnIntegerAndReadsBackTheSame) {
  const std::vector<std::pair<std::string_view, std::int64_t>> integers = {
      {"0", 0},
      {"7", 7},
      {"-1", -1},
      {"10", 10},
      {"2147483648", 2147483648},
      {"9223372036854775807", INT64_MAX},
      {"-9223372036854775808", INT64_MIN}};
  for (const auto& [text, value] : integers) {
    const MemberKey key(text);
    EXPECT_TRUE(key.is_integer()) << text;
    EXPECT_EQ(key.integer(), value);
    EXPECT_EQ(key.text(), text);
    MemberBuffer buffer;
    EXPECT_EQ(IntegerText(key.integer(), buffer), text);
  }
}

TEST(Member, TextThatIsNotCanonicalDecimalStaysText) {
  for (const std::string_view text : {""sv,
                                      "-"sv,
                                      "+"sv,
                                      "007"sv,
                                      "00"sv,
                                      "+5"sv,
                                      "-0"sv,
                                      "-01"sv,
                                      "--1"sv,
                                      "1a"sv,
                                      "a1"sv,
                                      " 1"sv,
                                      "1 "sv,
                                      "1.0"sv,
                                      "1e3"sv,
                                      "0x10"sv,
                                      "1\0"sv,
                                      "\0"sv,
                                      "９"sv,
                                      "9223372036854775808"sv,
                                      "-9223372036854775809"sv,
                                      "18446744073709551616"sv,
                                      "99999999999999999999"sv,
                                      "100000000000000000000000"sv}) {
    const MemberKey key(text);
    EXPECT_FALSE(key.is_integer()) << text;
    EXPECT_EQ(key.text(), text);
  }
}

TEST(Member, IntegersAroundPowersOfTenAndTwoReadBackTheSame) {
  std::vector<std::int64_t> values;
  for (std::int64_t power = 1; power <= INT64_MAX / 10; power *= 10) {
    values.insert(values.end(), {power - 1, power, -power, 1 - power});
  }
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t power = std::int64_t{1} << bit;
    values.insert(values.end(), {power - 1, power, -power, -power - 1});
  }
  for (const std::int64_t value : values) {
    MemberBuffer buffer;
    const MemberKey key(IntegerText(value, buffer));
    EXPECT_TRUE(key.is_integer()) << value;
    EXPECT_EQ(key.integer(), value);
    EXPECT_EQ(key.text(), std::to_string(value));
  }
}

// Cells store no hash: the index computes it again from the stored form and must get the same.
TEST(Member, HashEqualsTheHashOfTheStoredForm) {
  constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;
  EXPECT_EQ(MemberKey("-42").Hash(kSeed), HashMemberInteger(-42, kSeed));
  EXPECT_EQ(MemberKey("042").Hash(kSeed), HashMemberText("042", kSeed));
  EXPECT_NE(MemberKey("42").Hash(kSeed), MemberKey("042").Hash(kSeed));
}

}  // namespace
}  // namespace laurel::core
