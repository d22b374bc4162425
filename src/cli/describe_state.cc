#include "cli/describe_state.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/count_text.h"
#include "base/text.h"
#include "base/time_text.h"

namespace laurel::cli {
namespace {

constexpr std::size_t kShownBoards = 20;

std::uint64_t HiddenOf(const engine::NamedBoard& named) {
  return named.board.marks() != nullptr ? named.board.marks()->size() : 0;
}

std::string DescribeInstances(std::uint64_t count, std::uint64_t closed) {
  return base::Counted(count, "instance", "instances") +
         (closed > 0 ? ", " + base::Grouped(closed) + " of them closed" : "");
}

std::string DescribeBoard(const engine::NamedBoard& named) {
  const engine::Leaderboard& board = named.board;
  std::string line = base::Quote(named.name) + "  " +
                     (named.is_leaderboard() ? "leaderboard " + DescribeSpec(board.spec())
                                             : std::string("sorted set")) +
                     "  " + base::Counted(named.board.visible_entries(), "entry", "entries");
  if (named.has_periods()) {
    const auto instances = board.instances();
    const auto closed = std::count_if(instances.begin(), instances.end(),
                                      [](const auto& stored) { return stored->closed; });
    line += " in " + DescribeInstances(instances.size(), static_cast<std::uint64_t>(closed));
  }
  if (HiddenOf(named) > 0) line += ", " + base::Grouped(HiddenOf(named)) + " hidden";
  if (board.requests() != nullptr && board.requests()->size() > 0) {
    line += ", " + base::Counted(board.requests()->size(), "request", "requests") + " remembered";
  }
  if (named.expires_at_ms > 0 && named.expires_at_ms <= base::kMaxTime / 1000) {
    line += ", expires " + base::FormatIsoTime(named.expires_at_ms * 1000);
  }
  return line;
}

}  // namespace

void PrintBoards(engine::Keyspace* keys, std::ostream& out) {
  std::vector<const engine::NamedBoard*> boards;
  for (const engine::NamedBoard* named = keys->catalog().FirstById(); named != nullptr;
       named = engine::Catalog::NextById(named)) {
    boards.push_back(named);
  }
  if (boards.empty()) return;
  std::sort(
      boards.begin(), boards.end(),
      [](const engine::NamedBoard* a, const engine::NamedBoard* b) { return a->name < b->name; });
  out << "boards\n";
  const std::size_t shown = std::min(boards.size(), kShownBoards);
  for (std::size_t i = 0; i < shown; ++i) out << "  " << DescribeBoard(*boards[i]) << "\n";
  if (shown == boards.size()) return;
  std::uint64_t entries = 0;
  std::uint64_t hidden = 0;
  for (std::size_t i = shown; i < boards.size(); ++i) {
    entries += boards[i]->board.visible_entries();
    hidden += HiddenOf(*boards[i]);
  }
  out << "  and " << base::Grouped(boards.size() - shown) << " more with "
      << base::Counted(entries, "entry", "entries");
  if (hidden > 0) out << ", " << base::Grouped(hidden) << " hidden";
  out << "\n";
}

std::string DescribeState(const transfer::LoadedState& state) {
  char digest[17];
  std::snprintf(digest, sizeof(digest), "%016llx",
                static_cast<unsigned long long>(state.digest.value));
  const engine::Digest& counts = state.digest;
  std::string text = "state at record " + std::to_string(state.recovery.last) + ": " +
                     base::Counted(counts.boards, "board", "boards");
  if (counts.instances > 0) text += ", " + DescribeInstances(counts.instances, counts.closed);
  text += ", " + base::Counted(counts.entries, "entry", "entries") + ", " +
          base::Grouped(counts.hidden) + " hidden";
  if (counts.requests > 0) {
    text += ", " + base::Counted(counts.requests, "request", "requests") + " remembered";
  }
  return text + ", digest " + digest;
}

}  // namespace laurel::cli
