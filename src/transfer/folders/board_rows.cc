#include "transfer/folders/board_rows.h"

#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "core/marks.h"
#include "core/reads.h"
#include "core/standings.h"
#include "leaderboard/answer.h"
#include "leaderboard/operation.h"

namespace laurel::transfer {
namespace {

using Visit = std::function<Status(const EntryRow&)>;

// A board or instance to visit.
struct Part {
  const core::Standings* standings = nullptr;
  std::string instance;
};

Result<std::vector<Part>> PartsOf(const engine::NamedBoard& named, const RowChoice& choice) {
  if (!named.is_leaderboard() && choice.period) {
    return Error{ErrorCode::kErr, "a sorted set has no periods"};
  }
  const engine::Leaderboard& board = named.board;
  if (choice.period) {
    const auto selector = leaderboard::ParseSelector(*choice.period);
    const auto view = board.ViewOf(selector, choice.now);
    if (!view) return board.NoInstance(named.name, selector, choice.now);
    return std::vector<Part>{{view->standings, ""}};
  }
  if (!board.has_periods()) return std::vector<Part>{{&board.standings(), ""}};
  std::vector<Part> parts;
  for (const auto& stored : board.instances()) {
    parts.push_back({&stored->standings, leaderboard::InstanceName("", stored->span).substr(1)});
  }
  return parts;
}

Status VisitVisible(const Part& part, const RowChoice& choice, const Visit& visit) {
  const std::uint64_t size = part.standings->entries().size();
  core::IndexRange range{0, size};
  if (choice.has_ranks()) {
    const Result<core::IndexRange> chosen =
        core::BetweenRanks(*part.standings, choice.first.value_or(1), choice.last.value_or(-1));
    if (!chosen.ok()) return chosen.error();
    range = *chosen;
  }
  EntryRow row;
  Score score;
  row.score = &score;
  row.instance = part.instance;
  row.rank = range.first;
  Status result = Ok{};
  part.standings->entries().ForRange(range.first, range.count, /*backward=*/false,
                                     [&](const core::EntryView& entry) {
                                       ++row.rank;
                                       row.member = entry.member;
                                       row.meta = entry.meta;
                                       score = part.standings->layout().ScoreOf(entry.words);
                                       row.stamp = part.standings->layout().StampOf(entry.words);
                                       result = visit(row);
                                       return result.ok();
                                     });
  return result;
}

// `seen`: the members that have a hidden entry.
Status VisitHidden(const Part& part, const Visit& visit, std::set<std::string>* seen) {
  Status result = Ok{};
  part.standings->ForEachHidden(
      [&](std::string_view member, const core::Standings::HiddenEntry& entry) {
        if (!result.ok()) return;
        const Score score = part.standings->layout().ScoreOf(entry.words);
        EntryRow row;
        row.member = member;
        row.score = &score;
        row.stamp = part.standings->layout().StampOf(entry.words);
        row.meta = entry.meta;
        row.hidden = true;
        row.instance = part.instance;
        seen->emplace(member);
        result = visit(row);
      });
  return result;
}

Status VisitMarks(const core::Marks& marks, const std::set<std::string>& seen, const Visit& visit) {
  Status result = Ok{};
  marks.ForSome(nullptr, marks.size(), [&](std::string_view member) {
    if (!result.ok() || seen.contains(std::string(member))) return;
    EntryRow row;
    row.member = member;
    row.hidden = true;
    result = visit(row);
  });
  return result;
}

}  // namespace

Status ForEachRow(const engine::NamedBoard& named, const RowChoice& choice, const Visit& visit) {
  const Result<std::vector<Part>> parts = PartsOf(named, choice);
  if (!parts.ok()) return parts.error();
  std::set<std::string> seen;
  for (const Part& part : *parts) {
    if (const Status done = VisitVisible(part, choice, visit); !done.ok()) return done;
    if (choice.has_ranks()) continue;
    if (const Status done = VisitHidden(part, visit, &seen); !done.ok()) return done;
  }
  if (choice.has_ranks()) return Ok{};
  const core::Marks* marks = named.board.marks();
  return marks == nullptr ? Status(Ok{}) : VisitMarks(*marks, seen, visit);
}

BoardTimes TimesOf(const engine::NamedBoard& named) {
  return {named.board.last_stamp(), named.board.written_at(), named.board.turned_at()};
}

}  // namespace laurel::transfer
