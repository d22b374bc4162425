// Counts in messages: "1,234,567 entries".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace laurel::base {

// Formats 1234567 as "1,234,567".
inline std::string Grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

// Formats a count with its noun: "5 entries", "1 entry".
inline std::string Counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return Grouped(number) + " " + std::string(number == 1 ? one : many);
}

}  // namespace laurel::base
