// Runs the commands of the `laurel` program.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace laurel::cli {

// Runs the program with `arguments` (without its own name) and returns its exit code: 0 on success,
// 1 if the command failed, 2 with a hint on `err` if the arguments are wrong.
int RunCommandLine(std::span<const std::string_view> arguments, std::ostream& out,
                   std::ostream& err);

}  // namespace laurel::cli
