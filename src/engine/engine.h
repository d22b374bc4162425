// Engine: what holds the boards. The one interface between the servers and the data.
//
// Its life: MakeEngine (make_engine.h), Open, Load, pipelines, Close.
//
// A server hands over pipelines. A pipeline is what one client has asked for in one go: requests in
// order, and room for their replies. The engine executes them and calls Done() when the replies may
// be sent, which may be at once, when a write has reached the disk, or when another client has
// written what a blocking pop waits for. A client has one pipeline at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/access.h"
#include "engine/live.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "wire/command_table.h"
#include "wire/reply.h"

namespace laurel::engine {

struct Figures;
struct Request;
struct Transaction;

// Takes the engine's figures, as Engine::Measure does.
using MeasureFunction = std::function<Figures()>;

// What a server answers by itself, in its place among the requests of a transaction.
class LocalCommand {
 public:
  virtual ~LocalCommand() = default;
  // On the thread of the client, inside the engine's lock: must not call the engine, whose figures
  // `measure` takes.
  virtual void Run(const Request& request, const MeasureFunction& measure, wire::Reply* reply) = 0;
};

struct Request {
  const wire::CommandInfo* command = nullptr;  // null: `literal` is the reply
  wire::Protocol protocol = wire::Protocol::kResp2;
  std::span<const std::string_view> arguments{};  // arguments[0] is the command's name
  std::string_view literal{};
  const Transaction* transaction = nullptr;  // of EXEC
  LocalCommand* local = nullptr;             // runs the command if it is none of the engine's

  // Whether the command, or one of the transaction, has the flag.
  [[nodiscard]] bool Has(wire::CommandFlag flag) const;
};

// What EXEC runs.
struct Transaction {
  std::string_view abort{};  // the error reply if it is not to run: something was refused before
  std::span<const Request> requests{};
};

inline bool Request::Has(wire::CommandFlag flag) const {
  if (transaction == nullptr) return command != nullptr && command->Has(flag);
  return std::any_of(transaction->requests.begin(), transaction->requests.end(),
                     [flag](const Request& queued) { return queued.Has(flag); });
}

// What an engine knows about a connection. Owned by the server.
struct Client {
  // Set by the server, never while a pipeline of the client is under way.
  Access access;             // the boards that the client may touch, see and hear of
  bool may_set_time = true;  // AT of LB.SUBMIT and LB.MSUBMIT
  std::string address;       // these two for the slow log
  std::string name;

  // The engine's own.

  std::vector<std::string> watched;
  // Names that count from the present, such as lb@day, and what they meant.
  std::vector<std::pair<std::string, std::string>> watched_instances;
  bool watch_broken = false;  // a watched name was written to
};

// A pipeline stops for its client to read when its replies exceed this.
inline constexpr std::size_t kPauseReplyBytes = std::size_t{1} << 20;

class Pipeline {
 public:
  explicit Pipeline(Client* client) : client_(client) {}
  virtual ~Pipeline() = default;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Called once per Execute, on any thread, when `replies` may be sent: those of all requests, or
  // of the first `executed` if they have become large. The rest is for another Execute, once the
  // client has taken what there is.
  virtual void Done() = 0;
  // Called on the executing thread, before Execute returns, if the last request waits; a deadline
  // in milliseconds of Engine's clock, 0 for none. The server calls Engine::Cancel then.
  virtual void Blocked(std::int64_t deadline_ms) = 0;

  [[nodiscard]] Client* client() const { return client_; }

  // Valid until Execute returns: an engine copies what it needs later.
  std::vector<Request> requests;
  std::size_t executed = 0;  // where Execute begins and how far it came
  std::string replies;

  // Set by the engine: the requests that depend on a write which may not be on disk yet. They are
  // all those of this Execute from the first write on.
  struct Unconfirmed {
    static constexpr std::size_t kNone = SIZE_MAX;
    std::size_t first = kNone;  // an index of `requests`
    std::size_t count = 0;
    std::size_t reply_at = 0;  // where the first one's reply begins in `replies`
  };
  Unconfirmed unconfirmed;
  // Set by the engine before Done() if the disk has failed: the outcome of the unconfirmed requests
  // is unknown, and this text gives the reason, as the client may see it. Empty otherwise.
  // `replies` still holds their ordinary replies; the sender replaces them (unknown_replies.h).
  std::string unknown;

  // For the engine: the request under way writes.
  void NoteWrite() {
    if (unconfirmed.first == Unconfirmed::kNone) unconfirmed = {executed, 0, replies.size()};
  }

