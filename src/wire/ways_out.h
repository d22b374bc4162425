// How errors tell a client what to do. Each protocol has a table of its own, because LB.CREATE does
// not help a client of another protocol; the answer to a request has that of its protocol.
#pragma once

#include <string>
#include <string_view>

#include "wire/command_answer.h"
#include "wire/command_table.h"

namespace laurel::wire {

struct WaysOut {
  // The requests that create the board of this name, and that turn a sorted set into a leaderboard.
  std::string (*create)(std::string_view board);
  std::string (*adopt)(std::string_view board);
  std::string_view remove_set;  // how to remove a sorted set
  std::string_view request;     // what errors call a request; empty: by its command's name
};

extern const WaysOut kRespWaysOut;

// Returns the table of a request's answer, or that of RESP if it has none.
inline const WaysOut& WaysOutOf(const Answer* answer) {
  return answer != nullptr ? answer->ways_out() : kRespWaysOut;
}

// Returns how to create a board of this name, or of the name before '@': "LB.CREATE or a template
// makes one".
std::string WayToCreate(const WaysOut& ways, std::string_view board);
// Returns how to turn the sorted set of this name into a leaderboard.
std::string WayToAdopt(const WaysOut& ways, std::string_view board);
// Returns the name of a request, such as "lb.pop".
std::string RequestName(const WaysOut& ways, const CommandInfo& command);

}  // namespace laurel::wire
