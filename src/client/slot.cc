#include "client/slot.h"

#include <array>

namespace laurel::client {
namespace {

constexpr std::uint16_t kPolynomial = 0x1021;

constexpr std::array<std::uint16_t, 256> MakeTable() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    unsigned rest = i << 8;
    for (int bit = 0; bit < 8; ++bit) rest = (rest << 1) ^ ((rest & 0x8000) != 0 ? kPolynomial : 0);
    table[i] = static_cast<std::uint16_t>(rest);
  }
  return table;
}

constexpr std::array<std::uint16_t, 256> kTable = MakeTable();

std::string_view HashedPart(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const std::size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

std::uint16_t SlotOf(std::string_view key) {
  unsigned crc = 0;
  for (const char c : HashedPart(key)) {
    crc = (crc << 8) ^ kTable[((crc >> 8) ^ static_cast<unsigned char>(c)) & 0xff];
  }
  return static_cast<std::uint16_t>(crc & (kSlots - 1));
}

}  // namespace laurel::client
