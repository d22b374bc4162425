// Engine: holds the boards. It is the only interface between the servers and the data.
//
// Life cycle: MakeEngine (make_engine.h), Open, Load, pipelines, Close.
//
// A server hands pipelines to the engine. A pipeline is the requests that one client sent in one
// go, in order, with room for their replies. The engine executes them and calls Done() when the
// replies may be sent: at once, when a write is durable, or when another client has written the
// entries that a blocking pop waits for. A client has one pipeline at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/access.h"
#include "engine/command_counters.h"
#include "engine/live.h"
#include "engine/persistence.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "wire/beside_words.h"
#include "wire/command_answer.h"
#include "wire/command_table.h"
#include "wire/reply.h"

namespace laurel::engine {

struct Figures;
struct Request;
struct Transaction;

// Returns the engine's figures, as Engine::Measure does.
using MeasureFunction = std::function<Figures(const Access&)>;

// A command that the server executes itself. Inside a transaction the engine calls it in order with
// the transaction's other requests.
class LocalCommand {
 public:
  virtual ~LocalCommand() = default;
  // Runs on the thread that called Execute, with the engine's lock held: must not call the engine.
  // `measure` returns the engine's figures.
  virtual void Run(const Request& request, const MeasureFunction& measure, wire::Reply* reply) = 0;
};

struct Request {
  const wire::CommandInfo* command = nullptr;  // null: `literal` is the reply
  wire::Protocol protocol = wire::Protocol::kResp2;
  std::span<const std::string_view> arguments{};  // arguments[0] is the command's name
  std::string_view literal{};
  const Transaction* transaction = nullptr;  // set on EXEC
  LocalCommand* local = nullptr;             // set if the server, not the engine, runs the command
  // Where the request is answered; null: in RESP, in the pipeline's replies. Owned by the server,
  // with what stands beside the words (null: nothing).
  wire::Answer* answer = nullptr;
  const wire::BesideWords* beside = nullptr;
  // If set, becomes the code of the error that a RESP client gets; empty if it gets none. Stays as
  // it is if the request is not executed.
  std::string* outcome = nullptr;

  // Writes to `out`, a pipeline's replies, or to `answer`.
  [[nodiscard]] wire::Reply ReplyTo(std::string* out) const {
    return {out, protocol, answer, outcome};
  }
  // Whether the command has the flag; for EXEC, whether any command of the transaction has it.
  [[nodiscard]] bool Has(wire::CommandFlag flag) const;
};

// The requests that EXEC runs.
struct Transaction {
  std::string_view abort{};  // if not empty, the error reply: a queued request was refused
  std::span<const Request> requests{};
  // The requests are LB.MSUBMITs on different boards, with the same id or none, and are executed
  // all or nothing.
  bool is_one_write = false;
};

inline bool Request::Has(wire::CommandFlag flag) const {
  if (transaction == nullptr) return command != nullptr && command->Has(flag);
  return std::any_of(transaction->requests.begin(), transaction->requests.end(),
                     [flag](const Request& queued) { return queued.Has(flag); });
}

// The engine's view of a connection. Owned by the server.
struct Client {
  // Set by the server, never while a pipeline of the client is being executed.
  Access access;        // the boards that the client may use and see
  std::string address;  // for the slow log
  std::string name;     // for the slow log

  // Used by the engine only.

  std::vector<std::string> watched;
  // Watched instance names that are not the instance's full name, such as "lb@day", each with the
  // full name of the instance that it meant when WATCH was executed.
  std::vector<std::pair<std::string, std::string>> watched_instances;
  bool watch_broken = false;  // a watched name has changed since WATCH
};

// When the replies of a pipeline exceed this, its execution stops until the client has read them.
inline constexpr std::size_t kPauseReplyBytes = std::size_t{1} << 20;

class Pipeline {
 public:
  explicit Pipeline(Client* client) : client_(client) {}
  virtual ~Pipeline() = default;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Called once per Execute, on any thread, when `replies` may be sent. If the replies have become
  // large, only the first `executed` requests have been executed; the server calls Execute again
  // for the rest once the client has read the replies.
  virtual void Done() = 0;
  // Called on the executing thread, before Execute returns, if the last request blocks. The server
  // must call Engine::Cancel at the deadline, given in milliseconds of the engine's clock; 0: there
  // is no deadline.
  virtual void Blocked(std::int64_t deadline_ms) = 0;

