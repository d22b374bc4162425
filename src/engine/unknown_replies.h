// RESP's answer to requests whose outcome is unknown.
#pragma once

#include "engine/engine.h"

namespace laurel::engine {

// If the outcome of the pipeline's requests is unknown from one on (Pipeline::unknown), replaces
// their replies by as many UNKNOWN errors. Call it once, between Done and sending; then nothing is
// unknown any more.
void ReplaceUnknownReplies(Pipeline* pipeline);

}  // namespace laurel::engine
