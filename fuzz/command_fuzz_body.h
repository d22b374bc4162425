// Turns bytes into conversations of several clients with an embedded engine, in this process, under
// a clock that the bytes move. Shared by the libFuzzer target and the replay test.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace laurel::fuzz {

// Runs the conversations that the input describes. Returns "" if the engine kept its promises, else
// the first broken promise and the request that broke it:
//
// - every pipeline is done once, or waits; a waiting pipeline is done when it is served or
//   cancelled
// - every request has exactly one reply, well-formed in its protocol, of at most max-reply
// - EXEC replies to each of its commands or, if aborted, with nil or an error
// - in the end no pipeline waits, KEYS and DBSIZE agree, and FLUSHALL leaves nothing
std::string RunCommands(std::span<const std::uint8_t> bytes);

}  // namespace laurel::fuzz
