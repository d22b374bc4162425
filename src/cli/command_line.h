// What the arguments of the `laurel` program mean.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace laurel::cli {

// Runs the program with `arguments` (its own name left out) and returns its exit code: 0 if all
// went well, 1 if it failed on the way, 2 with a hint on `err` if the arguments are wrong.
int RunCommandLine(std::span<const std::string_view> arguments, std::ostream& out,
                   std::ostream& err);

}  // namespace laurel::cli
