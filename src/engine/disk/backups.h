// Hands out the files of a backup to a client: LB.BACKUP.
//
// A backup is a fresh snapshot and the log that it needs. Its files are opened when the snapshot is
// done and stay open until the backup ends, so whatever the keeper drops meanwhile is still read.
// Reading happens on a thread of its own, outside the engine's lock.
//
// One backup at a time. It ends by LB.BACKUP END, when its client is gone, or after a minute in
// which nobody reads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
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
  // All outlive this.
  Backups(base::Folder* folder, storage::Log* log, Keeper* keeper)
      : folder_(folder), log_(log), keeper_(keeper) {}
  ~Backups();
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;

  // Each answers the request: Start and Read later, with Pipeline::Done, and only they may.
  void Start(Pipeline* pipeline, wire::Protocol protocol);
  void Read(Pipeline* pipeline, const Request& request);
  void End(const Request& request, wire::Reply& reply);

  // The client is gone, and its backup with it.
  void Forget(const Client* client);

 private:
  struct Part {
    std::string name;
    std::uint64_t bytes = 0;
    std::shared_ptr<base::File> file;
  };
  struct Backup {
    std::uint64_t id = 0;
    const Client* client = nullptr;
    std::uint64_t started_at = 0;  // S of the snapshot
    std::uint64_t record = 0;      // E: the state that the files make
    std::vector<Part> parts;       // the snapshot first; none until it is taken
    std::int64_t used_us = 0;
  };

  // On the keeper's thread, which drops nothing meanwhile.
  Result<Backup> Open(std::uint64_t at_least);
  void OnSnapshot(std::uint64_t id, std::uint64_t at_least, const Status& status,
                  Pipeline* pipeline, wire::Protocol protocol);
  Result<Part> OpenPart(const std::string& name, std::uint64_t bytes);
  // With the mutex: the backup of that id; an error says that there is none.
  Result<Backup*> Find(std::string_view id);
  void EndIfIdle(std::int64_t now_us);
  // The reading thread.
  void Run();

  base::Folder* folder_;
  storage::Log* log_;
  Keeper* keeper_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Backup> backup_;
  std::uint64_t last_id_ = 0;
  std::deque<std::function<void()>> reads_;
  bool stop_ = false;
  std::thread reader_;  // from the first backup on
};

}  // namespace laurel::engine
