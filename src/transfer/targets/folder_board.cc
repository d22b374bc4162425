#include "transfer/targets/folder_board.h"

#include <utility>

#include "core/reads.h"
#include "leaderboard/answer.h"

namespace laurel::transfer {
namespace {

constexpr std::uint64_t kPageEntries = 1000;

BoardEntry ViewOf(const Entry& entry) {
  BoardEntry view;
  view.member = entry.member;
  view.score = entry.score;
  view.stamp = entry.stamp;
  view.meta = entry.meta;
  view.hidden = !entry.rank.has_value();
  return view;
}

class Pages final : public EntrySource {
 public:
  explicit Pages(const core::Standings* standings) : standings_(standings) {}

  Result<bool> Next(BoardEntry* entry) override {
    if (standings_ == nullptr) return false;
    if (next_ == page_.size()) {
      page_ = core::Page(*standings_, first_, kPageEntries, RankKind::kOrdinal);
      first_ += page_.size();
      next_ = 0;
      if (page_.empty()) return false;
    }
    *entry = ViewOf(page_[next_++]);
    return true;
  }

 private:
  const core::Standings* standings_;
  std::uint64_t first_ = 0;
  std::vector<Entry> page_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<EntrySource> EntriesOf(const core::Standings* standings) {
  return std::make_unique<Pages>(standings);
}

const core::Standings* FolderBoard::StandingsOf(std::string_view instance) const {
  const engine::Leaderboard& board = named_.board;
  if (!board.has_periods()) return &board.standings();
  for (const auto& stored : board.instances()) {
    if (leaderboard::InstanceName("", stored->span).substr(1) == instance)
      return &stored->standings;
  }
  return nullptr;
}

Result<std::unique_ptr<EntrySource>> FolderBoard::Entries(std::string_view instance) {
  return EntriesOf(StandingsOf(instance));
}

Result<std::optional<BoardEntry>> FolderBoard::Find(std::string_view instance,
                                                    std::string_view member) {
  const core::Standings* standings = StandingsOf(instance);
  if (standings == nullptr) return std::optional<BoardEntry>();
  std::optional<Entry> entry = core::Get(*standings, member, RankKind::kOrdinal);
  if (!entry) return std::optional<BoardEntry>();
  found_ = std::move(*entry);
  return std::optional<BoardEntry>(ViewOf(found_));
}

}  // namespace laurel::transfer
