// A seeded 64-bit hash for member bytes.
//
// Two 64-bit lanes are folded through a 64 × 64 → 128 bit multiplication keyed by the seed, which
// spreads every input bit over every output bit in a few cycles. Players choose members; without
// the seed a player cannot choose members that collide. It is not a cryptographic hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace laurel::base {

__extension__ using Wide = unsigned __int128;

inline std::uint64_t FoldMultiply(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t HashInteger(std::uint64_t value, std::uint64_t seed) {
  const std::uint64_t once = FoldMultiply(value ^ seed, 0x9e3779b97f4a7c15);
  return FoldMultiply(once ^ 0xd1b54a32d192ed03, seed | 1);
}

inline std::uint64_t HashBytes(std::string_view bytes, std::uint64_t seed) {
  const auto load8 = [](const char* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof(word));
    return word;
  };
  const auto load4 = [](const char* from) {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof(word));
    return std::uint64_t{word};
  };
  const char* at = bytes.data();
  const std::size_t size = bytes.size();
  const char* end = at + size;
  std::uint64_t state = seed ^ (size * 0xa0761d6478bd642f);
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (size >= 16) {
    for (; end - at > 16; at += 16) {
      state = FoldMultiply(load8(at) ^ 0xe7037ed1a0b428db ^ state, load8(at + 8) ^ seed);
    }
    low = load8(end - 16);  // the last 16 bytes; some may be read for the second time
    high = load8(end - 8);
  } else if (size >= 8) {
    low = load8(at);
    high = load8(end - 8);
  } else if (size >= 4) {
    low = load4(at);
    high = load4(end - 4);
  } else {
    for (; at != end; ++at) low = low << 8 | static_cast<unsigned char>(*at);
  }
  // The constants keep the factors from being zero for any seed.
  const std::uint64_t once =
      FoldMultiply(low ^ 0x8ebc6af09c88c6e3 ^ state, high ^ seed ^ 0x1d8e4e27c47d124f);
  return FoldMultiply(once ^ 0x589965cc75374cc3, seed | 1);
}

}  // namespace laurel::base
