// `laurel check`: verifies a data folder, prints what is in it, and repairs it on request.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "base/file.h"

namespace laurel::cli {

// `arguments` are those after the command. Returns the exit code: 0 if the folder is whole (a torn
// tail is not damage, because its write was never acknowledged), 1 if it is damaged or cannot be
// read, 2 for wrong arguments.
int Check(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

// Checks a folder and prints its contents, without repairing. Returns the same exit codes as Check.
// REQUIRES: the caller holds the folder's lock.
int ShowFolder(base::Folder* folder, std::ostream& out, std::ostream& err);

}  // namespace laurel::cli