  [[nodiscard]] Client* client() const { return client_; }

  // The arguments are valid until Execute returns; the engine copies what it needs later.
  std::vector<Request> requests;
  std::size_t executed = 0;  // how many requests are executed; Execute continues from here
  std::string replies;

  // Set by the engine: the requests whose effects may not be on disk yet. These are all requests of
  // this Execute from the first write on.
  struct Unconfirmed {
    static constexpr std::size_t kNone = SIZE_MAX;
    std::size_t first = kNone;  // index in `requests`
    std::size_t count = 0;
    std::size_t reply_at = 0;  // offset in `replies` of the reply to `first`
  };
  Unconfirmed unconfirmed;
  // Set by the engine before Done() if the disk has failed: the outcome of the unconfirmed requests
  // is unknown. The text gives the reason, as the client may see it. Empty otherwise. `replies`
  // still holds the ordinary replies; the server replaces them (ReplaceUnknownReplies).
  std::string unknown;

  // Called by the engine before it appends the reply of a request that writes, or whose reply must
  // wait for the disk as a write's does.
  void NoteWrite() {
    if (unconfirmed.first == Unconfirmed::kNone) unconfirmed = {executed, 0, replies.size()};
  }

 private:
  Client* client_;
};

// If Pipeline::unknown is set, replaces the reply of each unconfirmed request by an UNKNOWN error
// and clears Pipeline::unknown. Call it once, after the engine called Done and before the replies
// are sent.
inline void ReplaceUnknownReplies(Pipeline* pipeline) {
  if (pipeline->unknown.empty()) return;
  pipeline->replies.resize(pipeline->unconfirmed.reply_at);
  wire::Reply reply(&pipeline->replies, wire::Protocol::kResp2);  // errors are the same in RESP3
  const Error unknown{ErrorCode::kUnknown, pipeline->unknown};
  for (std::size_t i = 0; i < pipeline->unconfirmed.count; ++i) reply.Error(unknown);
  pipeline->unknown.clear();
}

// Why the server ends the wait of a blocked pipeline.
enum class Wakeup : std::uint8_t {
  kTimeout,  // its deadline has passed: the reply is nil, or of LB.CHANGES a page
  kError,    // CLIENT UNBLOCK … ERROR
  kGone,     // the client has disconnected: there is no reply
};

struct Figures {
  std::size_t boards_bytes = 0;
  // The boards that the client may access. None if it may not access all, and there are more than
  // kMaxCountedBoards: they are counted one by one.
  struct Boards {
    std::uint64_t existing = 0;  // with visible entries, as KEYS shows them
    std::uint64_t expiring = 0;  // with a time to live
    std::uint64_t all = 0;       // with those that are empty
  };
  std::optional<Boards> boards = Boards{};
  std::uint64_t entries = 0;          // visible entries of all boards and instances
  std::uint64_t request_ids = 0;      // remembered by all leaderboards
  std::uint64_t changes_waiting = 0;  // pipelines that wait in LB.CHANGES
  std::uint64_t live_readers = 0;
  std::uint64_t blocked = 0;  // pipelines that wait in a blocking pop or LB.CHANGES
  std::uint64_t expired = 0;  // since the start
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::int64_t stamp_lead_us = 0;
  std::size_t used_bytes = 0;  // counted towards --max-memory
  Persistence persistence;
};

// An engine calls these functions of the server around it.
class ServerCallbacks {
 public:
  virtual ~ServerCallbacks() = default;
  // The engine reports requests that take at least this long to NoteTime.
  [[nodiscard]] std::int64_t slow_micros() const {
    return slow_micros_.load(std::memory_order_relaxed);
  }
  void set_slow_micros(std::int64_t micros) { slow_micros_ = micros; }
  // The engine counts here the requests that it executes or refuses, except those with
  // Request::local, which the server counts when it runs them.
  [[nodiscard]] CommandCounters& commands() { return commands_; }
  [[nodiscard]] const CommandCounters& commands() const { return commands_; }
  // Called on the executing thread with the engine's lock held: return quickly.
  virtual void NoteTime(const Request& request, const Client& client, std::int64_t micros) = 0;
  // Bytes of the server's buffers, which count towards --max-memory as the boards do.
  [[nodiscard]] virtual std::size_t BufferBytes() const = 0;
  // Writes a line to the administrative log. Called from any thread.
  enum class NoticeLevel : std::uint8_t { kInfo, kWarning, kError };
  virtual void Notice(NoticeLevel level, const std::string& text) = 0;

