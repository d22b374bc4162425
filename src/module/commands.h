// The LB commands, and their registration with the server.
#pragma once

#include "module/redis_api.h"

namespace laurel::module {

// Registers the LB commands of one board from the command table, and LB.APPLY. False if the server
// refuses one.
bool RegisterCommands(Context* context);

// Executes LB.CHANGES (changes.cc).
int Changes(Context* context, String** arguments, int count) noexcept;

}  // namespace laurel::module
