#include "transfer/copy_boards.h"

#include <string_view>

#include "base/count_text.h"
#include "base/hash.h"
#include "base/text.h"
#include "transfer/folders/board_rows.h"
#include "transfer/folders/loaded_boards.h"

namespace laurel::transfer {
namespace {

// A digest of the rows of a board: visible and hidden entries of all instances, and marks. It is
// the sum of the rows' hashes, because hidden entries and marks have no order. The hash of a
// visible entry includes its rank, so the digest covers the order of visible entries.
struct RowsDigest {
  std::uint64_t rows = 0;
  std::uint64_t sum = 0;

  bool operator==(const RowsDigest&) const = default;
};

std::uint64_t HashOf(const BoardEntry& row) {
  std::uint64_t hash = base::HashInteger(row.rank, row.hidden ? 1 : 0);
  for (const std::string_view text : {row.instance, row.member, row.meta}) {
    hash = base::HashBytes(text, base::HashInteger(text.size(), hash));
  }
  if (row.is_mark()) return hash;
  for (std::size_t i = 0; i < row.score.size(); ++i) {
    hash = base::HashInteger(static_cast<std::uint64_t>(row.score[i]), hash);
  }
  return base::HashInteger(static_cast<std::uint64_t>(row.stamp), hash);
}

Result<RowsDigest> DigestOf(const engine::NamedBoard& board) {
  RowsDigest digest;
  const Status visited = ForEachRow(board, RowChoice(), [&](const BoardEntry& row) -> Status {
    ++digest.rows;
    digest.sum += HashOf(row);
    return Ok{};
  });
  if (!visited.ok()) return visited.error();
  return digest;
}

}  // namespace

Status CopyBoards(std::span<const ChosenBoard> boards, Stamp last_stamp, FolderSink* folder,
                  Reporter* reporter) {
  for (const ChosenBoard& board : boards) {
    reporter->Begin("copying " + base::Quote(board.name), ProgressUnit::kRows);
    const std::uint64_t before = folder->report().entries;
    const Status copied = folder->Copy(*board.from, board.name,
                                       [&](std::uint64_t done) { reporter->Progress(done, 0); });
    reporter->End();
    if (!copied.ok()) return copied;
    reporter->Say(base::Quote(board.name) + ": " +
                  base::Counted(folder->report().entries - before, "entry", "entries") +
                  " copied, " + DescribeSpec(board.from->spec()));
  }
  folder->RaiseClock(last_stamp);
  return folder->Finish();
}

Result<std::uint64_t> CompareCopies(std::span<const ChosenBoard> boards, const std::string& folder,
                                    Reporter* reporter) {
  const Result<LoadedBoards> loaded = LoadedBoards::Open(folder, nullptr);
  if (!loaded.ok()) return loaded.error();
  std::uint64_t different = 0;
  for (const ChosenBoard& board : boards) {
    const engine::NamedBoard* copy = loaded->Find(board.name);
    if (copy == nullptr || !copy->is_leaderboard()) {
      return Error{ErrorCode::kErr, folder + ": " + base::Quote(board.name) + " is not there"};
    }
    const Result<RowsDigest> wanted = DigestOf(*board.from);
    if (!wanted.ok()) return wanted.error();
    const Result<RowsDigest> held = DigestOf(*copy);
    if (!held.ok()) return held.error();
    const bool equal = copy->spec() == board.from->spec() && *wanted == *held;
    if (!equal) ++different;
    reporter->Say(base::Quote(board.name) +
                  (equal
                       ? ": verified: the copy is equal"
                       : ": the copy differs: it has " + base::Counted(held->rows, "row", "rows") +
                             ", and the source " + base::Grouped(wanted->rows)));
  }
  return different;
}

}  // namespace laurel::transfer
