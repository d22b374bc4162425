// Copies boards of an archive, a backup or a data folder into a data folder, whole: spec, entries,
// stamps, meta, marks and instances.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "laurel/result.h"
#include "transfer/archive_source.h"
#include "transfer/folder_sink.h"
#include "transfer/reporter.h"

namespace laurel::transfer {

// Copies the boards and finishes the folder. EXISTS if a name is taken.
Status CopyBoards(std::span<const ChosenBoard> boards, Stamp last_stamp, FolderSink* folder,
                  Reporter* reporter);

// Compares the boards with those of the folder: specs, entries, hidden ones, marks and instances.
// Returns the number of boards that differ, and says for each what was found.
Result<std::uint64_t> CompareCopies(std::span<const ChosenBoard> boards, const std::string& folder,
                                    Reporter* reporter);

}  // namespace laurel::transfer
