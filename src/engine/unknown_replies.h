// RESP's answer to requests whose outcome is unknown.
#pragma once

#include "engine/engine.h"

namespace laurel::engine {

// If the outcome of the turn's requests is unknown from one on (Turn::unknown), replaces their
// replies by as many UNKNOWN errors. Call it once, between Done and sending; then nothing is
// unknown any more.
void ReplaceUnknownReplies(Turn* turn);

}  // namespace laurel::engine
