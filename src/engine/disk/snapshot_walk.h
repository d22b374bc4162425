// A walk over all boards, in slices between which anything may change: what a snapshot is written
// from.
//
// Boards come in order of their ids. What is written is no state that ever was. But put together
// with the effects from the beginning to the end of the walk it becomes the state at the end:
//  1. A board that is there from the beginning to the end is walked, one created meanwhile is not.
//  2. Of each board everything that no effect touches meanwhile is met (Leaderboard::Walk,
//     EntryStore::Walk). Whatever else is met, once, twice or long gone, is overwritten by effects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/store/entry_store.h"
#include "engine/journal/log_effects.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/result.h"
#include "storage/snapshot.h"

namespace laurel::engine {

class SnapshotWalk : private Catalog::Walker {
 public:
  // The keyspace outlives the walk. REQUIRES: it is not being restored and has no other walk.
  explicit SnapshotWalk(Keyspace* keys);
  ~SnapshotWalk() override;
  SnapshotWalk(const SnapshotWalk&) = delete;
  SnapshotWalk& operator=(const SnapshotWalk&) = delete;

  // Appends the effects of about `budget` entries and boards, and to `ends` where blocks of them
  // may end. False when there is nothing left. REQUIRES: budget > 0.
  bool Next(std::size_t budget, std::string* effects, std::vector<std::size_t>* ends);

  // Visible and hidden, those visited twice counted twice.
  [[nodiscard]] std::uint64_t entries_visited() const { return entries_visited_; }
  [[nodiscard]] std::uint64_t boards_visited() const { return boards_visited_; }
  // About how many entries there will have been visited in the end, for showing progress: takes the
  // boards to come to be like those before, since counting their entries would be a pause.
  [[nodiscard]] std::uint64_t EstimateEntries() const;

 private:
  void OnRemove(const NamedBoard& named) override;
  // Takes the key, which is the next in order, as the one to walk.
  void Begin(NamedBoard* named);
  void BeginBoard(LogWriter* writer);
  // True if there is more of the board.
  bool WalkBoard(std::size_t budget, LogWriter* writer);
  bool WalkSet(const core::Board& board, std::size_t budget, LogWriter* writer);

  Keyspace* keys_;
  std::uint64_t end_id_;         // boards from here on are not walked
  std::uint64_t boards_left_;    // behind key_
  NamedBoard* named_ = nullptr;  // null at the end
  bool begun_ = false;           // the board's head is written
  Leaderboard::WalkCursor board_;
  core::EntryStore::WalkCursor set_;
  std::uint64_t visited_of_board_ = 0;
  std::uint64_t entries_visited_ = 0;
  std::uint64_t boards_visited_ = 0;
};

// The templates that were not configured: those come with every start.
void WriteTemplates(const Keyspace& keys, std::string* effects);

// Everything, at record `record` (S = E), while nothing changes. Finishes the snapshot.
Status WriteWholeSnapshot(Keyspace* keys, std::uint64_t record, Stamp last_stamp,
                          storage::SnapshotWriter* writer);

}  // namespace laurel::engine
