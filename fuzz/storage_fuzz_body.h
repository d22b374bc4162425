// Turns bytes into the files of a data folder and recovers it. Shared by the libFuzzer targets and
// the replay test.
//
// Checksums and record numbers are usually correct, since a fuzzer would not get past them
// otherwise; the contents that they protect come from the input. All files have the same fixed
// history.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace laurel::fuzz {

// Each returns "" if recovery kept its promises, else the broken one:
//
// - recovery ends, with valid boards or with an error that has a message
// - after the folder is tidied, recovery finds the same state again

// Reads the input as segments of a log: frames of any contents and flags, and bytes between them.
std::string RunLog(std::span<const std::uint8_t> bytes);
// Reads the input as a snapshot, followed by a log.
std::string RunSnapshot(std::span<const std::uint8_t> bytes);

}  // namespace laurel::fuzz
