// Two leaderboards to look at: what `laurel demo` starts with.
#pragma once

#include <cstdint>
#include <string>

#include "engine/engine.h"

namespace laurel::cli {

// REQUIRES: the engine completes pipelines at once and has no boards of these names.
void FillDemoBoards(engine::Engine* engine);

// What to try, for somebody who has just started it.
std::string DemoHint(std::uint16_t port);

}  // namespace laurel::cli
