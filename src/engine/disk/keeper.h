// Keeps the data folder in order, on a thread of its own: takes snapshots, drops what they made
// redundant, and mends the log after trouble with the disk.
//
// A full disk (keeper_room.cc). What can be done without goes before writes are refused, in this
// order, and never the newest snapshot or the log behind it:
//   1. log that no snapshot needs and that is kept for the change feed only
//   2. the older snapshots, and the log that only they need
// If that is not enough the log is full: commands that add are refused. The keeper then takes a
// snapshot, for which the reserve (storage/reserve.h) has room, begins a new segment and drops all
// that was before. Removals are logged meanwhile, in room that comes from the reserve too. Writes
// are accepted again when the reserve is whole, so that the next time there is a way out as well.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/log.h"
#include "storage/recovery.h"
#include "storage/reserve.h"

namespace laurel::engine {

struct KeeperOptions {
  // A snapshot is due when the log since the last one exceeds this and the last one's size.
  std::uint64_t snapshot_log_bytes = std::uint64_t{64} << 20;
  // Log that no snapshot needs is kept within both bounds.
  std::uint64_t keep_log_bytes = std::uint64_t{1} << 30;
  std::int64_t keep_log_us = std::int64_t{24} * 3600 * 1'000'000;
  // After trouble: how long until the next attempt.
  std::int64_t retry_us = 1'000'000;
  // The reserve has at least so much, or an eighth of the disk if that is less. 0: there is none.
  std::uint64_t reserve_bytes = std::uint64_t{16} << 20;
};

struct KeeperFigures {
  bool snapshot_runs = false;
  bool snapshot_failed = false;  // the last one
  std::int64_t snapshot_at_us = 0;
  std::uint64_t snapshot_record = 0;  // E of the last one
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t snapshots = 0;  // since the start
  std::int64_t snapshot_took_us = 0;
  std::int64_t snapshot_began_us = 0;  // of the one that runs
  std::uint64_t entries_done = 0;
  std::uint64_t entries_estimate = 0;
  std::uint64_t reserve_bytes = 0;
  std::uint64_t log_given_up_bytes = 0;  // since the start, by a full disk and not by keep-log
};

class Keeper {
 public:
  // What is kept. Called on the keeper's thread.
  class Source {
   public:
    virtual ~Source() = default;
    // Begins to walk; returns S.
    virtual std::uint64_t BeginSnapshot() = 0;
    // Appends effects, and to `ends` where blocks of them end. False at the end, when `footer` is
    // filled in; before, it has the entries so far. `estimate`: about how many there will be.
    virtual bool SnapshotSlice(std::string* effects, std::vector<std::size_t>* ends,
                               storage::Footer* footer, std::uint64_t* estimate) = 0;
    virtual void EndSnapshot() = 0;
    // An upper bound of what a snapshot would take now.
    virtual std::uint64_t BoardBytes() = 0;
    // For the administrative log, as an error, a warning, a matter of interest.
    virtual void OnTrouble(const std::string& what) = 0;
    virtual void OnWarning(const std::string& what) = 0;
    virtual void OnNews(const std::string& what) = 0;
  };

  // All outlive the keeper.
  Keeper(base::Folder* folder, storage::Log* log, const KeeperOptions& options,
         const storage::Recovery& recovery, std::uint64_t history, std::uint64_t epoch,
         Source* source);
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  // Takes a snapshot soon; `done` hears how it went, if given. A request while one runs is for the
  // next one.
  void Request(std::function<void(const Status&)> done = nullptr);
  // Ends the thread; first with a last snapshot if anything happened since the last one.
  void Stop(bool snapshot);

  // The disk is full: gives up the next thing that can be done without. False if nothing is left.
  // From any thread.
  bool GiveUp();

  [[nodiscard]] KeeperFigures figures() const;

 private:
  struct Kept {
    std::string name;
    std::uint64_t started_at = 0;
    std::uint64_t bytes = 0;
    // This process has made it. After a failed sync of the folder the operating system may show a
    // name that the disk does not have, so nothing is dropped for a snapshot that was found.
    bool is_ours = false;
  };

