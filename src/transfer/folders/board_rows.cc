#include "transfer/folders/board_rows.h"

#include <set>
#include <string_view>
#include <vector>

#include "core/marks.h"
#include "core/reads.h"
#include "leaderboard/operation.h"
#include "transfer/draft/board_entries.h"

namespace laurel::transfer {
namespace {

Result<std::vector<BoardPart>> ChooseParts(const engine::NamedBoard& named,
                                           const RowChoice& choice) {
  if (!choice.period) return PartsOf(named.board);
  if (!named.is_leaderboard()) return Error{ErrorCode::kErr, "a sorted set has no periods"};
  const auto selector = leaderboard::ParseSelector(*choice.period);
  const auto view = named.board.ViewOf(selector, choice.now);
  if (!view) return named.board.NoInstance(named.name, selector, choice.now);
  return std::vector<BoardPart>{{view->standings}};
}

Result<core::IndexRange> RangeOf(const BoardPart& part, const RowChoice& choice) {
  if (!choice.has_ranks()) return core::IndexRange{0, UINT64_MAX};
  return core::BetweenRanks(*part.standings, choice.first.value_or(1), choice.last.value_or(-1));
}

}  // namespace

Status ForEachRow(const engine::NamedBoard& named, const RowChoice& choice,
                  const std::function<Status(const BoardEntry&)>& visit) {
  const Result<std::vector<BoardPart>> parts = ChooseParts(named, choice);
  if (!parts.ok()) return parts.error();
  Status result = Ok{};
  std::set<std::string, std::less<>> seen;  // members that have a hidden entry
  const auto pass = [&](const BoardEntry& entry) {
    if (entry.hidden) seen.emplace(entry.member);
    result = visit(entry);
    return result.ok();
  };
  for (const BoardPart& part : *parts) {
    const Result<core::IndexRange> range = RangeOf(part, choice);
    if (!range.ok()) return range.error();
    if (!ForEachVisible(part, *range, pass)) return result;
    if (!choice.has_ranks() && !ForEachHidden(part, pass)) return result;
  }
  const core::Marks* marks = named.board.marks();
  if (choice.has_ranks() || marks == nullptr) return Ok{};
  marks->ForSome(nullptr, marks->size(), [&](std::string_view member) {
    if (!result.ok() || seen.contains(member)) return;
    result = visit({.member = member, .hidden = true});
  });
  return result;
}

BoardTimes TimesOf(const engine::NamedBoard& named) {
  return {named.board.last_stamp(), named.board.written_at(), named.board.turned_at()};
}

}  // namespace laurel::transfer
