// Tells the server about the commands: names, flags, keys, and what COMMAND DOCS shows.
#pragma once

#include "module/redis_api.h"

namespace laurel::module {

// Registers the LB commands of one board from the command table, and LB.APPLY. False if the server
// refuses one.
bool RegisterCommands(Context* context);

}  // namespace laurel::module
