// Text of strangers, made fit for messages.
#pragma once

#include <string>
#include <string_view>

namespace laurel::base {

// 'text' in single quotes; bytes outside printable ASCII, quotes and backslashes as \xNN, cut off
// after 64 bytes. A message built with it is always one line.
std::string Quote(std::string_view text);

// By ASCII letters: how option words are read.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

}  // namespace laurel::base
