#include "base/base64.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/random.h"

namespace laurel::base {
namespace {

std::string Encode(std::string_view bytes) {
  std::string text;
  AppendBase64(bytes, &text);
  return text;
}

TEST(Base64, EncodesTheExamplesOfTheStandard) {
  EXPECT_EQ(Encode(""), "");
  EXPECT_EQ(Encode("f"), "Zg==");
  EXPECT_EQ(Encode("fo"), "Zm8=");
  EXPECT_EQ(Encode("foo"), "Zm9v");
  EXPECT_EQ(Encode("foob"), "Zm9vYg==");
  EXPECT_EQ(Encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(Encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Encode("\xfb\xff\xfe"), "+//+");
}

TEST(Base64, DecodesWhatItEncodes) {
  Random random(1);
  for (std::size_t bytes = 0; bytes < 200; ++bytes) {
    std::string original;
    for (std::size_t i = 0; i < bytes; ++i) original += static_cast<char>(random.Next());
    std::string decoded = "before";
    ASSERT_TRUE(DecodeBase64(Encode(original), &decoded));
    ASSERT_EQ(decoded, "before" + original);
  }
}

TEST(Base64, RefusesEveryOtherText) {
  for (const std::string_view text :
       {"Z", "Zg", "Zg=", "Zg===", "Zm8", "Zm9vYg", "=", "==", "====", "Z===", "Zg==Zg==", "Zm=8",
        "Zm 8", "Zm8=\n", " Zm8=", "Zm-_", "Zm8\xff", "Zh==", "Zm9="}) {
    std::string decoded = "before";
    EXPECT_FALSE(DecodeBase64(text, &decoded)) << text;
    EXPECT_EQ(decoded, "before");
  }
}

// There is one text for given bytes: every text of four characters that is decoded is encoded
// again.
TEST(Base64, NoTwoTextsHaveTheSameBytes) {
  int accepted = 0;
  for (unsigned last = 0; last < 256; ++last) {
    for (const std::string_view end : {"==", "="}) {
      const std::string text =
          std::string(3 - end.size(), 'Z') + static_cast<char>(last) + std::string(end);
      std::string decoded;
      if (!DecodeBase64(text, &decoded)) continue;
      ++accepted;
      EXPECT_EQ(Encode(decoded), text);
    }
  }
  EXPECT_EQ(accepted, 4 + 16);
}

}  // namespace
}  // namespace laurel::base
