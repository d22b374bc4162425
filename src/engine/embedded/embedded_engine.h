// The embedded engine: boards in the memory of this process, a log on disk, one lock, and any
// number of threads that execute pipelines.
//
// A thread brings the pipelines that its connections have received since the last time, and
// executes them in one hold of the lock. So the lock costs a fraction of a request, and consecutive
// requests on one board can be executed as a run (runs.h). If other threads wait, a hold ends after
// kMaxHoldRequests requests or about kMaxHoldMicros, but never inside an EXEC.
//
// The effects of a hold become one log batch when the hold ends; a long hold makes several. Under
// fsync always, a pipeline with a write is done when the log is durable through that batch: the
// log's thread then calls Done().
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/fair_lock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/thread_annotations.h"
#include "engine/commands/handlers.h"
#include "engine/commands/runs.h"
#include "engine/disk/backups.h"
#include "engine/disk/keeper.h"
#include "engine/disk/parked_pipelines.h"
#include "engine/disk/restorer.h"
#include "engine/disk/snapshot_walk.h"
#include "engine/embedded/lead_watch.h"
#include "engine/engine.h"
#include "engine/feeds/change_feed.h"
#include "engine/feeds/live_feed.h"
#include "engine/journal/journal.h"
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
  std::size_t max_memory_bytes = 0;    // 0: no limit
  std::uint64_t max_work = 0;          // entries that one command may touch; 0: no limit
  std::uint64_t max_exec_entries = 0;  // that the reads of an EXEC may return; 0: no limit
  std::vector<Template> templates;
  std::uint64_t hash_seed = 0;         // 0: random
  core::Shape shape;                   // tests use other shapes than the default
  const base::Clock* clock = nullptr;  // null: the system clock
  std::int64_t clock_offset_us = 0;    // added to the system clock

  std::string data;                // the data folder; empty: boards are in memory only
  base::Folder* folder = nullptr;  // instead of `data`, for tests
  storage::LogOptions log;
  KeeperOptions keeper;
  std::int64_t live_interval_us = 100'000;  // least time between two passes of the live feed
};

