#include "base/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"

namespace laurel::base {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static_assert(sizeof(kAlphabet) == 64 + 1);
constexpr std::uint8_t kNone = 64;  // not a character of the alphabet

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::uint8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kAlphabet[i])] = i;
  return values;
}();

// Reads up to four characters into the top of 24 bits. False if one is not of the alphabet.
bool ReadGroup(std::string_view text, std::uint32_t* bits) {
  *bits = 0;
  int shift = 18;
  for (const char c : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kNone) return false;
    *bits |= std::uint32_t{value} << shift;
    shift -= 6;
  }
  return true;
}

}  // namespace

void AppendBase64(std::string_view bytes, std::string* text) {
  const std::size_t size = text->size() + (bytes.size() + 2) / 3 * 4;
  text->reserve(size);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    int shift = 16;
    for (const char c : group) {
      bits |= std::uint32_t{static_cast<unsigned char>(c)} << shift;
      shift -= 8;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text->push_back(i <= group.size() ? kAlphabet[bits >> 18 & 63] : '=');
      bits <<= 6;
    }
  }
  LAUREL_ASSERT(text->size() == size);
}

bool DecodeBase64(std::string_view text, std::string* bytes) {
  if (text.size() % 4 != 0) return false;
  std::string_view characters = text;
  while (characters.ends_with('=') && text.size() - characters.size() < 2) {
    characters.remove_suffix(1);
  }
  LAUREL_ASSERT(characters.size() % 4 != 1);  // so that no group has a single character
  const std::size_t before = bytes->size();
  bytes->reserve(before + text.size() / 4 * 3);
  for (std::size_t at = 0; at < characters.size(); at += 4) {
    const std::string_view group = characters.substr(at, 4);
    const std::size_t count = group.size() - 1;  // bytes; a group has at least two characters
    std::uint32_t bits = 0;
    const bool valid = ReadGroup(group, &bits);
    // The low bits of the last character are beyond the last byte.
    if (!valid || (bits & 0xffffffU >> 8 * count) != 0) {
      bytes->resize(before);
      return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      bytes->push_back(static_cast<char>(bits >> (16 - 8 * i) & 0xff));
    }
  }
  return true;
}

}  // namespace laurel::base
