// Quoting of untrusted text for messages, case-insensitive ASCII text, and hexadecimal digits.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace laurel::base {

// The text in single quotes, cut off after 64 bytes. Single quotes, backslashes and bytes outside
// printable ASCII are written as \xNN, so a message built with it is always one line.
std::string Quote(std::string_view text);

constexpr char LowerLetter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Whether the texts are equal except for the case of ASCII letters. For option words.
constexpr bool IsWord(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (LowerLetter(text[i]) != LowerLetter(word[i])) return false;
  }
  return true;
}

// The text with ASCII letters in lower case.
std::string Lower(std::string_view text);

// The text without blanks and tabs at its ends, as a view of it.
std::string_view Trimmed(std::string_view text);

// The value of a hexadecimal digit of either case; -1 if `c` is none.
constexpr int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = LowerLetter(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// The bytes as two lower-case hexadecimal digits each.
std::string Hex(std::span<const std::byte> bytes);
// The bytes that such digits, of either case, stand for; none for other text.
std::optional<std::string> Unhex(std::string_view digits);

}  // namespace laurel::base
