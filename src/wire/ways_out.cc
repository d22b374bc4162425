#include "wire/ways_out.h"

namespace laurel::wire {

const WaysOut kRespWaysOut = {
    .create = [](std::string_view /*board*/) { return std::string("LB.CREATE"); },
    .adopt = [](std::string_view /*board*/) { return std::string("LB.CREATE … ADOPT"); },
    .remove_set = "DEL removes it",
    .request = {},
};

std::string WayToCreate(const WaysOut& ways, std::string_view board) {
  return ways.create(board.substr(0, board.rfind('@'))) + " or a template makes one";
}

std::string WayToAdopt(const WaysOut& ways, std::string_view board) {
  return ways.adopt(board) + " makes it a leaderboard";
}

std::string RequestName(const WaysOut& ways, const CommandInfo& command) {
  return ways.request.empty() ? LowerName(command) : std::string(ways.request);
}

}  // namespace laurel::wire
