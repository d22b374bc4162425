// `laurel check`: verifies a data folder, says what is in it, and repairs it on request.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "base/file.h"

namespace laurel::cli {

// `arguments` are those behind the command. Returns the exit code: 0 if the folder is whole (a torn
// tail is nobody's acknowledged write), 1 if it is damaged or cannot be read, 2 for wrong
// arguments.
int Check(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err);

// Shows what a whole folder holds. The same exit codes. The caller has the folder's lock.
int ShowFolder(base::Folder* folder, std::ostream& out, std::ostream& err);

}  // namespace laurel::cli
