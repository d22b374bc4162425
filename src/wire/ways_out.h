// Names the command or route that solves a client's error. The texts depend on the protocol,
// because LB.CREATE does not help a client of HTTP. Error texts take these names from here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/answer.h"
#include "wire/command_table.h"

namespace laurel::wire {

enum class Surface : std::uint8_t { kResp, kHttp };
// Returns the surface of a request: HTTP has an Answer, RESP has none.
inline Surface SurfaceOf(const Answer* answer) {
  return answer != nullptr ? Surface::kHttp : Surface::kResp;
}

// Returns how to create a board of this name, or of the name before '@': "LB.CREATE or a template
// makes one".
std::string WayToCreate(Surface surface, std::string_view board);
// Returns how to turn the sorted set of this name into a leaderboard.
std::string WayToAdopt(Surface surface, std::string_view board);
// Returns how to remove a sorted set; HTTP has no request for it.
std::string WayToRemoveSet(Surface surface);
// Returns the name of a request: "lb.pop", or "this request" because HTTP has no commands.
std::string RequestName(Surface surface, const CommandInfo& command);

}  // namespace laurel::wire
