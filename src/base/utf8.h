// UTF-8: whether bytes are valid, and the bytes of a code point.
//
// Valid is what RFC 3629 allows: the shortest form of a code point up to U+10FFFF that is not a
// surrogate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace laurel::base {

// The length of the longest prefix that is valid UTF-8. Checks eight bytes of ASCII per step.
std::size_t Utf8PrefixBytes(std::string_view text);

inline bool IsUtf8(std::string_view text) { return Utf8PrefixBytes(text) == text.size(); }

// Appends the one to four bytes of a code point. REQUIRES: `code` is at most U+10FFFF and not a
// surrogate.
void AppendUtf8(std::uint32_t code, std::string* text);

}  // namespace laurel::base
