// Registers the commands with the server: names, flags, keys, and the contents of COMMAND DOCS.
#pragma once

#include "module/redis_api.h"

namespace laurel::module {

// Registers the LB commands of one board from the command table, and LB.APPLY. False if the server
// refuses one.
bool RegisterCommands(Context* context);

}  // namespace laurel::module
