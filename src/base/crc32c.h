// CRC-32C (Castagnoli): the checksum of everything Laurel writes to a disk.
//
// Detects every single-bit flip and every burst of up to 32 bits. x86 has an instruction for it
// since SSE 4.2, at about 8 bytes every 3 cycles; elsewhere a table of 8 KiB handles 8 bytes per
// step.
#pragma once

#include <cstdint>
#include <string_view>

namespace laurel::base {

// The checksum of `bytes`, continued from the checksum `before`:
// Crc32c(b, Crc32c(a)) == Crc32c(a + b).
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before = 0);

// The same without the instruction. Crc32c uses it on CPUs that lack the instruction.
std::uint32_t Crc32cByTable(std::string_view bytes, std::uint32_t before = 0);

}  // namespace laurel::base
