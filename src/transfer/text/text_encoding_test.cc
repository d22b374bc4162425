#include "transfer/text/text_encoding.h"

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/piece_reader.h"

namespace laurel::transfer {
namespace {

// What a reader of the bytes returns, or the error, when they come in pieces of this size.
std::string Read(std::string_view bytes, TextEncoding encoding, std::size_t piece) {
  auto source = std::make_unique<PieceReader>(std::string(bytes), [piece] { return piece; });
  const auto reader = Decoded(std::move(source), encoding).value();
  std::string text;
  char buffer[64];
  for (;;) {
    const Result<std::size_t> count = reader->Read(buffer);
    if (!count.ok()) return "error: " + count.error().message;
    if (*count == 0) return text;
    text.append(buffer, *count);
  }
}

// The same, which must not depend on the size of the pieces.
std::string Read(std::string_view bytes, TextEncoding encoding) {
  const std::string whole = Read(bytes, encoding, SIZE_MAX);
  for (const std::size_t piece : {1U, 2U, 3U, 5U}) EXPECT_EQ(Read(bytes, encoding, piece), whole);
  return whole;
}

TEST(TextEncoding, ThreeAreKnown) {
  EXPECT_EQ(ParseTextEncoding("utf-8").value(), TextEncoding::kUtf8);
  EXPECT_EQ(ParseTextEncoding("GB18030").value(), TextEncoding::kGb18030);
  EXPECT_EQ(ParseTextEncoding("bytes").value(), TextEncoding::kBytes);
  EXPECT_EQ(ParseTextEncoding("gbk").error().message,
            "'gbk' is none of utf-8, gb18030 (which GBK is a part of) and bytes");
}

TEST(TextEncoding, Utf8IsPassedOn) {
  const std::string text = "member,score\nann,5\n\xe5\xb0\x8f\xe6\x98\x8e,7\n\xf0\x9f\x98\x80,8\n";
  EXPECT_EQ(Read(text, TextEncoding::kUtf8), text);
  EXPECT_EQ(Read("", TextEncoding::kUtf8), "");
}

TEST(TextEncoding, BytesThatAreNotUtf8AreRefusedWithTheirLine) {
  // The first two characters in GBK; a character that is cut off; a wrong second byte; a surrogate.
  for (const std::string_view bad :
       {"\xd0\xa1\xc3\xf7,7\n", "\xe5\xb0", "\xe5\x41", "\xed\xa0\x80"}) {
    const std::string error = Read("member,score\nann,5\n" + std::string(bad), TextEncoding::kUtf8);
    EXPECT_TRUE(error.starts_with("error: memory line 3 is not UTF-8: --encoding gb18030"))
        << error;
  }
}

TEST(TextEncoding, Utf16IsNamed) {
  for (const std::string_view text : {"\xff\xfem", "\xfe\xffm"}) {
    for (const TextEncoding encoding : {TextEncoding::kUtf8, TextEncoding::kGb18030}) {
      EXPECT_EQ(Read(text, encoding), "error: memory: the text is UTF-16: convert it to UTF-8");
    }
  }
}

TEST(TextEncoding, Gb18030IsConverted) {
  // The last character has four bytes in GB18030 and is none of GBK.
  EXPECT_EQ(Read("\xd0\xa1\xc3\xf7,7\n\x81\x39\xef\x34,8\n", TextEncoding::kGb18030),
            "\xe5\xb0\x8f\xe6\x98\x8e,7\n\xe3\x90\x85,8\n");
  const std::string error = Read("ann,5\n\xd0\n", TextEncoding::kGb18030);
  EXPECT_TRUE(error.starts_with("error: memory line 2 is not GB18030")) << error;
  EXPECT_TRUE(Read("ann,5\n\xd0", TextEncoding::kGb18030).starts_with("error: memory line 2"));
}

TEST(TextEncoding, BytesAreNotLookedAt) {
  EXPECT_EQ(Read("\xff\xd0\xa1", TextEncoding::kBytes), "\xff\xd0\xa1");
}

}  // namespace
}  // namespace laurel::transfer
