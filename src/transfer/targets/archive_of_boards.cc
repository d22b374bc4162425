#include "transfer/targets/archive_of_boards.h"

#include <memory>
#include <string_view>

#include "base/random.h"
#include "engine/disk/snapshot_walk.h"
#include "storage/archive.h"
#include "storage/format.h"
#include "storage/snapshot.h"
#include "transfer/targets/draft_chunks.h"

namespace laurel::transfer {
namespace {

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
