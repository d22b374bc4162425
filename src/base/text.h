// Text of strangers, made fit for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace laurel::base {

// 'text' in single quotes; bytes outside printable ASCII, quotes and backslashes as \xNN, cut off
// after 64 bytes. A message built with it is always one line.
std::string Quote(std::string_view text);

constexpr char LowerLetter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Whether the texts are equal but for the case of ASCII letters: how option words are read.
constexpr bool IsWord(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (LowerLetter(text[i]) != LowerLetter(word[i])) return false;
  }
  return true;
}

// ASCII letters in lower case.
std::string Lower(std::string_view text);

}  // namespace laurel::base
