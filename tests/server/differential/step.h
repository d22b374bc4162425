// One step of a random stream: what goes to both servers, and on which connection.
#pragma once

#include <cstddef>
#include <vector>

#include "server/resp_client.h"

namespace laurel::differential {

using black_box::Arguments;
using black_box::Value;

// Connections that random commands go to; each step waits for none of the others, so the order in
// which the servers meet the commands is known.
inline constexpr std::size_t kStreamConnections = 3;
// Clients that wait in blocking pops.
inline constexpr std::size_t kWaiters = 3;

struct Step {
  enum class Kind {
    kCommands,   // `commands`, pipelined with those of the steps before and behind
    kIteration,  // SCAN or ZSCAN from 0 until it is 0 again; `commands[0]` has its first cursor
    kWaiting,    // blocking pops of several clients, then commands that may serve them
    kOneSided,   // `commands` go to the second server alone: proves that a difference is seen
  };

  Kind kind = Kind::kCommands;
  std::size_t connection = 0;
  // Typed as a line of text rather than as an array.
  bool inline_form = false;
  std::vector<Arguments> commands;
  // kWaiting: one blocking pop for each of the first waiters; `commands` are run behind them.
  std::vector<Arguments> blocking;
};

using Stream = std::vector<Step>;

}  // namespace laurel::differential
