#include "base/integer.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

TEST(ParseInteger, ReadsTheCanonicalTextOfEveryMagnitude) {
  for (int bit = 0; bit < 63; ++bit) {
    for (const std::int64_t near : {-1, 0, 1}) {
      const std::int64_t power = (std::int64_t{1} << bit) + near;
      for (const std::int64_t number : {power, -power}) {
        std::int64_t value = 0;
        EXPECT_TRUE(ParseInteger(std::to_string(number), &value)) << number;
        EXPECT_EQ(value, number);
      }
    }
  }
  for (const std::int64_t number :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    std::int64_t value = 0;
    EXPECT_TRUE(ParseInteger(std::to_string(number), &value));
    EXPECT_EQ(value, number);
    EXPECT_LE(std::to_string(number).size(), kMaxIntegerText);
  }
}

TEST(ParseInteger, RefusesTextThatIsNotCanonical) {
  for (const std::string_view text : {"",
                                      "-",
                                      "+",
                                      "+1",
                                      "-0",
                                      "00",
                                      "01",
                                      "-01",
                                      " 1",
                                      "1 ",
                                      "1\n",
                                      "1.0",
                                      "1e3",
                                      "0x10",
                                      "--1",
                                      "1-",
                                      "a",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999",
                                      "123456789012345678901"}) {
    std::int64_t value = 0;
    EXPECT_FALSE(ParseInteger(text, &value)) << text;
  }
  std::int64_t value = 0;
  EXPECT_FALSE(ParseInteger(std::string_view("1\0", 2), &value));
}

}  // namespace
}  // namespace laurel::base
