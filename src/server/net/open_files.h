// The limit of open files, and how many clients fit under it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "laurel/result.h"

namespace laurel::server {

// File descriptors that are not available to clients: some for the log, snapshots, backups,
// listeners and the like, and some per I/O thread.
inline constexpr std::size_t kReservedFiles = 96;
inline constexpr std::size_t kFilesPerThread = 4;

// Raises the soft limit of open files to the hard one. Returns the limit that then holds, SIZE_MAX
// if there is none or it is unknown.
std::size_t RaiseOpenFiles();

// Returns how many clients may connect, at most `wanted`, so that the reserved descriptors stay
// free. ERR if no client fits.
Result<std::uint32_t> ClientsWithin(std::size_t open_files, std::size_t threads,
                                    std::uint32_t wanted);

}  // namespace laurel::server
