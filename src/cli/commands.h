// The commands of the `laurel` program. Each takes the arguments after its name and returns the
// exit code of the program (arguments.h).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

#include "base/file.h"

namespace laurel::cli {

enum class Boards : std::uint8_t {
  kNone,
  kDemo,  // with example leaderboards
};

// `laurel serve` and `laurel demo`: serves the embedded engine until it is stopped.
int Serve(std::span<const std::string_view> arguments, Boards boards, std::ostream& out,
          std::ostream& err);

// `laurel check`: verifies a data folder, prints what is in it, and repairs it on request. Returns
// kExitOk if the folder is whole (a torn tail is not damage, because its write was never
// acknowledged), kExitFailed if it is damaged or cannot be read.
int Check(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);
// Checks a folder and prints its contents, without repairing. Returns the same exit codes as Check.
// REQUIRES: the caller holds the folder's lock.
int ShowFolder(base::Folder* folder, std::ostream& out, std::ostream& err);

// `laurel backup`: copies the data of a running server, in exactly the state at one record number.
int Backup(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);
// `laurel restore`: makes a data folder from a backup.
int Restore(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

// `laurel import`: moves boards from Redis, files or an archive into a server or a data folder.
// Returns kExitPartly if some rows were rejected or differ.
int Import(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);
// `laurel export`: writes boards of a server, a data folder or an archive into files, or into a
// sorted set of Redis. Returns kExitPartly if --lossy has left something out, or if a board was
// written to all the time.
int Export(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

}  // namespace laurel::cli
