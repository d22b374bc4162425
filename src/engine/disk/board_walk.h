// A walk over one board that writes it as effects: its creation, its expiry and everything in it.
// It runs in slices, and between two slices the board may change (Leaderboard::Walk,
// EntryStore::Walk).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/store/entry_store.h"
#include "engine/journal/log_effects.h"
#include "engine/keyspace/named_board.h"

namespace laurel::engine {

class BoardWalk {
 public:
  BoardWalk() = default;
  // The walk of a board that does not change meanwhile, for another data folder: entries come in
  // the board's order, and what belongs to this folder's log is left out.
  static BoardWalk ForAnotherFolder();

  // Writes the creation of the board, with this id and name, and its expiry.
  static void Begin(const NamedBoard& named, std::uint64_t id, std::string_view name,
                    LogWriter* writer);
  // Writes about `budget` entries, marks and requests. Returns whether more is left.
  bool Next(const NamedBoard& named, std::size_t budget, LogWriter* writer);

  // Visible and hidden entries so far; an entry that was visited twice counts twice.
  [[nodiscard]] std::uint64_t entries_visited() const { return visited_; }

 private:
  bool WalkSet(const core::Board& board, std::size_t budget, LogWriter* writer);

  Leaderboard::WalkCursor board_;
  core::EntryStore::WalkCursor set_;
  std::uint64_t visited_ = 0;
};

}  // namespace laurel::engine
