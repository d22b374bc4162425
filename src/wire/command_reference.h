// Generates docs/commands.md from the command table.
#pragma once

#include <string>

namespace laurel::wire {

// The whole page, in Markdown.
std::string CommandReference();

}  // namespace laurel::wire