  void Run();
  // What is to be done now; how the snapshot went, if one was requested.
  Status Attend(bool requested);
  // Gives up what it must for the snapshot to fit. Between two slices others are served, unless
  // `in_a_hurry`.
  Status Snapshot(bool in_a_hurry);
  Status SnapshotOnce(bool in_a_hurry);
  Status WriteSnapshot(bool in_a_hurry, storage::Footer* footer, std::uint64_t* bytes);
  // Without `for_feed` no log is kept that no snapshot needs.
  Status DropRedundant(bool for_feed);
  // With the files' mutex: drops log that is not behind `needed_after`.
  Status DropLog(std::uint64_t needed_after, bool for_feed);
  // After a failure: memory is saved whole and a fresh segment begun.
  void Mend();
  [[nodiscard]] bool SnapshotIsDue() const;
  // The newest snapshot is everything through `number`, and needs no log.
  [[nodiscard]] bool IsSaved(std::uint64_t number) const;
  // With the files' mutex: the newest snapshot may be all that is left.
  [[nodiscard]] bool NewestIsOurs() const { return !kept_.empty() && kept_[0].is_ours; }
  [[nodiscard]] std::uint64_t LogBytesSinceSnapshot() const;

  // A full disk (keeper_room.cc).

  // Brings the reserve to the size that it should have, if there is room.
  void KeepReserve();
  [[nodiscard]] bool ReserveIsWhole() const { return reserve_.bytes() >= reserve_wanted_; }
  void ResizeReserve(std::uint64_t bytes);
  // Little room is left: what would be refused first is to be avoided.
  [[nodiscard]] bool IsTight() const;
  // The least that the reserve should have.
  [[nodiscard]] std::uint64_t LeastReserve() const;
  // The log is full: makes room. The result is that of the snapshot.
  Status MakeRoom(bool requested);
  // Takes a snapshot and drops everything before it.
  Status Compact();
  // Whether a snapshot may fit that did not fit the last time.
  [[nodiscard]] bool CompactionIsWorthATry() const;
  // Part of a reserve, where there is no room for all of it.
  void HoldWhatIsFree();
  // Gives the full log room for removals, from the reserve.
  void LendToLog();
  void AcceptWrites();
  void TellRefusal();
  void TellGivenUp();

  base::Folder* folder_;
  storage::Log* log_;
  const KeeperOptions options_;
  const std::uint64_t history_;
  const std::uint64_t epoch_;
  Source* source_;

  // Held while files are dropped, by this thread or the log's; the log may not be waited for then.
  mutable std::mutex files_mutex_;
  std::vector<Kept> kept_;  // snapshots, newest first
  std::uint64_t log_bytes_at_snapshot_ = 0;
  std::uint64_t untold_log_bytes_ = 0;  // given up
  std::uint64_t untold_snapshots_ = 0;  // given up

  // The keeper's own.
  storage::Reserve reserve_;
  std::uint64_t reserve_wanted_ = 0;
  std::int64_t tried_us_ = 0;  // what did not work; 0: nothing
  std::int64_t reserved_us_ = 0;
  std::int64_t complained_us_ = 0;  // of a snapshot that failed
  std::int64_t told_given_up_us_ = 0;
  std::int64_t full_since_us_ = 0;  // 0: the log is not
  std::int64_t told_refusal_us_ = 0;
  bool refusal_is_told_ = false;
  // The last attempt to make room by a snapshot that failed.
  std::int64_t compacted_us_ = 0;
  std::int64_t compacting_took_us_ = 0;
  std::uint64_t compacted_at_ = 0;  // record
  std::uint64_t compacted_free_bytes_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void(const Status&)>> requests_;
  bool requested_ = false;
  bool stop_ = false;
  KeeperFigures figures_;
  std::thread thread_;
};

}  // namespace laurel::engine
