// Maintains the data folder, on a thread of its own: takes snapshots, drops files that they made
// redundant, and mends the log after a disk failure.
//
// On a full disk (keeper_room.cc) the keeper drops dispensable files before writes are refused, in
// this order, but never the newest snapshot or the log after it:
//   1. log that no snapshot needs and that is kept for the change feed only
//   2. the older snapshots, and the log that only they need
// If that is not enough, the log is full and commands that add are refused. The keeper then takes a
// snapshot in the room of the reserve (storage/reserve.h), begins a new segment and drops
// everything before it. Removals are still logged meanwhile, in room that also comes from the
// reserve. Writes are accepted again when the reserve has its full size, so that the next full disk
// can be handled the same way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/persistence.h"
#include "laurel/result.h"
#include "storage/log.h"
#include "storage/recovery.h"
#include "storage/reserve.h"

namespace laurel::engine {

struct KeeperOptions {
  // A snapshot is due when the log since the last one exceeds both this and the last one's size.
  std::uint64_t snapshot_log_bytes = std::uint64_t{64} << 20;
  // Log that no snapshot needs is kept up to this size and this age.
  std::uint64_t keep_log_bytes = std::uint64_t{1} << 30;
  std::int64_t keep_log_us = std::int64_t{24} * 3600 * 1'000'000;
  // How long the keeper waits between attempts after a failure.
  std::int64_t retry_us = 1'000'000;
  // The least size of the reserve, or an eighth of the disk if that is less. 0: no reserve.
  std::uint64_t reserve_bytes = std::uint64_t{16} << 20;
};

class Keeper {
 public:
  // The engine whose boards are saved. Called on the keeper's thread, by its constructor and by
  // Stop.
  class Source {
   public:
    virtual ~Source() = default;
    // Begins a walk over all boards. Returns S, the last record before the walk.
    virtual std::uint64_t BeginSnapshot() = 0;
    // Appends the next effects of the walk to `effects`, and the offsets where blocks may end to
    // `ends`. Sets footer->entries to the entries so far, and *estimate to about how many there
    // will be. Returns false at the end of the walk, with the whole footer filled in.
    virtual bool SnapshotSlice(std::string* effects, std::vector<std::size_t>* ends,
                               storage::Footer* footer, std::uint64_t* estimate) = 0;
    virtual void EndSnapshot() = 0;
    // An upper bound of the size of a snapshot taken now.
    virtual std::uint64_t BoardBytes() = 0;
    // Lines for the administrative log: errors, warnings and information.
    virtual void OnTrouble(const std::string& what) = 0;
    virtual void OnWarning(const std::string& what) = 0;
    virtual void OnNews(const std::string& what) = 0;
  };

  // `folder`, `log` and `source` must outlive the keeper. Makes the reserve, which asks the source
  // for BoardBytes.
  Keeper(base::Folder* folder, storage::Log* log, const KeeperOptions& options,
         const storage::Recovery& recovery, std::uint64_t history, std::uint64_t epoch,
         Source* source);
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  // Requests a snapshot. `done`, if given, is called with its result on the keeper's thread. A
  // request that comes while a snapshot runs gets the next one.
  void Request(std::function<void(const Status&)> done = nullptr);
  // Ends the thread. `snapshot`: then takes a last snapshot, unless the newest one already holds
  // everything without log (S = E).
  void Stop(bool snapshot);

  // Call it when the disk is full: drops the next dispensable files. Returns false if none are
  // left. May be called from any thread.
  bool DropDispensableFiles();

  [[nodiscard]] KeeperFigures figures() const;

 private:
  struct Kept {
    std::string name;
    std::uint64_t started_at = 0;
    std::uint64_t bytes = 0;
    // This process has made the snapshot. After a failed sync of the folder the operating system
    // may show a name that is not on disk, so a snapshot that was found at the start does not make
    // other files redundant.
    bool is_ours = false;
  };

