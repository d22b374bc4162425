// The commands of the `laurel` program. Each takes the arguments after its name and returns the
// exit code of the program (arguments.h).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

#include "base/file.h"
#include "cli/arguments.h"

namespace laurel::cli {

enum class Boards : std::uint8_t {
  kNone,
  kDemo,  // with example leaderboards
};

// `laurel serve` and `laurel demo`: serves the embedded engine until it is stopped. `arguments` are
// those after the command. Returns the exit code.
int Serve(std::span<const std::string_view> arguments, Boards boards, std::ostream& out,
          std::ostream& err);

// `laurel check`: verifies a data folder, prints what is in it, and repairs it on request. The exit
// code is kExitOk if the folder is whole (a torn tail is not damage, because its write was never
// acknowledged), kExitFailed if it is damaged or cannot be read.
Command CheckCommand();
// Checks a folder and prints its contents, without repairing. Returns the exit code of `laurel
// check`. REQUIRES: the caller holds the folder's lock.
int ShowFolder(base::Folder* folder, std::ostream& out, std::ostream& err);

// `laurel backup`: copies the data of a running server, in exactly the state at one record number.
Command BackupCommand();
// `laurel restore`: makes a data folder from a backup.
Command RestoreCommand();
// `laurel import`: moves boards from Redis, files or an archive into a server or a data folder. The
// exit code is kExitPartly if some rows were rejected or differ.
Command ImportCommand();
// `laurel export`: writes boards of a server, a data folder or an archive into files, or into a
// sorted set of Redis. The exit code is kExitPartly if --lossy has left something out, or if a
// board was written to all the time.
Command ExportCommand();

// Runs the program with `arguments` (without its own name) and returns its exit code: 0 on success,
// 1 if the command failed, 2 with a hint on `err` if the arguments are wrong.
int RunCommandLine(std::span<const std::string_view> arguments, std::ostream& out,
                   std::ostream& err);

}  // namespace laurel::cli
