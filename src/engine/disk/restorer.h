// Rebuilds the boards from a snapshot and the log after it.
//
// A restore decides nothing: no cap, clock, expiry or template is applied. Entries of a snapshot
// are bulk-loaded; effects of the log are applied by the functions that live commands use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/journal/log_effects.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/result.h"
#include "leaderboard/loader.h"
#include "storage/recovery.h"

namespace laurel::engine {

class Restorer : public storage::Replayer, private LogReader {
 public:
  // The keyspace must be empty, and must not be used by others until Finish.
  explicit Restorer(Keyspace* keys) : keys_(keys) {}

  void Reset() override;
  Status OnSnapshot(std::string_view effects) override;
  Status OnSnapshotEnd(const storage::Footer& footer) override;
  Status OnBatch(std::uint64_t number, std::string_view effects, bool lenient) override;

  // Call it before Finish if records were missing among those read: resolves the contradictions
  // that the missing records leave. Of two boards with the same name the younger stays; for the
  // contents of boards see Leaderboard::Reconcile.
  void Reconcile();
  // Call it when everything is read: enters the names of the boards.
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
  Status OnLoad(std::uint64_t id, std::string_view name, const Spec& spec) override;
  Status OnSelectLoad(std::uint64_t id) override { return OnSelectBoard(id); }
  Status OnPublish(std::uint64_t id, const Spec& spec, std::uint64_t entries) override;
  Status OnExpiry(std::int64_t at_ms) override;
  Status OnTemplate(std::string_view pattern, const Spec& spec) override;
  Status OnNoTemplate(std::string_view pattern) override;
  Status OnBoardEffects(base::ByteCursor* cursor) override;

 private:
  // Finishes the bulk load of the selected board, if there is one.
  void FinishLoad();
  // The result for an effect on a board that is not there: ok if lenient, else damage.
  [[nodiscard]] Status Unknown(std::uint64_t id) const;

  Keyspace* keys_;
  Stamp last_stamp_ = 0;
  std::uint64_t entries_ = 0;  // of the snapshot, loaded so far
  bool in_snapshot_ = false;
  bool lenient_ = false;
  NamedBoard* named_ = nullptr;  // the selected board; null: its effects are skipped
  // The bulk loader of the selected board, while a snapshot is read.
  std::optional<leaderboard::Loader> loader_;
};

}  // namespace laurel::engine
