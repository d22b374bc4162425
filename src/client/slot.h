// The cluster slot of a key in Redis or Valkey.
#pragma once

#include <cstdint>
#include <string_view>

namespace laurel::client {

inline constexpr std::uint16_t kSlots = 16384;

// Returns the CRC-16/XMODEM of the key or of its hash tag: the text between the first '{' and the
// next '}', if it is not empty.
std::uint16_t SlotOf(std::string_view key);

}  // namespace laurel::client
