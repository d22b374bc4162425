// `laurel backup` and `laurel restore`.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace laurel::cli {

// Copies the data of a running server: exactly the state at one record number. `arguments` are
// those that follow the command. Returns the exit code: 0, 1 if it failed, 2 for wrong arguments.
int Backup(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

// Makes a data folder from a backup. The same exit codes.
int Restore(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

}  // namespace laurel::cli
