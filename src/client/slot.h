// The slot of a key in a Redis or Valkey cluster.
#pragma once

#include <cstdint>
#include <string_view>

namespace laurel::client {

inline constexpr std::uint16_t kSlots = 16384;

// CRC-16/XMODEM of the key, or of its hash tag: what is between the first '{' and the next '}', if
// that is not empty.
std::uint16_t SlotOf(std::string_view key);

}  // namespace laurel::client
