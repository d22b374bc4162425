// The LB commands that the server calls, each on one board.
#pragma once

#include <span>
#include <string_view>

#include "laurel/result.h"
#include "module/redis_api.h"
#include "wire/command_table.h"

namespace laurel::module {

struct BoardCommand {
  wire::CommandId id;
  CommandFunction run;
};

// Returns the LB commands of the command table that the module supports.
std::span<const BoardCommand> BoardCommands();

// Returns the NOBOARD error for a missing key, with advice.
Error NoBoard(std::string_view name);

// Returns the row of a command as the module declares it: with FEED, because a board keeps its own
// events, and without ADOPT, because it adopts no sorted sets.
const wire::CommandInfo& CommandHere(wire::CommandId id);

// Executes LB.CHANGES (changes.cc).
int Changes(Context* context, String** arguments, int count) noexcept;
// Executes LB.LOAD (loading.cc).
int Load(Context* context, String** arguments, int count) noexcept;

// Registers the commands with the server: names, flags, keys, and the contents of COMMAND DOCS.
// Those are the LB commands of one board, from the command table, and LB.APPLY. False if the server
// refuses one (registration.cc).
bool RegisterCommands(Context* context);

}  // namespace laurel::module
