// What the arguments of the `laurel` program mean.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace laurel::cli {

// Runs the program with `arguments` (its own name left out) and returns its exit code: 0 if all
// went well, 1 if `out` could not be written, 2 with a hint on `err` if the arguments are wrong.
// `interactive`: a person sits at `in`, so the demo prompts.
int RunCommandLine(std::span<const std::string_view> arguments, std::istream& in, std::ostream& out,
                   std::ostream& err, bool interactive);

}  // namespace laurel::cli
