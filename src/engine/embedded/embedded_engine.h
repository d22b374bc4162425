// The engine in this process: boards in memory, a log on disk, one lock, many threads that take
// pipelines.
//
// A thread brings what its connections have asked for since the last time; the requests of all of
// them are executed in one hold of the lock, so that locking costs a fraction of a request, and so
// that neighbouring requests on one board can fetch memory for each other (runs.h). A hold ends
// after kMaxHoldRequests or about kMaxHoldMicros if others wait, never inside an EXEC.
//
// What a hold has changed becomes one batch of the log when it ends. A pipeline with a write in it
// is done when the log is durable through that batch; the log's own thread says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/fair_lock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/commands/handlers.h"
#include "engine/commands/runs.h"
#include "engine/disk/backups.h"
#include "engine/disk/held_pipelines.h"
#include "engine/disk/keeper.h"
#include "engine/disk/snapshot_walk.h"
#include "engine/embedded/lead_watch.h"
#include "engine/engine.h"
#include "engine/feeds/change_feed.h"
#include "engine/feeds/live_feed.h"
#include "engine/keyspace/keyspace.h"
#include "engine/keyspace/waiting.h"
#include "laurel/stamp_clock.h"
#include "storage/log.h"
#include "storage/recovery.h"

namespace laurel::engine {

inline constexpr std::size_t kMaxHoldRequests = 128;
inline constexpr std::int64_t kMaxHoldMicros = 100;
inline constexpr std::string_view kInMemory =
    "ERR boards are kept in memory only: there is no disk to save them to";

struct EmbeddedOptions {
  std::size_t max_reply_bytes = std::size_t{256} << 20;
  std::size_t max_memory_bytes = 0;  // 0: no limit
  std::uint64_t max_work = 0;        // entries that one command may touch; 0: no limit
  std::vector<Template> templates;
  std::uint64_t hash_seed = 0;         // 0: from the system
  core::Shape shape;                   // other than the default for tests
  const base::Clock* clock = nullptr;  // null: the system's
  std::int64_t clock_offset_us = 0;    // which is shown so far ahead

