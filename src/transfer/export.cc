#include "transfer/export.h"

#include <memory>
#include <string_view>

#include "base/random.h"
#include "base/text.h"
#include "engine/disk/snapshot_walk.h"
#include "storage/archive.h"
#include "storage/format.h"
#include "storage/snapshot.h"
#include "transfer/targets/draft_chunks.h"
#include "transfer/text/byte_writer.h"

namespace laurel::transfer {
namespace {

// A chosen instance is written as a board without periods.
Spec SpecOf(const engine::NamedBoard& board, const RowChoice& choice) {
  return choice.period ? InstanceSpec(board.spec()) : board.spec();
}

Result<std::uint64_t> ExportBoard(const engine::NamedBoard& board, const RowExport& wanted,
                                  ByteWriter* file, Reporter* reporter) {
  const std::unique_ptr<RowWriter> writer = MakeRowWriter(wanted.format);
  if (writer->needs_survey()) {
    const Status seen = ForEachRow(board, wanted.choice, [&](const BoardEntry& row) -> Status {
      writer->Survey(row);
      return Ok{};
    });
    if (!seen.ok()) return seen.error();
  }
  // A range or an instance becomes a new board, without the times of this one.
  const bool is_whole = !wanted.choice.period && !wanted.choice.has_ranks();
  const Status begun = writer->Begin(board.name, SpecOf(board, wanted.choice),
                                     is_whole ? TimesOf(board) : BoardTimes(), file->buffer());
  if (!begun.ok())
    return Error{begun.error().code, base::Quote(board.name) + ": " + begun.error().message};
  const std::uint64_t total = is_whole ? board.board.all_entries() : 0;
  std::uint64_t rows = 0;
  reporter->Begin("writing", ProgressUnit::kRows);
  const Status written = ForEachRow(board, wanted.choice, [&](const BoardEntry& row) -> Status {
    writer->Write(row, file->buffer());
    if (++rows % kProgressRows == 0) {
      reporter->Progress(rows, total);
      if (const Status runs = reporter->CheckStopped(); !runs.ok()) return runs;
    }
    return file->Drain();
  });
  reporter->End();
  if (!written.ok()) return written.error();
  writer->End(file->buffer());
  return rows;
}

// Archives ----------------------------------------------------------------------------------------

constexpr std::uint64_t kRecord = 1;

// Writes the boards with the ids 1, 2, 3 … and adds their counts to *footer.
Status WriteBoards(std::span<const engine::NamedBoard* const> boards, const ArchiveOptions& options,
                   EffectBlocks* blocks, storage::Footer* footer) {
  footer->next_board = 1;
  const auto progress = [&](std::uint64_t entries) {
    if (options.progress) options.progress(footer->entries + entries);
  };
  for (const engine::NamedBoard* board : boards) {
    engine::WriteCreation(*board, footer->next_board++, board->name, &blocks->writer());
    const Result<std::uint64_t> written = WriteWalk(board->board, progress, blocks);
    if (!written.ok()) return written.error();
    ++footer->boards;
    footer->entries += *written;
  }
  return blocks->Pass();
}

}  // namespace

Result<std::uint64_t> ExportRows(std::span<const engine::NamedBoard* const> boards,
                                 const RowExport& wanted, Reporter* reporter) {
  if (boards.size() > 1 && wanted.format != RowFormat::kResp) {
    return Error{ErrorCode::kErr, "CSV and JSONL hold one board, and " +
                                      std::to_string(boards.size()) +
                                      " match: export them one by one, or as archive"};
  }
  const Result<std::unique_ptr<ByteWriter>> file = ByteWriter::Open(wanted.path);
  if (!file.ok()) return file.error();
  std::uint64_t rows = 0;
  for (const engine::NamedBoard* board : boards) {
    const Result<std::uint64_t> some = ExportBoard(*board, wanted, file->get(), reporter);
    if (!some.ok()) return some.error();
    rows += *some;
  }
  if (const Status finished = (*file)->Finish(); !finished.ok()) return finished.error();
  return rows;
}

Result<ZsetReport> ExportZset(const engine::NamedBoard& board, const RowChoice& choice,
                              const ZsetSinkOptions& options, client::PatientConnection* server,
                              Reporter* reporter) {
  if (!board.is_leaderboard()) {
    return Error{ErrorCode::kErr, base::Quote(board.name) + " is a sorted set: COPY, or MIGRATE"};
  }
  if (board.has_periods() && !choice.period) {
    return Error{ErrorCode::kErr,
                 base::Quote(board.name) + " has periods: choose one with --period"};
  }
  const WalkEntries walk = [&](const VisitOrFail& visit) {
    return ForEachRow(board, choice, [&](const BoardEntry& row) -> Status {
      return row.hidden ? Status(Ok{}) : visit(row);
    });
  };
  std::uint64_t total = 0;
  const Status counted = walk([&](const BoardEntry&) -> Status {
    ++total;
    return Ok{};
  });
  if (!counted.ok()) return counted.error();
  reporter->Begin("writing", ProgressUnit::kRows);
  Result<ZsetReport> report =
      WriteZset(walk, SpecOf(board, choice), options, server,
                [&](std::uint64_t done) { reporter->Progress(done, total); });
  reporter->End();
  return report;
}

Result<storage::Manifest> WriteArchive(std::span<const engine::NamedBoard* const> boards,
                                       const ArchiveOptions& options) {
  const Result<std::unique_ptr<storage::ArchiveWriter>> writer =
      storage::ArchiveWriter::Begin(options.path);
  if (!writer.ok()) return writer.error();
  std::uint64_t history = 0;
  while (history == 0) history = base::SystemEntropy();
  const std::uint64_t epoch = storage::NextEpoch(0, base::SystemEntropy());
  storage::SnapshotEncoder encoder(
      history, epoch, kRecord, [&](std::string_view bytes) { return (*writer)->Append(bytes); });
  storage::Footer footer;
  footer.started_at = footer.ended_at = kRecord;
  footer.last_stamp = options.last_stamp;
  EffectBlocks blocks([&](std::string_view effects) { return encoder.Add(effects); });

  Status done = (*writer)->BeginFile(storage::SnapshotName(kRecord));
  if (done.ok()) done = encoder.Begin();
  if (done.ok()) done = WriteBoards(boards, options, &blocks, &footer);
  if (done.ok()) done = encoder.Finish(footer);
  if (done.ok()) done = (*writer)->EndFile();
  if (done.ok()) done = (*writer)->Finish(history, kRecord, options.taken_us);
  if (!done.ok()) return done.error();
  return (*writer)->manifest();
}

}  // namespace laurel::transfer