class EmbeddedEngine : public Engine,
                       private storage::Log::Listener,
                       private Keeper::Source,
                       private LiveFeed::Source {
 public:
  // `callbacks` must outlive the engine.
  EmbeddedEngine(const EmbeddedOptions& options, ServerCallbacks* callbacks);
  ~EmbeddedEngine() override;

  Status Open() override;
  // The analysis is off: while the boards are loaded, no other thread uses them.
  Result<LoadReport> Load(const LoadProgress& progress = nullptr) override
      LAUREL_NO_THREAD_SAFETY_ANALYSIS;
  void Close(bool snapshot) override;
  void Execute(std::span<Pipeline* const> pipelines) override;
  bool Cancel(Pipeline* pipeline, Wakeup wakeup) override;
  void Forget(Client* client) override;
  bool Tick() override;
  Result<LiveHandle> Subscribe(const LiveQuery& query, LiveReader* reader) override;
  void Unsubscribe(LiveHandle handle) override { live_.Unsubscribe(handle); }
  std::optional<LiveUpdate> Take(LiveHandle handle) override { return live_.Take(handle); }
  using Engine::Measure;
  [[nodiscard]] Figures Measure(const Access& access) override;
  [[nodiscard]] std::int64_t SavedAt() const override;
  // Digest of all boards (digest.h). Holds the lock for O(n), so no request is executed meanwhile.
  [[nodiscard]] std::uint64_t Digest();

 private:
  // One critical section of the lock (hold.h).
  class Hold;

  // Executes the first request of `items`, or the run that begins with it, and counts what it has
  // executed. Sets *waits if that is a request which waits and has no reply yet. Returns how many
  // requests it has executed.
  std::size_t ExecuteNext(std::span<const Item> items, Hold* hold, bool* waits)
      LAUREL_REQUIRES(lock_);
  // Executes one request. Returns what became of it.
  enum class Handled : std::uint8_t {
    kElsewhere,  // the server has answered it, or ran it, and has counted it
    kRejected,   // answered with an error before it was executed
    kExecuted,
    kWaits,  // has no reply yet
  };
  Handled ExecuteOne(Pipeline* pipeline, const Request& request, bool in_transaction,
                     wire::Reply& reply) LAUREL_REQUIRES(lock_);
  // Marks the pipeline as having written, or replies an error and returns false if the disk takes
  // no such write.
  bool AdmitWrite(Pipeline* pipeline, const Request& request, wire::Reply& reply)
      LAUREL_REQUIRES(lock_);
  // Runs the command's handler, or the command itself if it has none. Returns true if it waits and
  // has no reply yet.
  bool Dispatch(Pipeline* pipeline, const Request& request, bool in_transaction, wire::Reply& reply)
      LAUREL_REQUIRES(lock_);
  [[nodiscard]] Context ContextOf(Pipeline* pipeline, const Request& request, bool in_transaction,
                                  wire::Reply& reply) LAUREL_REQUIRES(lock_);
  // Whether the request, or one in its transaction, is a write command.
  [[nodiscard]] static bool Writes(const Request& request) { return request.Has(wire::kWrite); }
  // Answers LOADING to all requests.
  void ExecuteLoading(std::span<Pipeline* const> pipelines);
  // Returns the error if the request names a board that the client may not access.
  [[nodiscard]] std::optional<Error> RefusalOf(const Client& client, const Request& request) const
      LAUREL_REQUIRES(lock_);
  // Serves blocked pops from the names that have got entries.
  void ServeWaiting() LAUREL_REQUIRES(lock_);
  // Counts a request that ExecuteOne has handled. A request that waits counts as ok; an error that
  // ends its wait counts among the errors only.
  void Count(const Request& request, const wire::Reply& reply, Handled handled, std::int64_t micros)
      LAUREL_REQUIRES(lock_);
  // Counts the requests of the run that was executed last. `micros`: the time of all together.
  void CountRun(std::span<const Item> run, std::int64_t micros) LAUREL_REQUIRES(lock_);
  // Reports slow requests to the server. `micros`: the time of all items together.
  void NoteTimes(std::span<const Item> items, std::int64_t micros);
  // Whether more memory is used than --max-memory allows.
  [[nodiscard]] bool IsOverMemory() const LAUREL_REQUIRES(lock_);
  // LB.LOAD … ABORT, which only removes.
  [[nodiscard]] static bool AbortsLoad(const Request& request);
  [[nodiscard]] bool RefusesForMemory(const Request& request) const LAUREL_REQUIRES(lock_);
  [[nodiscard]] std::size_t UsedBytes() const LAUREL_REQUIRES(lock_);
  [[nodiscard]] Figures MeasureLocked(const Access& access) const LAUREL_REQUIRES(lock_);

  // Commands that the engine executes itself, because a handler's Context does not reach what they
  // need: other requests, watches, the log, snapshots. Each returns true if the request is answered
  // later.

  using EngineCommand = bool (EmbeddedEngine::*)(Pipeline*, const Request&, wire::Reply&);
  // Null for commands that have a handler or are not the engine's.
  [[nodiscard]] static EngineCommand EngineCommandOf(wire::CommandId id);
  // EXEC of a transaction that is one write on several boards.
  void ExecuteOneWrite(Pipeline* pipeline, const Request& request, wire::Reply& reply)
      LAUREL_REQUIRES(lock_);
  // Whether the request counts as a read of its EXEC.
  [[nodiscard]] static bool Reads(const Client& client, const Request& request);
  // EXEC.
  bool ExecuteTransaction(Pipeline* pipeline, const Request& request, wire::Reply& reply)
      LAUREL_REQUIRES(lock_);
  bool Watch(Pipeline* pipeline, const Request& request, wire::Reply& reply) LAUREL_REQUIRES(lock_);
  // also DISCARD.
  bool Unwatch(Pipeline* pipeline, const Request& request, wire::Reply& reply)
      LAUREL_REQUIRES(lock_);
  bool Save(Pipeline* pipeline, const Request& request, wire::Reply& reply);
  bool BackgroundSave(Pipeline* pipeline, const Request& request, wire::Reply& reply);
  bool Backup(Pipeline* pipeline, const Request& request, wire::Reply& reply);
  bool Changes(Pipeline* pipeline, const Request& request, wire::Reply& reply)
      LAUREL_REQUIRES(lock_);

  // The data folder (durability.cc).

  // Loads the boards from the data folder and opens its log. Sets all of *report except templates.
  // The analysis is off for the reason given at Load.
  Status LoadFolder(const LoadProgress& progress,
                    LoadReport* report) LAUREL_NO_THREAD_SAFETY_ANALYSIS;
  // Reads the folder's snapshot and log into the keyspace.
  Result<storage::Recovery> Restore(const LoadProgress& progress, Restorer* restorer);
  // Removes from the folder what the recovery leaves behind, and returns where the log goes on.
  Result<storage::LogStart> PrepareLog(storage::Recovery* found);
  // Lets the keyspace write to the log, and starts the change feed, the keeper and backups.
  // The analysis is off for the reason given at Load.
  void BeginLogging(std::unique_ptr<storage::Log> log, const storage::Recovery& found,
                    std::uint64_t history) LAUREL_NO_THREAD_SAFETY_ANALYSIS;
  // Warns of templates that the last start on this folder was configured with and this one is not.
  void NoteTemplates(std::vector<std::string>* warnings);
  [[nodiscard]] bool has_log() const { return log_ != nullptr; }
  [[nodiscard]] bool CanWrite() const {
    return !has_log() || log_->state() == storage::Log::State::kGood;
  }
  // Whether the log has room for removals and for changes that are due by time. If it has not when
  // a hold begins, the keyspace is frozen for that hold, and the hold accepts no writes at all.
  [[nodiscard]] bool CanRemove() const;
  // The last record whose effects may be shown to clients that do not wait for the disk. Everything
  // with fsync off, or without a data folder.
  [[nodiscard]] std::uint64_t PublishableRecord() const {
    const bool waits = has_log() && options_.log.sync != storage::SyncMode::kOff;
    return waits ? log_->durable() : UINT64_MAX;
  }
  [[nodiscard]] bool WaitsForDisk() const {
    return has_log() && options_.log.sync == storage::SyncMode::kAlways;
  }
  // Whether the request is refused because of the disk. A full disk accepts the same commands as
  // full memory: those without the flag kDenyOom, such as removals.
  [[nodiscard]] bool RefusesForDisk(const Request& request) const LAUREL_REQUIRES(lock_);
  [[nodiscard]] Error DiskError(const Client& client) const;
  // Called when all requests of the pipeline are executed, or as many as its replies have room for.
  // Calls Done(), or leaves it to Seal if the replies must wait for the disk.
  void DoneOrPark(Pipeline* pipeline) LAUREL_REQUIRES(lock_);
  // Appends the journal to the log as one batch, and holds the finished pipelines until the log is
  // durable through it.
  void Seal() LAUREL_REQUIRES(lock_);
  // Notes which boards got their names in the record.
  void NoteNames(const Journal& journal, std::uint64_t record) LAUREL_REQUIRES(lock_);
  // The record that creates or publishes the board, if it may not be durable yet; otherwise 0.
  [[nodiscard]] std::uint64_t CreationOf(std::uint64_t board) const LAUREL_REQUIRES(lock_);
  // Sets the board, spec and period of *wanted from the name that the client follows. A board that
  // does not exist is no error here, since a cursor may name a board of the past.
  Status FindFollowed(std::string_view name, ChangesRequest* wanted) LAUREL_REQUIRES(lock_);
  [[nodiscard]] Persistence MeasurePersistence() const;

  // storage::Log::Listener, Keeper::Source and LiveFeed::Source.

  void OnDurable(std::uint64_t number) override;
  [[nodiscard]] std::size_t CountWaiting() const override { return parked_->size(); }
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
  std::uint64_t UnderLock(const std::function<void(Keyspace*)>& look) override;
  [[nodiscard]] bool MayPublish(std::uint64_t number) const override;

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

  base::FairLock lock_;
  base::CountingMemory memory_ LAUREL_GUARDED_BY(lock_);
  Keyspace keys_ LAUREL_GUARDED_BY(lock_);
  Waiting waiting_ LAUREL_GUARDED_BY(lock_);
  StampClock stamps_ LAUREL_GUARDED_BY(lock_);
  base::Random random_ LAUREL_GUARDED_BY(lock_);
  const std::string run_;  // as wire::Subject::run
  LeadWatch lead_watch_ LAUREL_GUARDED_BY(lock_);
  Work work_ LAUREL_GUARDED_BY(lock_);  // budget of the command or EXEC being executed
  HandlerTable handlers_ LAUREL_GUARDED_BY(lock_){};
  RunExecutor runs_ LAUREL_GUARDED_BY(lock_);
  Stamp now_ LAUREL_GUARDED_BY(lock_) = 0;
  // Wait for the batch that Seal will append.
  std::vector<Pipeline*> finished_ LAUREL_GUARDED_BY(lock_);
  // Boards whose last rename may not be durable yet, and the record of the rename.
  std::unordered_map<std::uint64_t, std::uint64_t> renames_ LAUREL_GUARDED_BY(lock_);
  // Boards whose publication after a load may not be durable yet, and its record.
  std::unordered_map<std::uint64_t, std::uint64_t> publications_ LAUREL_GUARDED_BY(lock_);
  // Records that may not be durable yet and create boards. Records and ids rise.
  std::deque<std::pair<std::uint64_t, Journal::Created>> creations_ LAUREL_GUARDED_BY(lock_);
  std::optional<SnapshotWalk> walk_ LAUREL_GUARDED_BY(lock_);
  // The first slice, with the templates, is still to come.
  bool walk_begins_ LAUREL_GUARDED_BY(lock_) = false;

  // Set by Load before the first command is executed; each has its own lock.
  std::unique_ptr<ParkedPipelines> parked_;
  std::unique_ptr<Keeper> keeper_;  // outlives the log, whose thread may call MakeRoom
  std::unique_ptr<storage::Log> log_;
  std::atomic<Keeper*> keeper_for_log_{nullptr};  // keeper_, for the log's thread
  std::unique_ptr<Backups> backups_;
  std::unique_ptr<ChangeFeed> feed_;
  std::atomic<ChangeFeed*> feed_for_log_{nullptr};  // feed_, for the log's thread

  LiveFeed live_;
};

}  // namespace laurel::engine
