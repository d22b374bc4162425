// Text of strangers, made fit for messages.
#pragma once

#include <string>
#include <string_view>

namespace laurel::base {

// 'text' in single quotes; bytes outside printable ASCII, quotes and backslashes as \xNN, cut off
// after 64 bytes. A message built with it is always one line.
std::string Quote(std::string_view text);

// Whether the texts are equal but for the case of ASCII letters: how option words are read.
bool IsWord(std::string_view text, std::string_view word);

// ASCII letters in lower case.
std::string Lower(std::string_view text);

}  // namespace laurel::base
