// Bytes become writes to an engine on a simulated disk, and questions about what has changed.
// Shared by the libFuzzer target and the replay test.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace laurel::fuzz {

// Empty if the engine kept its promises, else the first one that it broke:
//
// - every request has exactly one reply, well-formed in its protocol, whatever cursor it is about
// - a board's changes are the same however they are cut into pages, and from each event's cursor on
//   those behind it
// - they are the same after a restart
std::string RunFeed(std::span<const std::uint8_t> bytes);

}  // namespace laurel::fuzz