 private:
  std::atomic<std::int64_t> slow_micros_{10'000};
  CommandCounters commands_;
};

// Load returns how much it has read.
struct LoadReport {
  std::uint64_t boards = 0;
  std::uint64_t snapshot_entries = 0;
  std::uint64_t batches = 0;  // log batches
  std::int64_t micros = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> templates;  // patterns of all templates, configured and stored
};

// Called with the progress of a load. Returns whether to continue.
using LoadProgress = std::function<bool(std::uint64_t done_bytes, std::uint64_t total_bytes)>;

class Engine {
 public:
  virtual ~Engine() = default;

  // Locks the storage, such as a data folder, for this process alone. Returns quickly. Call it
  // once, before all other functions.
  virtual Status Open() = 0;
  // Reads the data. Call it once. Other threads may call Execute, Measure and Tick meanwhile; until
  // Load returns, requests are answered LOADING. `progress` may be null. It is called often, on
  // this thread; if it returns false, Load ends with an error.
  virtual Result<LoadReport> Load(const LoadProgress& progress) = 0;
  // Stops the engine. REQUIRES: no pipeline is being executed or waits, and none will come. When it
  // returns, everything is on disk, unless the disk fails. `snapshot`: also write a snapshot, from
  // which the next start is quick.
  virtual void Close(bool snapshot) = 0;

  // Executes the requests of each pipeline in order, one pipeline after the other. Pipelines of
  // other threads may be executed in between, but never inside an EXEC. Calls Done() once for each
  // pipeline, before it returns or later.
  virtual void Execute(std::span<Pipeline* const> pipelines) = 0;

  // Ends the wait of a pipeline that Blocked() was called for. Its Done() is called soon, possibly
  // after this returns, but not if `wakeup` is kGone. kTimeout ends the wait for something new, not
  // the reading of what is there. Returns false if the pipeline no longer waits.
  virtual bool Cancel(Pipeline* pipeline, Wakeup wakeup) = 0;

  // Drops the client's watches and its backup. Called when the client has disconnected or resets
  // its connection.
  virtual void Forget(Client* client) = 0;

  // Does a slice of background work: expires boards, closes instances, forgets old request ids, and
  // frees the memory of dropped boards. Call it about ten times a second. Returns true if there is
  // more to do at once.
  virtual bool Tick() = 0;

  // Adds a live reader (engine/live.h). Returns NOBOARD, NOPERM, LIMIT or LOADING on refusal. The
  // engine calls reader->OnReady() for the first, whole update as for all later ones. It does not
  // use `reader` after Unsubscribe has returned or the engine is closed.
  virtual Result<LiveHandle> Subscribe(const LiveQuery& query, LiveReader* reader) = 0;
  // Must not be called from OnReady.
  virtual void Unsubscribe(LiveHandle handle) = 0;
  // Returns what changed since the last call, or none. Call it from one thread at a time per
  // handle.
  virtual std::optional<LiveUpdate> Take(LiveHandle handle) = 0;

  // Figures as a client with this access sees them. Must not be called from LocalCommand::Run.
  [[nodiscard]] virtual Figures Measure(const Access& access) = 0;
  [[nodiscard]] Figures Measure() { return Measure(Access()); }
  // When the last snapshot was taken, in µs of the system clock; 0: never.
  [[nodiscard]] virtual std::int64_t SavedAt() const = 0;
};

}  // namespace laurel::engine
