// Export: writes boards that are loaded in memory as rows of text, into a sorted set of Redis, or
// as an archive.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "engine/keyspace/named_board.h"
#include "laurel/result.h"
#include "laurel/stamp.h"
#include "storage/manifest.h"
#include "transfer/folders/board_rows.h"
#include "transfer/report/reporter.h"
#include "transfer/targets/zset_sink.h"
#include "transfer/text/row_writer.h"

namespace laurel::transfer {

struct RowExport {
  RowFormat format = RowFormat::kCsv;
  std::string path;  // "-": standard output
  RowChoice choice;
};

// Writes the boards consecutively into one file. Returns the number of rows. ERR if the format
// cannot hold them: CSV and JSONL hold one board.
Result<std::uint64_t> ExportRows(std::span<const engine::NamedBoard* const> boards,
                                 const RowExport& wanted, Reporter* reporter);

// Writes the visible entries of a leaderboard into a sorted set of Redis.
Result<ZsetReport> ExportZset(const engine::NamedBoard& board, const RowChoice& choice,
                              const ZsetSinkOptions& options, client::PatientConnection* server,
                              Reporter* reporter);

// An archive has the format of a backup (storage/archive.h) that has only a snapshot, S = E = 1.
// `laurel restore` makes a data folder of it, `laurel import` copies its boards.
//
// A board is written with its spec, entries, stamps, meta, hidden marks, instances and expiry.
// Request ids are left out, because they are promises of the original server. Also left out are the
// log positions at which instances were closed, and templates.
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
