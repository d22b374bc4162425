// The limit of open files, and how many clients fit under it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "laurel/result.h"

namespace laurel::server {

// Files that are kept for the log, snapshots, backups, listeners and the like; each I/O thread has
// some of its own.
inline constexpr std::size_t kReservedFiles = 96;
inline constexpr std::size_t kFilesPerThread = 4;

// Raises the process' soft limit of open files to the hard one; returns the limit that holds then.
std::size_t RaiseOpenFiles();

// How many clients may connect, at most `wanted`, so that the reserved files are left. ERR if the
// limit leaves none.
Result<std::uint32_t> ClientsWithin(std::size_t open_files, std::size_t threads,
                                    std::uint32_t wanted);

}  // namespace laurel::server
