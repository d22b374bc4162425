// Feeds bytes to the parsers of HTTP requests and JSON bodies. Shared by the libFuzzer targets and
// the replay test.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace laurel::fuzz {

// Each returns "" if the parser kept its promises, else the first broken one.

// Reads the input as limits, cuts, and requests of one connection:
//
// - however the bytes are cut into pieces, the same requests and the same error come out
// - a request is within the limits, its texts are parts of the input, and its head has no line end
// - the parser never waits for more input than its limits need
// - a path and a query that are accepted are the same after encoding and decoding again
std::string RunHttpRequest(std::span<const std::uint8_t> bytes);

// Reads the input as one JSON text:
//
// - an accepted document is within the limits, and is the same after writing and reading it again
// - a refused one has a one-line error with an offset inside the text
// - a document that was used before gives the same as a new one
std::string RunJson(std::span<const std::uint8_t> bytes);

}  // namespace laurel::fuzz
