// Member names, the same in all groups.
#pragma once

#include <cstdint>
#include <string>

namespace laurel::bench {

// Member `number` of a board: 18 bytes, as redis-benchmark writes `gamer:__rand_int__`.
inline std::string MemberName(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return "gamer:" + std::string(12 - digits.size(), '0') + digits;
}

}  // namespace laurel::bench
