#include "base/text.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

TEST(Quote, KeepsPrintableAscii) {
  EXPECT_EQ(Quote(""), "''");
  EXPECT_EQ(Quote("rank:202410 ~"), "'rank:202410 ~'");
  EXPECT_EQ(Quote("\"#!"), "'\"#!'");
}

TEST(Quote, EscapesQuotesBackslashesAndControlBytes) {
  EXPECT_EQ(Quote("a'b\\c"), "'a\\x27b\\x5cc'");
  EXPECT_EQ(Quote("a\r\nERR b"), "'a\\x0d\\x0aERR b'");
  EXPECT_EQ(Quote("\0\x1b[2J\x7f"sv), "'\\x00\\x1b[2J\\x7f'");
}

TEST(Quote, EscapesBytesBeyondAscii) { EXPECT_EQ(Quote("\x80é\xff"), "'\\x80\\xc3\\xa9\\xff'"); }

TEST(Quote, EveryByteGivesOnePrintableLine) {
  for (int byte = 0; byte < 256; ++byte) {
    const char raw = static_cast<char>(byte);
    const std::string quoted = Quote({&raw, 1});
    ASSERT_GE(quoted.size(), 3U);
    EXPECT_EQ(quoted.front(), '\'');
    EXPECT_EQ(quoted.back(), '\'');
    for (const char c : quoted.substr(1, quoted.size() - 2)) {
      EXPECT_TRUE(c >= 0x20 && c < 0x7f && c != '\'') << byte;
    }
  }
}

TEST(Quote, CutsOffAfterSixtyFourBytesOfTheText) {
  const std::string edge(64, 'x');
  EXPECT_EQ(Quote(edge), "'" + edge + "'");
  EXPECT_EQ(Quote(edge + "y"), "'" + edge + "…'");
  const std::string control(1000, '\x01');
  EXPECT_EQ(Quote(control).size(), 2 + 64 * 4 + std::string_view("…").size());
}

TEST(Hex, BytesComeBackFromTheirDigits) {
  const std::string bytes = "\x00\x7f\x80\xff a"s;
  const std::string digits = Hex(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(digits, "007f80ff2061");
  EXPECT_EQ(Unhex(digits), bytes);
  EXPECT_EQ(Unhex("007F80Ff2061"), bytes);
  EXPECT_EQ(Unhex(""), "");
  for (const std::string_view wrong : {"0", "000", "0g", "g0", "-1", "0x", " 1"}) {
    EXPECT_EQ(Unhex(wrong), std::nullopt) << wrong;
  }
}

TEST(HexValue, KnowsTheDigitsOfBothCasesAlone) {
  constexpr std::string_view kLower = "0123456789abcdef";
  constexpr std::string_view kUpper = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::size_t value = std::min(kLower.find(c), kUpper.find(c));
    EXPECT_EQ(HexValue(c), value == std::string_view::npos ? -1 : static_cast<int>(value)) << byte;
  }
}

}  // namespace
}  // namespace laurel::base
