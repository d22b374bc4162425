// The words of a line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace laurel::base {

// Returns the words, which single blanks separate.
inline std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

}  // namespace laurel::base
