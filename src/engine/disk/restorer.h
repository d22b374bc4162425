// Builds the boards up again from a snapshot and the log behind it.
//
// Decides nothing: no cap, no clock, no expiry, no template. Entries of a snapshot go through the
// bulk build, effects of the log through the functions that live commands use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/store/entry_store.h"
#include "engine/journal/log_effects.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/result.h"
#include "leaderboard/loader.h"
#include "storage/recovery.h"

namespace laurel::engine {

class Restorer : public storage::Replayer, private LogReader {
 public:
  // The keyspace is empty and stays the restorer's until Finish.
  explicit Restorer(Keyspace* keys) : keys_(keys) {}

  void Reset() override;
  Status OnSnapshot(std::string_view effects) override;
  Status OnSnapshotEnd(const storage::Footer& footer) override;
  Status OnBatch(std::uint64_t number, std::string_view effects, bool lenient) override;

  // Before Finish, where records are missing between those that were read: settles what they left
  // undone. Of two boards with one name the younger stays; see Leaderboard::Reconcile.
  void Reconcile();
  // When all is read: gives the boards their names.
  Status Finish();
  [[nodiscard]] Stamp last_stamp() const { return last_stamp_; }
  [[nodiscard]] std::uint64_t entries() const { return entries_; }

 protected:
  Status OnClock(Stamp last) override;
  Status OnSelectBoard(std::uint64_t id) override;
  Status OnCreateBoard(std::uint64_t id, std::string_view name, const Spec& spec) override;
  Status OnDrop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired) override;
  Status OnDropBelow(std::uint64_t id) override;
  Status OnName(std::string_view name, std::string_view from, const Spec& spec) override;
  Status OnExpiry(std::int64_t at_ms) override;
  Status OnTemplate(std::string_view pattern, const Spec& spec) override;
  Status OnNoTemplate(std::string_view pattern) override;
  Status OnBoardEffects(base::ByteCursor* cursor) override;
  // Of a sorted set.
  Status OnEntry(const core::Effect& effect, unsigned words) override;

 private:
  // What came from the snapshot is in order when this returns.
  void FinishLoad();
  [[nodiscard]] Status Unknown(std::uint64_t id) const;

  Keyspace* keys_;
  Stamp last_stamp_ = 0;
  std::uint64_t entries_ = 0;  // of the snapshot, so far
  bool in_snapshot_ = false;
  bool lenient_ = false;
  NamedBoard* named_ = nullptr;  // selected; null: skipped
  // Of the selected board, while a snapshot is read.
  std::optional<leaderboard::Loader> board_loader_;
  std::optional<core::EntryStore::Loader> set_loader_;
};

}  // namespace laurel::engine
