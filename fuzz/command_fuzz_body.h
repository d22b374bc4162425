// Bytes become conversations of several clients with an embedded engine, in this process, under a
// clock that the bytes move. Shared by the libFuzzer target and the replay test.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace laurel::fuzz {

// Runs the conversations that the input describes. Empty if the engine kept its promises, else the
// first one that it broke and the request at which it did:
//
// - every pipeline is done once, or waits; a waiting one is done when it is served or cancelled
// - every request has exactly one reply, well-formed in its protocol, of at most max-reply
// - EXEC replies to each of its commands or, given up, with nil or an error
// - in the end nobody waits, KEYS and DBSIZE agree, and FLUSHALL leaves nothing
std::string RunCommands(std::span<const std::uint8_t> bytes);

}  // namespace laurel::fuzz
