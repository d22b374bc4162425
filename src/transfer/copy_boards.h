// Copies whole boards of an archive, a backup or a data folder into a data folder: spec, entries,
// stamps, meta, marks and instances.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "laurel/result.h"
#include "transfer/report/reporter.h"
#include "transfer/sources/archive_source.h"
#include "transfer/targets/folder_sink.h"

namespace laurel::transfer {

// Copies the boards and finishes the folder. EXISTS if a name is taken.
Status CopyBoards(std::span<const ChosenBoard> boards, Stamp last_stamp, FolderSink* folder,
                  Reporter* reporter);

// Compares the boards with those of the folder: specs, entries, hidden entries, marks and
// instances. Reports each difference, and returns the number of boards that differ.
Result<std::uint64_t> CompareCopies(std::span<const ChosenBoard> boards, const std::string& folder,
                                    Reporter* reporter);

}  // namespace laurel::transfer
