// Member names, which all groups share.
#pragma once

#include <cstdint>
#include <string>

namespace laurel::bench {

// Returns the name of member `number` of a board: 18 bytes, in the form of redis-benchmark's
// `gamer:__rand_int__`.
inline std::string MemberName(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return "gamer:" + std::string(12 - digits.size(), '0') + digits;
}

}  // namespace laurel::bench
