// Arguments by kind: the few names that requests have to share to meet each other, and values that
// hurt.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::fuzz {

struct Samples {
  std::vector<std::string> plain;    // what the boards hold; asked for most of the time
  std::vector<std::string> strange;  // what hurts
};

// Null if there is no such kind.
const Samples* SamplesOf(std::string_view kind);

// Requests that give the commands something to work on: the boards that the samples name.
std::span<const std::vector<std::string_view>> Preludes();

}  // namespace laurel::fuzz
