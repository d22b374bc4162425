// Feeds bytes to the readers of CSV, TSV and JSON lines, and what they read to the writers. Shared
// by the libFuzzer target and the replay test.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace laurel::fuzz {

// Reads the input as options, cuts, and the bytes of a file. Returns "" if readers and writers kept
// their promises, else the first broken one:
//
// - however the bytes are cut into reads, the same rows, rejects and errors come out
// - a row is within the limits and has as many values as the spec has fields; lines rise
// - what the writers write of the rows, the readers read back equal
std::string RunRows(std::span<const std::uint8_t> bytes);

}  // namespace laurel::fuzz
