// Writes chosen boards of a loaded folder as an archive, in the format of a backup
// (storage/archive.h) that has only a snapshot, S = E = 1. `laurel restore` makes a data folder of
// it, `laurel import` copies its boards.
//
// A board is written with its spec, entries, stamps, meta, hidden marks, instances and expiry.
// Request ids are left out, because they are promises of the original server. Also left out are the
// log positions at which instances were closed, and templates.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "engine/keyspace/named_board.h"
#include "laurel/result.h"
#include "laurel/stamp.h"
#include "storage/manifest.h"

namespace laurel::transfer {

struct ArchiveOptions {
  std::string path;           // a file if it ends in .laurel, otherwise a folder
  Stamp last_stamp = 0;       // LoadedBoards::last_stamp, the clock that gave the stamps
  std::int64_t taken_us = 0;  // when the state was taken
  // Called with the number of entries written so far; may be null.
  std::function<void(std::uint64_t done)> progress{};
};

// ERR if the path is taken. An unfinished archive is removed. REQUIRES: the names of the boards
// differ; the boards do not change meanwhile.
Result<storage::Manifest> WriteArchive(std::span<const engine::NamedBoard* const> boards,
                                       const ArchiveOptions& options);

}  // namespace laurel::transfer
