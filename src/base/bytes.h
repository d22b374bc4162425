// Reading and writing numbers in byte buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace laurel::base {

template <typename T>
T Load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void Store(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

// Maps signed numbers near zero to small unsigned ones: 0, -1, 1, -2 … to 0, 1, 2, 3 …
constexpr std::uint64_t ZigZag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t UnZigZag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}
static_assert(ZigZag(INT64_MIN) == UINT64_MAX && UnZigZag(UINT64_MAX) == INT64_MIN);

// A varint has seven bits per byte, low bits first; the top bit is set in all but the last byte.
inline constexpr std::size_t kMaxVarintBytes = 10;
static_assert(7 * kMaxVarintBytes >= 64 && 7 * (kMaxVarintBytes - 1) < 64);

// Returns the position after the varint. REQUIRES: room for kMaxVarintBytes.
inline char* PutVarint(char* to, std::uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<char>(value);
  return to;
}

// Returns the position after the varint. REQUIRES: `from` points at a whole varint written by
// PutVarint.
inline const char* GetVarint(const char* from, std::uint64_t* value) {
  std::uint64_t result = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*from++);
    result |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  *value = result;
  return from;
}

}  // namespace laurel::base
