// `laurel import`.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace laurel::cli {

// Moves boards from Redis, files or an archive into a server or a data folder. `arguments` are
// those after the command. Returns the exit code: 0, 1 if it failed, 2 for wrong arguments, 3 if it
// is done but some rows were rejected or differ.
int Import(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

}  // namespace laurel::cli
