// Turns bytes into writes to an engine on a simulated disk, and into requests of LB.CHANGES. Shared
// by the libFuzzer target and the replay test.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace laurel::fuzz {

// Returns "" if the engine kept its promises, else the first broken one:
//
// - every request has exactly one reply, well-formed in its protocol, whatever its cursor
// - a board's changes are the same for every page size, and a read from an event's cursor returns
//   the events after it
// - the last n changes are the tail of a forward read, and the changes of a member are the changes
//   of all members, filtered
// - the changes are the same after a restart
std::string RunFeed(std::span<const std::uint8_t> bytes);

}  // namespace laurel::fuzz
