// Sample arguments by kind: a few names that requests share, so that they act on the same boards
// and members, and difficult values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::fuzz {

struct Samples {
  std::vector<std::string> plain;    // names and values of the boards; used most of the time
  std::vector<std::string> strange;  // edge cases and invalid values
};

// Returns null if there is no such kind.
const Samples* SamplesOf(std::string_view kind);

// Requests that create and fill the boards that the samples name.
std::span<const std::vector<std::string_view>> Preludes();

}  // namespace laurel::fuzz
