#include "base/utf8.h"

#include "base/assert.h"
#include "base/bytes.h"

namespace laurel::base {
namespace {

constexpr std::uint64_t kTopBits = 0x8080808080808080;

unsigned char ByteAt(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// The length of the code point at `at`, which is not ASCII; 0 if it is invalid or cut off.
std::size_t SequenceBytes(std::string_view text, std::size_t at) {
  const unsigned char first = ByteAt(text, at);
  const std::size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || text.size() - at < bytes) return 0;
  // The first byte narrows the range of the second: no longer form than needed (E0, F0), no
  // surrogates (ED), nothing above U+10FFFF (F4).
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  const unsigned char second = ByteAt(text, at + 1);
  if (second < low || second > high) return 0;
  for (std::size_t i = 2; i < bytes; ++i) {
    if ((ByteAt(text, at + i) & 0xc0) != 0x80) return 0;
  }
  return bytes;
}

}  // namespace

std::size_t Utf8PrefixBytes(std::string_view text) {
  std::size_t at = 0;
  for (;;) {
    while (text.size() - at >= sizeof(std::uint64_t) &&
           (Load<std::uint64_t>(text.data() + at) & kTopBits) == 0) {
      at += sizeof(std::uint64_t);
    }
    while (at < text.size() && ByteAt(text, at) < 0x80) ++at;
    // A text in another script has few ASCII bytes between others.
    while (at < text.size() && ByteAt(text, at) >= 0x80) {
      const std::size_t bytes = SequenceBytes(text, at);
      if (bytes == 0) return at;
      at += bytes;
    }
    if (at == text.size()) return at;
  }
}

void AppendUtf8(std::uint32_t code, std::string* text) {
  LAUREL_ASSERT(code <= 0x10ffff && (code < 0xd800 || code > 0xdfff));
  const auto put = [text](std::uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
    return;
  }
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace laurel::base
