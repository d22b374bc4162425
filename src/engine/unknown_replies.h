// UNKNOWN errors in RESP for requests whose outcome is unknown.
#pragma once

#include "engine/engine.h"

namespace laurel::engine {

// If Pipeline::unknown is set, replaces the reply of each unconfirmed request by an UNKNOWN error
// and clears Pipeline::unknown. Call it once, after the engine called Done and before the replies
// are sent.
void ReplaceUnknownReplies(Pipeline* pipeline);

}  // namespace laurel::engine
