// Serves the files of a backup to a client: LB.BACKUP.
//
// A backup is a new snapshot and the log that it needs. Its files are opened when the snapshot is
// done and stay open until the backup ends, so they can be read even if the keeper drops them
// meanwhile. A thread of its own reads them, outside the engine's lock.
//
// There is one backup at a time. It ends with LB.BACKUP END, when its client disconnects, or after
// a minute without a read.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/disk/keeper.h"
#include "engine/engine.h"
#include "laurel/result.h"
#include "storage/log.h"
#include "wire/reply.h"

namespace laurel::engine {

inline constexpr std::int64_t kMaxBackupReadBytes = std::int64_t{1} << 20;
inline constexpr std::int64_t kBackupIdleUs = 60'000'000;

class Backups {
 public:
  // All three must outlive this object.
  Backups(base::Folder* folder, storage::Log* log, Keeper* keeper)
      : folder_(folder), log_(log), keeper_(keeper) {}
  ~Backups();
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;

  // Each function answers the request. Start and Read answer later, or on a refusal at once, and
  // call Pipeline::Done themselves; End only writes its reply.
  void Start(Pipeline* pipeline, wire::Protocol protocol);
  void Read(Pipeline* pipeline, const Request& request);
  void End(const Request& request, wire::Reply& reply);

  // The client has disconnected: ends its backup.
  void Forget(const Client* client);

 private:
  // A file of the backup.
  struct BackupFile {
    std::string name;
    std::uint64_t bytes = 0;
    std::shared_ptr<base::File> file;
  };
  struct Backup {
    std::uint64_t id = 0;
    const Client* client = nullptr;
    std::uint64_t started_at = 0;   // S of the snapshot
    std::uint64_t record = 0;       // E: the backup restores the state after this record
    std::vector<BackupFile> files;  // the snapshot first; empty until it is taken
    std::int64_t used_us = 0;       // last use; monotonic clock
  };

  // Opens the files of the last snapshot. Returns an error if its S is less than `at_least`. Runs
  // on the keeper's thread, which drops no files meanwhile.
  Result<Backup> Open(std::uint64_t at_least);
  void OnSnapshot(std::uint64_t id, std::uint64_t at_least, const Status& status,
                  Pipeline* pipeline, wire::Protocol protocol);
  Result<BackupFile> OpenFile(const std::string& name, std::uint64_t bytes);
  // Returns the backup with that id, or an error.
  Result<Backup*> Find(std::string_view id) LAUREL_REQUIRES(mutex_);
  // Ends the backup after kBackupIdleUs without a read.
  void EndIfIdle(std::int64_t now_us) LAUREL_REQUIRES(mutex_);
  // Waits for a read, for a change of the backup, or until the backup is idle.
  void AwaitRead() LAUREL_REQUIRES(mutex_);
  // The function of the reading thread.
  void Run();

  base::Folder* folder_;
  storage::Log* log_;
  Keeper* keeper_;

  base::Mutex mutex_;
  base::CondVar changed_;
  std::optional<Backup> backup_ LAUREL_GUARDED_BY(mutex_);
  std::uint64_t last_id_ LAUREL_GUARDED_BY(mutex_) = 0;
  std::deque<std::function<void()>> reads_ LAUREL_GUARDED_BY(mutex_);
  bool stop_ LAUREL_GUARDED_BY(mutex_) = false;
  std::thread reader_ LAUREL_GUARDED_BY(mutex_);  // started with the first backup
};

}  // namespace laurel::engine
