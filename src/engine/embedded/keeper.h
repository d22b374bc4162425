// Keeps the data folder in order, on a thread of its own: takes snapshots, drops what they made
// redundant, and mends the log after trouble with the disk.
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

namespace laurel::engine {

struct KeeperOptions {
  // A snapshot is due when the log since the last one exceeds this and the last one's size.
  std::uint64_t snapshot_log_bytes = std::uint64_t{64} << 20;
  // Log that no snapshot needs is kept within both bounds.
  std::uint64_t keep_log_bytes = std::uint64_t{1} << 30;
  std::int64_t keep_log_us = std::int64_t{24} * 3600 * 1'000'000;
  // After trouble: how long until the next attempt.
  std::int64_t retry_us = 1'000'000;
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
    // The log is whole again, and durable through `number`.
    virtual void OnMended(std::uint64_t number) = 0;
    virtual void OnTrouble(const std::string& what) = 0;  // for the administrative log
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

  [[nodiscard]] KeeperFigures figures() const;

 private:
  struct Kept {
    std::string name;
    std::uint64_t started_at = 0;
  };

  void Run();
  // Between two slices others are served, unless `in_a_hurry`.
  Status Snapshot(bool in_a_hurry);
  Status WriteSnapshot(bool in_a_hurry, storage::Footer* footer, std::uint64_t* bytes);
  Status DropRedundant();
  // A full disk is looked at again; after a failure memory is saved whole and a fresh segment
  // begun.
  void Mend();
  [[nodiscard]] bool SnapshotIsDue() const;

  base::Folder* folder_;
  storage::Log* log_;
  const KeeperOptions options_;
  const std::uint64_t history_;
  const std::uint64_t epoch_;
  Source* source_;

  std::vector<Kept> kept_;  // snapshots, newest first
  std::uint64_t log_bytes_at_snapshot_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void(const Status&)>> requests_;
  bool requested_ = false;
  bool stop_ = false;
  KeeperFigures figures_;
  std::thread thread_;
};

}  // namespace laurel::engine
