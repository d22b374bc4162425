// The LB commands of one board, as functions that the server calls.
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

// All LB commands of the command table that the module has.
std::span<const BoardCommand> BoardCommands();

// The NOBOARD error for a key that does not exist, with what to do.
Error NoBoard(std::string_view name);

// The row of a command as this host declares it: a board keeps its own feed (FEED), and no sorted
// set is adopted (ADOPT).
const wire::CommandInfo& CommandHere(wire::CommandId id);

// Executes LB.CHANGES (changes.cc).
int Changes(Context* context, String** arguments, int count) noexcept;
// Executes LB.LOAD (loading.cc).
int Load(Context* context, String** arguments, int count) noexcept;

}  // namespace laurel::module
