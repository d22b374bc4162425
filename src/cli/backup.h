// `laurel backup` and `laurel restore`.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace laurel::cli {

// Copies the data of a running server, in exactly the state at one record number. `arguments` are
// those after the command. Returns the exit code: 0, 1 if it failed, 2 for wrong arguments.
int Backup(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

// Makes a data folder from a backup. Returns the same exit codes as Backup.
int Restore(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

}  // namespace laurel::cli
