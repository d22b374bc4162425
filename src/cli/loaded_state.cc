#include "cli/loaded_state.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/time_text.h"
#include "engine/embedded/restorer.h"

namespace laurel::cli {
namespace {

constexpr std::size_t kShownBoards = 20;

// Notes which batch was refused.
class NotingReplayer : public storage::Replayer {
 public:
  explicit NotingReplayer(engine::Restorer* restorer) : restorer_(restorer) {}

  void Reset() override { restorer_->Reset(); }
  Status OnSnapshot(std::string_view effects) override { return restorer_->OnSnapshot(effects); }
  Status OnSnapshotEnd(const storage::Footer& footer) override {
    return restorer_->OnSnapshotEnd(footer);
  }
  Status OnBatch(std::uint64_t number, std::string_view effects, bool unsettled) override {
    Status taken = restorer_->OnBatch(number, effects, unsettled);
    if (!taken.ok()) refused_ = number;
    return taken;
  }
  [[nodiscard]] std::optional<std::uint64_t> refused() const { return refused_; }

 private:
  engine::Restorer* restorer_;
  std::optional<std::uint64_t> refused_;
};

std::string DescribeBoard(const engine::Key& key) {
  const core::Board& board = key.board;
  const bool leaderboard = engine::Keyspace::IsLeaderboard(key);
  std::string line =
      base::Quote(key.name) + "  " +
      (leaderboard ? "leaderboard " + DescribeSpec(board.spec()) : std::string("sorted set")) +
      "  " + Counted(board.entries().size(), "entry", "entries");
  if (board.hidden_members() > 0) line += ", " + Grouped(board.hidden_members()) + " hidden";
  if (key.expires_at_ms > 0 && key.expires_at_ms <= base::kMaxTime / 1000) {
    line += ", expires " + base::FormatIsoTime(key.expires_at_ms * 1000);
  }
  return line;
}

}  // namespace

LoadOutcome LoadState(base::Folder* folder, const storage::ProgressCallback& progress) {
  LoadOutcome outcome;
  LoadedState state;
  state.keys = std::make_unique<engine::Keyspace>(base::SystemMemory(), base::SystemEntropy());
  engine::Restorer restorer(state.keys.get());
  NotingReplayer replayer(&restorer);
  storage::RecoverOptions options;
  options.progress = progress;
  Result<storage::Recovery> recovery = storage::Recover(folder, &replayer, options);
  if (!recovery.ok()) {
    outcome.failure = {recovery.error(), replayer.refused()};
    return outcome;
  }
  if (const Status finished = restorer.Finish(); !finished.ok()) {
    outcome.failure.error = {ErrorCode::kErr, folder->path() + ": " + finished.error().message};
    return outcome;
  }
  state.recovery = std::move(*recovery);
  state.digest = engine::DigestOf(state.keys.get());
  outcome.state = std::move(state);
  return outcome;
}

void PrintBoards(engine::Keyspace* keys, std::ostream& out) {
  std::vector<const engine::Key*> boards;
  for (const engine::Key* key = keys->catalog().FirstById(); key != nullptr;
       key = core::Catalog::NextById(key)) {
    boards.push_back(key);
  }
  if (boards.empty()) return;
  std::sort(boards.begin(), boards.end(),
            [](const engine::Key* a, const engine::Key* b) { return a->name < b->name; });
  out << "boards\n";
  const std::size_t shown = std::min(boards.size(), kShownBoards);
  for (std::size_t i = 0; i < shown; ++i) out << "  " << DescribeBoard(*boards[i]) << "\n";
  if (shown == boards.size()) return;
  std::uint64_t entries = 0;
  std::uint64_t hidden = 0;
  for (std::size_t i = shown; i < boards.size(); ++i) {
    entries += boards[i]->board.entries().size();
    hidden += boards[i]->board.hidden_members();
  }
  out << "  and " << Grouped(boards.size() - shown) << " more with "
      << Counted(entries, "entry", "entries");
  if (hidden > 0) out << ", " << Grouped(hidden) << " hidden";
  out << "\n";
}

std::string DescribeState(const LoadedState& state) {
  char digest[17];
  std::snprintf(digest, sizeof(digest), "%016llx",
                static_cast<unsigned long long>(state.digest.value));
  return "state at record " + std::to_string(state.recovery.last) + ": " +
         Counted(state.digest.boards, "board", "boards") + ", " +
         Counted(state.digest.entries, "entry", "entries") + ", " + Grouped(state.digest.hidden) +
         " hidden, digest " + digest;
}

std::string Grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string Counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return Grouped(number) + " " + std::string(number == 1 ? one : many);
}

}  // namespace laurel::cli
