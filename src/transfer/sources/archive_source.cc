#include "transfer/sources/archive_source.h"

#include <algorithm>

#include "base/text.h"
#include "laurel/score.h"
#include "transfer/folders/board_rows.h"

namespace laurel::transfer {
namespace {

// Adds a row of a board to a draft with the same fields.
Status AddRow(const Spec& spec, const BoardEntry& entry, Draft* draft) {
  std::vector<std::string> texts;
  if (!entry.is_mark()) texts = FormatScore(spec, entry.score);
  const std::vector<std::string_view> values(texts.begin(), texts.end());
  Row row;
  row.member = entry.member;
  row.values = values;
  if (!entry.is_mark()) row.at = entry.stamp;
  row.meta = entry.meta;
  row.hidden = entry.hidden;
  row.instance = entry.instance;
  return draft->Add(row);
}

}  // namespace

Result<std::vector<ChosenBoard>> ChooseBoards(const LoadedBoards& boards, const std::string& board,
                                              const std::string& pattern, const Rename& rename) {
  std::vector<ChosenBoard> chosen;
  for (const engine::NamedBoard* named : boards.Choose(board, pattern.empty() ? "*" : pattern)) {
    if (!named->is_leaderboard()) continue;
    chosen.push_back({named, rename.Apply(named->name)});
  }
  if (!chosen.empty()) return chosen;
  if (board.empty() && pattern.empty())
    return Error{ErrorCode::kNoBoard, "there is no leaderboard"};
  return Error{ErrorCode::kNoBoard, board.empty()
                                        ? "no leaderboard matches " + base::Quote(pattern)
                                        : "there is no leaderboard " + base::Quote(board)};
}

Result<std::vector<SourceBoard>> ArchiveSource::List() {
  std::vector<SourceBoard> found;
  for (const ChosenBoard& board : chosen_) {
    found.push_back(
        {std::string(board.from->name), board.name, board.from->spec(), TimesOf(*board.from)});
  }
  return found;
}

Result<SourceDraft> ArchiveSource::Read(const SourceBoard& board, const ReadContext& context) {
  const auto chosen = std::find_if(chosen_.begin(), chosen_.end(), [&](const ChosenBoard& one) {
    return std::string_view(one.from->name) == board.name;
  });
  const engine::NamedBoard& named = *chosen->from;
  SourceDraft read;
  read.draft = std::make_unique<Draft>(*context.spec, EqualRows::kAsAdded, read.tick_us,
                                       std::nullopt, context.now);
  read.draft->SetTimes(board.times);
  context.reporter->Begin("reading", ProgressUnit::kRows);
  const std::uint64_t total = named.board.all_entries();
  std::uint64_t rows = 0;
  const Status filled = ForEachRow(named, RowChoice(), [&](const BoardEntry& row) -> Status {
    if (!row.is_mark()) {
      read.earliest = std::min(read.earliest.value_or(row.stamp), row.stamp);
      read.latest = std::max(read.latest.value_or(row.stamp), row.stamp);
    }
    if (++rows % kProgressRows == 0) context.reporter->Progress(rows, total);
    const Status added = AddRow(named.spec(), row, read.draft.get());
    if (added.ok()) return added;
    return context.rejects->Add({0, added.error().ToString(), row.member});
  });
  context.reporter->End();
  if (!filled.ok()) return filled.error();
  return read;
}

}  // namespace laurel::transfer
