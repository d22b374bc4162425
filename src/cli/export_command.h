// `laurel export`.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace laurel::cli {

// Writes boards of a server, a data folder or an archive into files, or into a sorted set of Redis.
// `arguments` are those after the command. Returns the exit code: 0, 1 if it failed, 2 for wrong
// arguments, 3 if it is done but --lossy has left something out.
int Export(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

}  // namespace laurel::cli
