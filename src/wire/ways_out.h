// What a client can do about an error, in the words of its protocol: LB.CREATE is of no use to a
// client of HTTP. Error texts that name a command or a route take the name from here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/answer.h"
#include "wire/command_table.h"

namespace laurel::wire {

enum class Surface : std::uint8_t { kResp, kHttp };
// The surface of a request: HTTP has answers of its own, RESP has none.
inline Surface SurfaceOf(const Answer* answer) {
  return answer != nullptr ? Surface::kHttp : Surface::kResp;
}

// What makes a board of this name, or of the name before '@': "LB.CREATE or a template makes one".
std::string WayToCreate(Surface surface, std::string_view board);
// What makes a leaderboard of the sorted set of this name.
std::string WayToAdopt(Surface surface, std::string_view board);
// What removes a sorted set: HTTP has no request for it.
std::string WayToRemoveSet(Surface surface);
// What a request is called: "lb.pop", or "this request" because HTTP has no commands.
std::string RequestName(Surface surface, const CommandInfo& command);

}  // namespace laurel::wire
