#include "transfer/archive_source.h"

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"
#include "transfer/folder_board.h"

namespace laurel::transfer {
namespace {

// The entries of a board as rows: the visible ones, best first, then the hidden ones.
class EntryReader final : public RowReader {
 public:
  EntryReader(const engine::NamedBoard& named, std::unique_ptr<EntrySource> visible)
      : spec_(named.spec()), visible_(std::move(visible)) {
    const core::Board& board = named.leaderboard()->board();
    progress_.total_bytes = board.entries().size() + board.hidden_entries();
    board.ForEachHidden([&](std::string_view member, const auto&) { hidden_.emplace_back(member); });
    target_ = std::make_unique<FolderBoard>(named);
  }

  Result<bool> Next(Row* row) override {
    TableEntry entry;
    Result<bool> more = visible_->Next(&entry);
    if (!more.ok()) return more;
    if (!*more) {
      if (next_hidden_ == hidden_.size()) return false;
      const auto found = target_->Find("", hidden_[next_hidden_++]);
      if (!found.ok()) return found.error();
      entry = **found;
      entry.hidden = true;
    }
    ++progress_.done_bytes;
    texts_ = FormatScore(spec_, entry.score);
    values_.assign(texts_.begin(), texts_.end());
    *row = Row();
    row->member = entry.member;
    row->values = values_;
    row->at = entry.stamp;
    row->meta = entry.meta;
    row->hidden = entry.hidden;
    return true;
  }
  [[nodiscard]] storage::Progress progress() const override { return progress_; }
  [[nodiscard]] std::uint64_t offset() const override { return 0; }

 private:
  Spec spec_;
  std::unique_ptr<EntrySource> visible_;
  std::unique_ptr<FolderBoard> target_;
  std::vector<std::string> hidden_;
  std::size_t next_hidden_ = 0;
  storage::Progress progress_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> values_;
};

}  // namespace

Result<std::vector<ChosenBoard>> ChooseBoards(const LoadedBoards& boards, const std::string& board,
                                              const std::string& pattern, const Rename& rename) {
  std::vector<const engine::NamedBoard*> found;
  if (!board.empty()) {
    if (const engine::NamedBoard* named = boards.Find(board); named != nullptr) {
      found.push_back(named);
    }
  } else if (pattern.size() <= base::kMaxGlobBytes) {
    found = boards.Match(pattern.empty() ? "*" : pattern);
  }
  std::vector<ChosenBoard> chosen;
  for (const engine::NamedBoard* named : found) {
    if (named->leaderboard() == nullptr) continue;
    chosen.push_back({named, rename.Apply(named->name)});
  }
  if (!chosen.empty()) return chosen;
  if (board.empty() && pattern.empty()) return Error{ErrorCode::kNoBoard, "there is no leaderboard"};
  return Error{ErrorCode::kNoBoard, board.empty() ? "no leaderboard matches " + base::Quote(pattern)
                                                  : "there is no leaderboard " + base::Quote(board)};
}

Result<std::vector<SourceBoard>> ArchiveSource::List() {
  std::vector<SourceBoard> found;
  for (const ChosenBoard& board : chosen_) {
    found.push_back({std::string(board.from->name), board.name, board.from->spec()});
  }
  return found;
}

Result<SourceTable> ArchiveSource::Read(const SourceBoard& board, const ReadContext& context) {
  const auto chosen = std::find_if(chosen_.begin(), chosen_.end(), [&](const ChosenBoard& one) {
    return std::string_view(one.from->name) == board.name;
  });
  const engine::NamedBoard& named = *chosen->from;
  if (named.has_periods()) {
    return Error{ErrorCode::kErr, base::Quote(board.name) + " has periods: import it into a data " +
                                      "folder (--data)"};
  }
  SourceTable read;
  read.table = std::make_unique<RowTable>(*context.spec, EqualRows::kAsAdded, read.tick_us);
  FolderBoard entries(named);
  Result<std::unique_ptr<EntrySource>> visible = entries.Entries("");
  if (!visible.ok()) return visible.error();
  EntryReader rows(named, std::move(*visible));
  const Status filled = FillTable(&rows, ProgressUnit::kRows, context, &read);
  if (!filled.ok()) return filled.error();
  return read;
}

}  // namespace laurel::transfer
