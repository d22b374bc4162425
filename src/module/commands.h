// The LB commands of one board, as functions that the server calls.
#pragma once

#include <span>

#include "module/redis_api.h"
#include "wire/command_id.h"

namespace laurel::module {

struct BoardCommand {
  wire::CommandId id;
  CommandFunction run;
};

// All LB commands of the command table that the module has.
std::span<const BoardCommand> BoardCommands();

// Executes LB.CHANGES (changes.cc).
int Changes(Context* context, String** arguments, int count) noexcept;

}  // namespace laurel::module
