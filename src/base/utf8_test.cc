#include "base/utf8.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

using std::string_view_literals::operator""sv;

std::string Utf8(std::uint32_t code) {
  std::string text;
  AppendUtf8(code, &text);
  return text;
}

TEST(Utf8, EveryCodePointIsValidAndHasTheShortestForm) {
  for (std::uint32_t code = 0; code <= 0x10ffff; ++code) {
    if (code == 0xd800) code = 0xe000;
    const std::string text = Utf8(code);
    const std::size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    ASSERT_EQ(text.size(), bytes) << code;
    ASSERT_TRUE(IsUtf8(text)) << code;
    if (bytes > 1) {
      ASSERT_EQ(Utf8PrefixBytes(text.substr(0, bytes - 1)), 0U) << code;
    }
  }
  EXPECT_EQ(Utf8(0x41), "A");
  EXPECT_EQ(Utf8(0xe9), "é");
  EXPECT_EQ(Utf8(0x20ac), "€");
  EXPECT_EQ(Utf8(0x1f3c6), "🏆");
}

TEST(Utf8, RefusesLongFormsSurrogatesAndBytesThatNeverOccur) {
  for (const std::string_view text : {"\x80"sv,
                                      "\xbf"sv,
                                      "\xc0\x80"sv,
                                      "\xc1\xbf"sv,
                                      "\xc2"sv,
                                      "\xc2\x41"sv,
                                      "\xc2\xc2"sv,
                                      "\xe0\x80\x80"sv,
                                      "\xe0\x9f\xbf"sv,
                                      "\xe2\x82"sv,
                                      "\xe2\x82\x41"sv,
                                      "\xed\xa0\x80"sv,
                                      "\xed\xbf\xbf"sv,
                                      "\xf0\x80\x80\x80"sv,
                                      "\xf0\x8f\xbf\xbf"sv,
                                      "\xf0\x9f\x8f"sv,
                                      "\xf0\x9f\x8f\x41"sv,
                                      "\xf4\x90\x80\x80"sv,
                                      "\xf5\x80\x80\x80"sv,
                                      "\xfe"sv,
                                      "\xff"sv}) {
    EXPECT_EQ(Utf8PrefixBytes(text), 0U) << testing::PrintToString(text);
  }
}

// Every pair of bytes: valid are two ASCII bytes, and the two bytes of one code point.
TEST(Utf8, AcceptsExactlyTheValidPairsOfBytes) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const char pair[] = {static_cast<char>(first), static_cast<char>(second)};
      const bool ascii = first < 0x80 && second < 0x80;
      const bool one = first >= 0xc2 && first <= 0xdf && second >= 0x80 && second <= 0xbf;
      ASSERT_EQ(IsUtf8({pair, 2}), ascii || one) << first << ' ' << second;
    }
  }
}

TEST(Utf8, FindsAnInvalidByteAtAnyDistance) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("\0"sv));
  for (std::size_t before = 0; before < 40; ++before) {
    for (const std::string_view filler : {"a", "é"}) {
      std::string text;
      for (std::size_t i = 0; i < before; ++i) text += filler;
      EXPECT_TRUE(IsUtf8(text));
      const std::size_t offset = text.size();
      text += "\xff" + std::string(20, 'b');
      EXPECT_EQ(Utf8PrefixBytes(text), offset);
    }
  }
}

}  // namespace
}  // namespace laurel::base
