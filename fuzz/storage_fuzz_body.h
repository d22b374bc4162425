// Bytes become the files of a data folder, which is then recovered. Shared by the libFuzzer targets
// and the replay test.
//
// Checksums and numbers are made right, or a fuzzer would never get behind them; what they protect
// is the input's. Files are read as anybody could have written them: the history is known.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace laurel::fuzz {

// Each returns what was broken of this, or nothing:
//
// - recovery ends, with boards that are in order or with an error that says something
// - what is recovered is found again, the same, once the folder is tidied

// The input as segments of a log: frames of any contents and flags, and bytes between them.
std::string RunLog(std::span<const std::uint8_t> bytes);
// The input as a snapshot, with a log behind it.
std::string RunSnapshot(std::span<const std::uint8_t> bytes);

}  // namespace laurel::fuzz