  void Run();
  // Does what is due now. Returns the result of the snapshot, if one was requested.
  Status DoDueWork(bool requested);
  // Takes a snapshot. If the disk is full, drops dispensable files until it fits. Pauses between
  // two slices, so that requests are executed, unless `in_a_hurry`.
  Status Snapshot(bool in_a_hurry);
  Status SnapshotOnce(bool in_a_hurry);
  Status WriteSnapshot(bool in_a_hurry, storage::Footer* footer, std::uint64_t* bytes);
  // Drops snapshots and log that are no longer needed. `for_feed`: keeps log for the change feed,
  // within the options; otherwise only log that a snapshot needs is kept.
  Status DropRedundant(bool for_feed);
  // Drops segments that hold no record after `needed_after`. `for_feed`: as above.
  Status DropLog(std::uint64_t needed_after, bool for_feed) LAUREL_REQUIRES(files_mutex_);
  // Repairs a broken log: saves all of memory in a snapshot and begins a fresh segment.
  void Mend();
  [[nodiscard]] bool SnapshotIsDue() const;
  // Whether the newest snapshot holds everything through `number` and needs no log (S = E).
  [[nodiscard]] bool IsSaved(std::uint64_t number) const;
  // Whether all files but the newest snapshot and its log may be dropped.
  [[nodiscard]] bool NewestIsOurs() const LAUREL_REQUIRES(files_mutex_) {
    return !kept_.empty() && kept_[0].is_ours;
  }
  [[nodiscard]] std::uint64_t LogBytesSinceSnapshot() const;
  // Measures the free space of the disk for figures(). A disk that hangs delays this thread alone.
  void NoteSpace();

  // A full disk (keeper_room.cc).

  // Computes the wanted size of the reserve and resizes it, if there is room.
  void KeepReserve();
  [[nodiscard]] bool ReserveIsWhole() const { return reserve_.bytes() >= reserve_wanted_; }
  void ResizeReserve(std::uint64_t bytes);
  // Whether less disk space is free than the least reserve. Then a snapshot that replaces log is
  // taken early.
  [[nodiscard]] bool IsTight() const;
  // The least size that the reserve should have.
  [[nodiscard]] std::uint64_t LeastReserve() const;
  // Makes room for a full log. Returns the result of the snapshot.
  Status MakeRoom(bool requested);
  // Takes a snapshot and drops everything before it.
  Status Compact();
  // Whether a snapshot that did not fit the last time may fit now.
  [[nodiscard]] bool CompactionIsWorthATry() const;
  // Adds the free disk space to a reserve that is not whole.
  void GrowReserveWithFreeSpace();
  // Gives room from the reserve to the full log, for removals.
  void GiveLogRoom();
  void AcceptWrites();
  void ReportRefusal();
  void ReportGivenUp();

  base::Folder* folder_;
  storage::Log* log_;
  const KeeperOptions options_;
  const std::uint64_t history_;
  const std::uint64_t epoch_;
  Source* source_;

  // Held while files are dropped, by the keeper's thread or by the log's (DropDispensableFiles).
  // Never wait for the log's thread with it held. Taken before mutex_.
  mutable base::Mutex files_mutex_;
  std::vector<Kept> kept_ LAUREL_GUARDED_BY(files_mutex_);  // snapshots, newest first
  std::uint64_t log_bytes_at_snapshot_ LAUREL_GUARDED_BY(files_mutex_) = 0;
  // Given up and not reported yet.
  std::uint64_t untold_log_bytes_ LAUREL_GUARDED_BY(files_mutex_) = 0;
  std::uint64_t untold_snapshots_ LAUREL_GUARDED_BY(files_mutex_) = 0;

  // Used by the keeper's thread only. Times are of the monotonic clock.
  storage::Reserve reserve_;
  std::uint64_t reserve_wanted_ = 0;
  std::int64_t tried_us_ = 0;          // last failed attempt; 0: the last one did not fail
  std::int64_t reserved_us_ = 0;       // last KeepReserve by DoDueWork
  std::int64_t complained_us_ = 0;     // last report of a failed snapshot
  std::int64_t told_given_up_us_ = 0;  // last report of files given up
  std::int64_t full_since_us_ = 0;     // 0: the log is not full
  std::int64_t told_refusal_us_ = 0;   // last report that writes are refused or accepted again
  bool refusal_is_told_ = false;
  // The last attempt of MakeRoom to compact; compacted_us_ is 0 if there was none since writes were
  // accepted.
  std::int64_t compacted_us_ = 0;
  std::int64_t compacting_took_us_ = 0;
  std::uint64_t compacted_at_ = 0;  // last record before the attempt
  std::uint64_t compacted_free_bytes_ = 0;

  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<std::function<void(const Status&)>> requests_ LAUREL_GUARDED_BY(mutex_);
  bool requested_ LAUREL_GUARDED_BY(mutex_) = false;
  bool stop_ LAUREL_GUARDED_BY(mutex_) = false;
  KeeperFigures figures_ LAUREL_GUARDED_BY(mutex_);

  std::thread thread_;
};

}  // namespace laurel::engine