  std::string data;                // a folder; empty: boards are in memory only
  base::Folder* folder = nullptr;  // instead of `data`, for tests
  storage::LogOptions log;
  KeeperOptions keeper;
  std::int64_t live_interval_us = 50'000;  // live readers are told at most so often
};

class EmbeddedEngine : public Engine,
                       private storage::Log::Listener,
                       private Keeper::Source,
                       private LiveFeed::Source {
 public:
  // `host` outlives the engine.
  EmbeddedEngine(const EmbeddedOptions& options, ServerCallbacks* callbacks);
  ~EmbeddedEngine() override;

  Status Open() override;
  Result<LoadReport> Load(const LoadProgress& progress = nullptr) override;
  void Close(bool snapshot) override;
  void Execute(std::span<Pipeline* const> pipelines) override;
  bool Cancel(Pipeline* pipeline, Wakeup wakeup) override;
  void Forget(Client* client) override;
  bool Tick() override;
  Result<LiveHandle> Subscribe(const LiveQuery& query, LiveReader* reader) override;
  void Unsubscribe(LiveHandle handle) override { live_.Unsubscribe(handle); }
  std::optional<LiveUpdate> Take(LiveHandle handle) override { return live_.Take(handle); }
  [[nodiscard]] Figures Measure() override;
  [[nodiscard]] std::int64_t SavedAt() const override;
  // Of all boards (digest.h); a pause for everybody as long as that takes.
  [[nodiscard]] std::uint64_t Digest();

 private:
  // A hold of the lock in which the clock stands still.
  class Hold;

  // True if the request waits and has no reply yet.
  bool ExecuteOne(Pipeline* pipeline, const Request& request, bool in_transaction);
  void ExecuteTransaction(Pipeline* pipeline, const Request& request);
  // Whether the reply to the request, or to one in its transaction, says that something is written.
  [[nodiscard]] static bool Writes(const Request& request) { return request.Has(wire::kWrite); }
  void ExecuteLoading(std::span<Pipeline* const> pipelines);
  // The error if the request names a board that the client may not touch.
  [[nodiscard]] std::optional<std::string> RefusalOf(const Client& client,
                                                     const Request& request) const;
  void ServeWaiting();
  void NoteTimes(std::span<const Item> items, std::int64_t micros);
  [[nodiscard]] bool RefusesForMemory(const wire::CommandInfo& command) const;
  [[nodiscard]] std::size_t UsedBytes() const;
  [[nodiscard]] Figures MeasureLocked() const;

  // On disk (durability.cc).

  [[nodiscard]] bool durable() const { return log_ != nullptr; }
  [[nodiscard]] bool CanWrite() const {
    return !durable() || log_->state() == storage::Log::State::kGood;
  }
  // Writes that remove, and what happens by itself when its time has come. A hold in which time
  // stands still because they were not possible when it began takes no writes at all.
  [[nodiscard]] bool CanRemove() const;
  // What is in the log through here may be told as having happened.
  [[nodiscard]] std::uint64_t PublishableRecord() const {
    const bool waits = durable() && options_.log.sync != storage::SyncMode::kOff;
    return waits ? log_->durable() : UINT64_MAX;
  }
  [[nodiscard]] bool WaitsForDisk() const {
    return durable() && options_.log.sync == storage::SyncMode::kAlways;
  }
  // Whether the disk keeps the request from being executed. A full one takes what removes, as full
  // memory does: what is not marked as needing memory.
  [[nodiscard]] bool RefusesForDisk(const Request& request) const;
  [[nodiscard]] std::string DiskError(const Client& client) const;
  // All requests of the pipeline are executed, or as many as there was room for.
  void FinishPipeline(Pipeline* pipeline);
  // Ends the batch, and lets those wait who depend on it.
  void Seal();
  void Save(Pipeline* pipeline, const Request& request);
  void BackgroundSave(const Request& request, wire::Reply& reply);
  // LB.BACKUP. True if the request waits.
  bool Backup(Pipeline* pipeline, const Request& request, wire::Reply& reply);
  // LB.CHANGES. True if the request waits.
  bool Changes(Pipeline* pipeline, const Request& request, wire::Reply& reply);
  Status FindFollowed(std::string_view name, ChangesRequest* wanted);
  [[nodiscard]] Persistence MeasurePersistence() const;

  void OnDurable(std::uint64_t number) override;
  [[nodiscard]] std::size_t CountWaiting() const override { return held_->size(); }
  void OnBroken(const Error& error) override;
  bool MakeRoom() override;
  std::uint64_t BeginSnapshot() override;
  bool SnapshotSlice(std::string* effects, std::vector<std::size_t>* ends, storage::Footer* footer,
                     std::uint64_t* estimate) override;
  void EndSnapshot() override;
  void OnMended(std::uint64_t number) override;
  std::uint64_t BoardBytes() override;
  void OnTrouble(const std::string& what) override;
  void OnWarning(const std::string& what) override;
  void OnNews(const std::string& what) override;
  std::uint64_t Look(const std::function<void(Keyspace*)>& look) override;
  [[nodiscard]] bool MayPublish(std::uint64_t number) const override;
  // Warns of templates that the last start on this folder was configured with and this one is not.
  void NoteTemplates(std::vector<std::string>* warnings);

  EmbeddedOptions options_;
  ServerCallbacks* callbacks_;
  std::unique_ptr<base::Clock> system_clock_;
  const base::Clock* clock_;

  std::unique_ptr<base::Folder> own_folder_;
  base::Folder* folder_ = nullptr;
  std::unique_ptr<base::FolderLock> folder_lock_;
  std::atomic<bool> loading_{false};
  std::atomic<std::uint64_t> loaded_bytes_{0};
  std::atomic<std::uint64_t> loading_bytes_{0};
  std::int64_t loading_since_us_ = 0;
  std::uint64_t epoch_ = 0;

  base::FairLock lock_;  // guards everything below
  base::CountingMemory memory_;
  Keyspace keys_;
  Waiting waiting_;
  StampClock stamps_;
  base::Random random_;
  LeadWatch lead_watch_;
  Work work_;  // of the command, or the EXEC, that is being executed
  HandlerTable handlers_{};
  RunExecutor runs_;
  Stamp now_ = 0;
  std::vector<Pipeline*> finished_;  // wait for the batch under way
  std::optional<SnapshotWalk> walk_;
  bool walk_begins_ = false;

  // Set by Load, in this order, before the first command; each has its own lock.
  std::unique_ptr<HeldPipelines> held_;
  std::unique_ptr<Keeper> keeper_;  // outlives the log, whose thread may ask it for room
  std::unique_ptr<storage::Log> log_;
  std::atomic<Keeper*> keeping_{nullptr};  // keeper_, for the log's thread
  std::unique_ptr<Backups> backups_;
  std::unique_ptr<ChangeFeed> feed_;
  std::atomic<ChangeFeed*> following_{nullptr};  // feed_, for the log's thread

  LiveFeed live_;
};

}  // namespace laurel::engine
