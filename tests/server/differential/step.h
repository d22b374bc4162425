// One step of a random stream: what goes to both servers, and on which connection.
#pragma once

#include <cstddef>
#include <vector>

#include "server/resp_client.h"

namespace laurel::differential {

using black_box::Arguments;
using black_box::Value;

// Connections for random commands. The player reads all replies on one connection before it uses
// the next, so both servers execute the commands in the same order.
inline constexpr std::size_t kStreamConnections = 3;
// Clients that wait in blocking pops.
inline constexpr std::size_t kWaiters = 3;

struct Step {
  enum class Kind {
    kCommands,   // `commands`, pipelined with those of the steps before and after
    kIteration,  // SCAN or ZSCAN until the cursor is 0 again; `commands[0]` is the first call
    kWaiting,    // blocking pops of several clients, then commands that may serve them
    kOneSided,   // `commands` go to the second server only: proves that a difference is seen
  };

  Kind kind = Kind::kCommands;
  std::size_t connection = 0;
  // Sent as an inline command rather than as an array.
  bool inline_form = false;
  std::vector<Arguments> commands;
  // kWaiting: one blocking pop for each of the first waiters. `commands` run after them, except a
  // leading DEL, which runs before.
  std::vector<Arguments> blocking;
};

using Stream = std::vector<Step>;

}  // namespace laurel::differential
