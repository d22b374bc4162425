// Export: writes boards that are loaded in memory as rows of text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/keyspace/named_board.h"
#include "laurel/result.h"
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

}  // namespace laurel::transfer
