#include "transfer/draft/board_entries.h"

#include <utility>

#include "leaderboard/answer.h"

namespace laurel::transfer {
namespace {

constexpr core::IndexRange kAll{0, UINT64_MAX};

BoardEntry EntryOf(const BoardPart& part, std::string_view member, const core::Words& words,
                   std::string_view meta) {
  const core::KeyLayout& layout = part.standings->layout();
  return {.member = member,
          .score = layout.ScoreOf(words),
          .stamp = layout.StampOf(words),
          .meta = meta,
          .instance = part.instance};
}

}  // namespace

std::vector<BoardPart> PartsOf(const leaderboard::Leaderboard& board) {
  if (!board.has_periods()) return {{&board.standings()}};
  std::vector<BoardPart> parts;
  for (const auto& stored : board.instances()) {
    parts.push_back(
        {&stored->standings, &stored->span, leaderboard::InstanceName("", stored->span).substr(1)});
  }
  return parts;
}

std::optional<BoardPart> PartOf(const leaderboard::Leaderboard& board, std::string_view instance) {
  for (BoardPart& part : PartsOf(board)) {
    if (part.instance == instance) return std::move(part);
  }
  return std::nullopt;
}

bool ForEachVisible(const BoardPart& part, const core::IndexRange& range, const VisitEntry& visit) {
  bool goes_on = true;
  std::uint64_t rank = range.first;
  part.standings->entries().ForRange(
      range.first, range.count, /*backward=*/false, [&](const core::EntryView& view) {
        BoardEntry entry = EntryOf(part, view.member, view.words, view.meta);
        entry.rank = ++rank;
        goes_on = visit(entry);
        return goes_on;
      });
  return goes_on;
}

bool ForEachHidden(const BoardPart& part, const VisitEntry& visit) {
  bool goes_on = true;
  part.standings->ForEachHidden(
      [&](std::string_view member, const core::Standings::HiddenEntry& hidden) {
        if (!goes_on) return;
        BoardEntry entry = EntryOf(part, member, hidden.words, hidden.meta);
        entry.hidden = true;
        goes_on = visit(entry);
      });
  return goes_on;
}

void ForEachEntry(const leaderboard::Leaderboard& board, const VisitEntry& visit) {
  for (const BoardPart& part : PartsOf(board)) {
    if (!ForEachVisible(part, kAll, visit) || !ForEachHidden(part, visit)) return;
  }
}

std::optional<BoardEntry> FindEntry(const leaderboard::Leaderboard& board,
                                    std::string_view instance, std::string_view member) {
  const std::optional<BoardPart> part = PartOf(board, instance);
  if (!part) return std::nullopt;
  const core::EntryStore& entries = part->standings->entries();
  const core::Location found = entries.Find(core::MemberKey(member));
  const core::Standings::HiddenEntry* hidden = part->standings->FindHidden(member);
  if (found == core::kNowhere && hidden == nullptr) return std::nullopt;
  BoardEntry entry = hidden != nullptr
                         ? EntryOf(*part, member, hidden->words, hidden->meta)
                         : EntryOf(*part, member, entries.WordsAt(found), entries.MetaAt(found));
  entry.hidden = hidden != nullptr;
  entry.instance = instance;
  return entry;
}

}  // namespace laurel::transfer