 private:
  Client* client_;
};

// How a waiting pipeline is ended from outside.
enum class Wakeup : std::uint8_t {
  kTimeout,  // as its own timeout: nil
  kError,    // CLIENT UNBLOCK … ERROR
  kGone,     // the client is gone: no reply
};

// What is on disk, for INFO.
struct Persistence {
  bool durable = false;  // there is a data folder
  std::string folder;
  std::string_view fsync;  // "always", "everysec", "off"
  bool loading = false;
  std::uint64_t loaded_bytes = 0;
  std::uint64_t loading_bytes = 0;
  std::int64_t loading_since_us = 0;
  std::string trouble;          // why writes are refused; empty if they are not
  bool takes_removals = false;  // although writes are refused
  std::optional<std::uint64_t> disk_free_bytes;
  std::uint64_t reserve_bytes = 0;
  std::uint64_t log_given_up_bytes = 0;  // that keep-log would have kept
  bool snapshot_runs = false;
  bool snapshot_failed = false;
  std::int64_t snapshot_at_us = 0;       // system clock
  std::int64_t snapshot_running_us = 0;  // so far
  std::int64_t snapshot_took_us = 0;     // the last one
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t snapshot_entries_done = 0;
  std::uint64_t snapshot_entries_estimate = 0;
  std::uint64_t log_bytes = 0;
  std::uint64_t log_segments = 0;
  std::uint64_t log_written_bytes = 0;
  std::uint64_t log_pending_bytes = 0;
  std::uint64_t records = 0;  // the last one's number
  std::uint64_t durable_records = 0;
  std::uint64_t records_since_snapshot = 0;
  std::uint64_t epoch = 0;
  std::uint64_t held_pipelines = 0;
  std::uint64_t syncs = 0;
  std::int64_t sync_last_us = 0;
  std::int64_t sync_mean_us = 0;
  std::int64_t sync_p99_us = 0;
  std::int64_t sync_longest_us = 0;
};

struct Figures {
  std::size_t boards_bytes = 0;
  std::uint64_t keys = 0;      // boards that exist for KEYS
  std::uint64_t expiring = 0;  // among them, with a time to live
  std::uint64_t boards = 0;    // declared and empty ones included
  std::uint64_t blocked = 0;
  std::uint64_t expired = 0;  // since the start
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::int64_t stamp_lead_us = 0;
  std::size_t used_bytes = 0;  // counted towards --max-memory
  Persistence persistence;
};

// What an engine needs from the server around it.
class ServerCallbacks {
 public:
  virtual ~ServerCallbacks() = default;
  // Requests that take at least so long are told by NoteTime.
  [[nodiscard]] std::int64_t slow_micros() const {
    return slow_micros_.load(std::memory_order_relaxed);
  }
  void set_slow_micros(std::int64_t micros) { slow_micros_ = micros; }
  // On the executing thread, inside the engine's lock: be quick.
  virtual void NoteTime(const Request& request, const Client& client, std::int64_t micros) = 0;
  // Memory beside the boards that counts towards --max-memory.
  [[nodiscard]] virtual std::size_t BufferBytes() const = 0;
  // For the administrative log. From any thread.
  enum class NoticeLevel : std::uint8_t { kInfo, kWarning, kError };
  virtual void Notice(NoticeLevel level, const std::string& text) = 0;

 private:
  std::atomic<std::int64_t> slow_micros_{10'000};
};

// What Load has found.
struct LoadReport {
  std::uint64_t boards = 0;
  std::uint64_t snapshot_entries = 0;
  std::uint64_t batches = 0;  // of the log
  std::int64_t micros = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> templates;  // patterns of all templates, configured and stored
};

// How many bytes of how many are loaded. Returns whether to go on.
using LoadProgress = std::function<bool(std::uint64_t done_bytes, std::uint64_t total_bytes)>;

class Engine {
 public:
  virtual ~Engine() = default;

  // Takes what holds the data, such as a folder, for this process alone. Quick. Once, before all
  // other calls.
  virtual Status Open() = 0;
  // Reads the data. Other threads may call Execute, Measure and Tick meanwhile; until it returns,
  // all requests are answered LOADING. `progress` may be null; it is called often, on this thread,
  // and when it returns false, loading ends with an error. Once.
  virtual Result<LoadReport> Load(const LoadProgress& progress) = 0;
  // Ends it. REQUIRES: no pipeline is under way, and none will be. Everything is on disk when it
  // returns, if that can be; `snapshot`: in a form that is quick to load.
  virtual void Close(bool snapshot) = 0;

  // Executes the requests of each pipeline in order, pipeline after pipeline; other threads'
  // pipelines may come in between, never inside an EXEC. Calls Done() once for each pipeline, now
  // or later.
  virtual void Execute(std::span<Pipeline* const> pipelines) = 0;

  // Ends the wait of a pipeline that Blocked() was called for, and completes it with Done() (but
  // not after kGone). False if it does not wait any more.
  virtual bool Cancel(Pipeline* pipeline, Wakeup wakeup) = 0;

  // The client is gone or starts anew: its watches are forgotten.
  virtual void Forget(Client* client) = 0;

  // Work that is due by time or left over: expiry, memory of dropped boards, request ids that are
  // over. Call it about ten times a second. True if there is more to do at once.
  virtual bool Tick() = 0;

  // Live readers (engine/live.h). NOBOARD if there is no such board, LIMIT, or LOADING. `reader` is
  // told of its first, whole update like of all others; it is not used after Unsubscribe returned,
  // nor once the engine is closed.
  virtual Result<LiveHandle> Subscribe(const LiveQuery& query, LiveReader* reader) = 0;
  // Not from OnReady.
  virtual void Unsubscribe(LiveHandle handle) = 0;
  // What is new since the last call; none if nothing is. From one thread at a time per handle.
  virtual std::optional<LiveUpdate> Take(LiveHandle handle) = 0;

  // Not inside LocalCommand::Run.
  [[nodiscard]] virtual Figures Measure() = 0;
  // When the last snapshot was taken, µs by the system's clock; 0: never.
  [[nodiscard]] virtual std::int64_t SavedAt() const = 0;
};

}  // namespace laurel::engine
