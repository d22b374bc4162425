// The decimal text of an int64, as Redis accepts it and as Laurel writes it.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laurel::base {

inline constexpr std::size_t kMaxIntegerText = 20;  // "-9223372036854775808"
static_assert(kMaxIntegerText == sizeof("-9223372036854775808") - 1);

// Accepts only the canonical text of a number: no plus, no leading zeros, no "-0", no blanks.
// Returns false for any other text; *value is then unspecified.
inline bool ParseInteger(std::string_view text, std::int64_t* value) {
  if (text.empty() || text.size() > kMaxIntegerText) return false;
  const std::string_view digits = text.substr(text[0] == '-' ? 1 : 0);
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return false;
  if (digits[0] == '0' && text.size() > 1) return false;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end;
}

}  // namespace laurel::base
