// A walk over all boards that writes a snapshot as effects. It runs in slices, and between two
// slices anything may change.
//
// Boards are walked in order of their ids. The result alone is not a state that ever existed, but
// together with all effects from the beginning to the end of the walk it gives the state at the
// end:
//  1. A board that is there from the beginning to the end is walked; one created meanwhile is not.
//  2. The walk visits everything in a board that no effect touches meanwhile (Leaderboard::Walk).
//  It may
//     also visit an entry twice, or one that is removed later; the effects overwrite these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/journal/log_effects.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/result.h"
#include "storage/snapshot.h"

namespace laurel::engine {

// Entries that a walk visits in one hold of the lock.
inline constexpr std::size_t kSliceEntries = 1000;

class SnapshotWalk : private Catalog::Walker {
 public:
  // The keyspace must outlive the walk. REQUIRES: it is not being restored and has no other walk.
  explicit SnapshotWalk(Keyspace* keys);
  ~SnapshotWalk() override;
  SnapshotWalk(const SnapshotWalk&) = delete;
  SnapshotWalk& operator=(const SnapshotWalk&) = delete;

  // Appends the effects of about `budget` entries and boards to `effects`, and the offsets where a
  // block may end to `ends`. Returns false when nothing is left. REQUIRES: budget > 0.
  bool Next(std::size_t budget, std::string* effects, std::vector<std::size_t>* ends);

  // Visible and hidden entries; an entry that was visited twice counts twice.
  [[nodiscard]] std::uint64_t entries_visited() const { return entries_visited_; }
  [[nodiscard]] std::uint64_t boards_visited() const { return boards_visited_; }
  // About how many entries the whole walk will visit, for a progress display. Assumes that the
  // boards to come are as large on average as those visited, since counting their entries would
  // take too long in a hold of the lock.
  [[nodiscard]] std::uint64_t EstimateEntries() const;

 private:
  void OnRemove(const NamedBoard& named) override;
  // Sets the board to walk next; null: the walk is at its end.
  void Begin(NamedBoard* named);

  Keyspace* keys_;
  std::uint64_t end_id_;            // boards with this id or a greater one are not walked
  std::uint64_t boards_left_;       // boards to walk after named_
  NamedBoard* named_ = nullptr;     // the board being walked; null at the end
  bool begun_ = false;              // the creation of named_ is written
  Leaderboard::WalkCursor cursor_;  // in named_
  std::uint64_t entries_visited_ = 0;
  std::uint64_t boards_visited_ = 0;
};

// Writes the creation of the board, with this id and name, and its expiry.
void WriteCreation(const NamedBoard& named, std::uint64_t id, std::string_view name,
                   LogWriter* writer);

// Appends the templates that were set by command. Configured templates are not saved: every start
// sets them again.
void WriteTemplates(const Keyspace& keys, std::string* effects);

// Writes all boards and templates into a snapshot, and counts them in *footer. Nothing may change
// meanwhile.
Status WriteAllBoards(Keyspace* keys, storage::SnapshotWriter* writer, storage::Footer* footer);

// Writes all boards and templates as a snapshot at `record` (S = E) and finishes it. Nothing may
// change meanwhile.
Status WriteWholeSnapshot(Keyspace* keys, std::uint64_t record, Stamp last_stamp,
                          storage::SnapshotWriter* writer);

}  // namespace laurel::engine
