#include "base/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>

#include "base/bytes.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace laurel::base {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // the lowest bit is the highest power

using Table = std::array<std::uint32_t, 256>;

// tables[k][byte] is the state after the byte and k zero bytes.
constexpr std::array<Table, 8> MakeTables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ ((state & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = state;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t shorter = tables[k - 1][byte];
      tables[k][byte] = shorter >> 8 ^ tables[0][shorter & 0xff];
    }
  }
  return tables;
}

constexpr std::array<Table, 8> kTables = MakeTables();
static_assert(kTables[0][1] == 0xf26b8303 && kTables[0][0x80] == kPolynomial);

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t ByInstruction(std::string_view bytes,
                                                              std::uint32_t before) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t state = ~before;
  for (; left >= 8; at += 8, left -= 8) state = _mm_crc32_u64(state, Load<std::uint64_t>(at));
  auto low = static_cast<std::uint32_t>(state);
  for (; left > 0; ++at, --left) low = _mm_crc32_u8(low, static_cast<unsigned char>(*at));
  return ~low;
}
#endif

}  // namespace

std::uint32_t Crc32cByTable(std::string_view bytes, std::uint32_t before) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint32_t state = ~before;
  for (; left >= 8; at += 8, left -= 8) {
    const std::uint64_t word = Load<std::uint64_t>(at) ^ state;
    state = 0;
    for (std::size_t i = 0; i < 8; ++i) state ^= kTables[7 - i][word >> (8 * i) & 0xff];
  }
  for (; left > 0; ++at, --left) {
    state = state >> 8 ^ kTables[0][(state ^ static_cast<unsigned char>(*at)) & 0xff];
  }
  return ~state;
}

std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ByInstruction(bytes, before);
#endif
  return Crc32cByTable(bytes, before);
}

}  // namespace laurel::base
