// The two example leaderboards of `laurel demo`.
#pragma once

#include <cstdint>
#include <string>

#include "engine/engine.h"

namespace laurel::cli {

// Creates and fills the boards. REQUIRES: the engine completes pipelines at once and has no boards
// of these names.
void FillDemoBoards(engine::Engine* engine);

// Commands to try, printed at the start.
std::string DemoHint(std::uint16_t port);

}  // namespace laurel::cli
