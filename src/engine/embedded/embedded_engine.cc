#include "engine/embedded/embedded_engine.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "engine/commands/context.h"
#include "engine/embedded/hold.h"
#include "engine/limits.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kExpiredPerTick = 1000;
constexpr std::size_t kReclaimedPerTick = 16384;
// The server may execute a slow command inside an EXEC, such as INFO. It counts as this many steps.
constexpr std::uint64_t kStepsOfServerCommand = 128;
// A batch that has become larger than this is appended to the log before the hold ends.
constexpr std::size_t kMaxBatchBytes = std::size_t{64} << 10;
// While more log bytes than this are not written yet, Execute blocks.
constexpr std::size_t kMaxUnwrittenBytes = std::size_t{64} << 20;

Error OutOfMemory() {
  return {ErrorCode::kOom, "command not allowed when used memory > 'maxmemory'."};
}

// A text that no other run of an engine has.
std::string TextOfRun(std::uint64_t random) {
  return base::Hex(std::as_bytes(std::span(&random, 1))).substr(0, 12);
}

}  // namespace

EmbeddedEngine::EmbeddedEngine(const EmbeddedOptions& options, ServerCallbacks* callbacks)
    : options_(options),
      callbacks_(callbacks),
      system_clock_(options.clock == nullptr
                        ? std::make_unique<base::SystemClock>(options.clock_offset_us)
                        : nullptr),
      clock_(options.clock == nullptr ? system_clock_.get() : options.clock),
      memory_(base::SystemMemory()),
      keys_(&memory_, options.hash_seed != 0 ? options.hash_seed : base::SystemEntropy(),
            options.shape),
      waiting_(&keys_.watches()),
      random_(options.hash_seed != 0 ? options.hash_seed : base::SystemEntropy()),
      run_(TextOfRun(base::SystemEntropy())),
      runs_(&keys_, &stamps_, options.max_reply_bytes, run_, &callbacks->commands()),
      live_(this, options.live_interval_us) {
  RegisterSortedSetWrites(&handlers_);
  RegisterSortedSetReads(&handlers_);
  RegisterSortedSetRanges(&handlers_);
  RegisterSortedSetPops(&handlers_);
  RegisterSortedSetAlgebra(&handlers_);
  RegisterKeys(&handlers_);
  RegisterExpiry(&handlers_);
  RegisterLeaderboardDeclarations(&handlers_);
  RegisterLeaderboardCommands(&handlers_);
  RegisterLoads(&handlers_);
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    const bool has_handler = handlers_[static_cast<std::size_t>(command.id)] != nullptr;
    const bool is_own = EngineCommandOf(command.id) != nullptr;
    LAUREL_ASSERT(!has_handler || !is_own);
    LAUREL_ASSERT((has_handler || is_own) == command.IsForEngine());
  }
  for (const Template& declared : options.templates) keys_.SetTemplate(declared);
  folder_ = options.folder;
  loading_ = folder_ != nullptr || !options.data.empty();
}

EmbeddedEngine::~EmbeddedEngine() { Close(false); }

void EmbeddedEngine::Execute(std::span<Pipeline* const> pipelines) {
  if (loading_.load(std::memory_order_acquire)) return ExecuteLoading(pipelines);
  if (has_log()) log_->AwaitRoom(kMaxUnwrittenBytes);
  std::vector<Item> items;
  for (Pipeline* pipeline : pipelines) {
    pipeline->unconfirmed = {};
    for (std::size_t i = pipeline->executed; i < pipeline->requests.size(); ++i) {
      items.push_back({pipeline, &pipeline->requests[i]});
    }
  }
  Hold hold(this);
  for (std::size_t at = 0; at < items.size();) {
    const std::size_t start = at;
    bool waits = false;
    at += ExecuteNext(std::span(items).subspan(at), &hold, &waits);
    for (std::size_t i = start; i < at; ++i) {
      Pipeline* pipeline = items[i].pipeline;
      ++pipeline->executed;
      if (pipeline->unconfirmed.first != Pipeline::Unconfirmed::kNone)
        ++pipeline->unconfirmed.count;
    }
    for (std::size_t i = start; i < at && !waits; ++i) {
      Pipeline* pipeline = items[i].pipeline;
      if (i + 1 < items.size() && items[i + 1].pipeline == pipeline) continue;
      DoneOrPark(pipeline);
    }
    // If the replies of the current pipeline are large, it stops here until its client has read
    // them.
    Pipeline* current = items[at - 1].pipeline;
    if (at < items.size() && items[at].pipeline == current &&
        current->replies.size() > kPauseReplyBytes) {
      while (at < items.size() && items[at].pipeline == current) ++at;
      DoneOrPark(current);
    }
    if (keys_.journal().size() > kMaxBatchBytes) Seal();
    if (at < items.size()) hold.YieldIfDue();
  }
}

std::size_t EmbeddedEngine::ExecuteNext(std::span<const Item> items, Hold* hold, bool* waits) {
  if (!IsOverMemory() && CanWrite() && !keys_.frozen()) {
    if (const std::size_t length = runs_.Execute(items, now_); length > 0) {
      const std::int64_t micros = hold->Lap(length);
      CountRun(items.first(length), micros);
      NoteTimes(items.first(length), micros);
      return length;
    }
  }
  const Request& request = *items[0].request;
  wire::Reply reply = request.ReplyTo(&items[0].pipeline->replies);
  const Handled handled = ExecuteOne(items[0].pipeline, request, false, reply);
  *waits = handled == Handled::kWaits;
  const std::int64_t micros = hold->Lap(1);
  Count(request, reply, handled, micros);
  NoteTimes(items.first(1), micros);
  return 1;
}

void EmbeddedEngine::Count(const Request& request, const wire::Reply& reply, Handled handled,
                           std::int64_t micros) {
  if (handled == Handled::kElsewhere) return;
  const wire::CommandId id = request.command->id;
  CommandCounters& counters = callbacks_->commands();
  // Another thread may already write the reply to a request that waits.
  if (handled == Handled::kWaits) return counters.NoteExecuted(id, 1, 0, micros);
  const std::string_view code = reply.error_code();
  const bool failed = !code.empty();
  if (failed) counters.NoteError(code);
  if (handled == Handled::kRejected) return counters.NoteRejected(id);
  counters.NoteExecuted(id, failed ? 0 : 1, failed ? 1 : 0, micros);
}

void EmbeddedEngine::CountRun(std::span<const Item> run, std::int64_t micros) {
  // Usually all requests of a run are of one command, and all time is theirs.
  std::int64_t left_us = micros;
  for (std::size_t begin = 0; begin < run.size();) {
    const wire::CommandInfo* command = run[begin].request->command;
    std::size_t end = begin + 1;
    while (end < run.size() && run[end].request->command == command) ++end;
    std::uint64_t failed = 0;
    for (std::size_t i = begin; runs_.failed() != 0 && i < end; ++i) {
      failed += runs_.failed() >> i & 1;
    }
    const std::size_t count = end - begin;
    const std::int64_t share_us = end == run.size() ? left_us
                                                    : micros * static_cast<std::int64_t>(count) /
                                                          static_cast<std::int64_t>(run.size());
    callbacks_->commands().NoteExecuted(command->id, count - failed, failed, share_us);
    left_us -= share_us;
    begin = end;
  }
}

void EmbeddedEngine::NoteTimes(std::span<const Item> items, std::int64_t micros) {
  if (micros < callbacks_->slow_micros()) return;
  const std::int64_t each = micros / static_cast<std::int64_t>(items.size());
  for (const Item& item : items) {
    callbacks_->NoteTime(*item.request, *item.pipeline->client(), each);
  }
}

EmbeddedEngine::Handled EmbeddedEngine::ExecuteOne(Pipeline* pipeline, const Request& request,
                                                   bool in_transaction, wire::Reply& reply) {
  if (request.command == nullptr) {
    reply.Raw(request.literal);
    return Handled::kElsewhere;
  }
  if (const std::optional<Error> refusal = RefusalOf(*pipeline->client(), request)) {
    reply.Error(*refusal);
    return Handled::kRejected;
  }
  if (request.local != nullptr) {
    // Such a command looks at tables of the server, whatever it shows of them.
    if (!request.command->Has(wire::kFast)) keys_.NoteSteps(kStepsOfServerCommand);
    request.local->Run(
        request,
        [this](const Access& access) LAUREL_REQUIRES(lock_) {
          static_cast<void>(work_.TakeReturned(keys_.BoardsToCount(access)));
          return MeasureLocked(access);
        },
        &reply);
    return Handled::kElsewhere;
  }
  if (RefusesForMemory(request)) {
    reply.Error(OutOfMemory());
    return Handled::kRejected;
  }
  if (!in_transaction) {
    work_ = request.transaction == nullptr
                ? Work(options_.max_work)
                : Work(options_.max_work, options_.max_exec_entries, Writes(request));
    if (Writes(request) && !AdmitWrite(pipeline, request, reply)) return Handled::kRejected;
  }
  if (Dispatch(pipeline, request, in_transaction, reply)) return Handled::kWaits;
  if (!in_transaction) ServeWaiting();
  return Handled::kExecuted;
}

bool EmbeddedEngine::AbortsLoad(const Request& request) {
  return request.command->id == wire::CommandId::kLbLoad && IsWord(request.arguments[2], "ABORT");
}

bool EmbeddedEngine::RefusesForMemory(const Request& request) const {
  if (!request.command->Has(wire::kDenyOom) || !IsOverMemory()) return false;
  const bool ends_load = AbortsLoad(request) || (request.command->id == wire::CommandId::kLbLoad &&
                                                 IsWord(request.arguments[2], "COMMIT"));
  return !ends_load;
}

bool EmbeddedEngine::AdmitWrite(Pipeline* pipeline, const Request& request, wire::Reply& reply) {
  if (!RefusesForDisk(request)) {
    pipeline->NoteWrite();
    return true;
  }
  const Error error = DiskError(*pipeline->client());
  if (request.command->id == wire::CommandId::kExec && request.answer == nullptr) {
    keys_.watches().Unwatch(pipeline->client());
    reply.Error("EXECABORT Transaction discarded because of: " + error.ToString());
  } else {
    reply.Error(error);
  }
  return false;
}

bool EmbeddedEngine::Dispatch(Pipeline* pipeline, const Request& request, bool in_transaction,
                              wire::Reply& reply) {
  const wire::CommandInfo& command = *request.command;
  const Handler handler = handlers_[static_cast<std::size_t>(command.id)];
  if (handler == nullptr) {
    const EngineCommand own = EngineCommandOf(command.id);
    LAUREL_ASSERT(own != nullptr);
    return (this->*own)(pipeline, request, reply);
  }
  const std::size_t start = reply.size();
  const std::size_t waiting = waiting_.size();
  Context context = ContextOf(pipeline, request, in_transaction, reply);
  handler(context);
  if (waiting_.size() > waiting) return true;
  if (command.Has(wire::kReadOnly)) WithinReplyLimit(context, start);
  return false;
}

Context EmbeddedEngine::ContextOf(Pipeline* pipeline, const Request& request, bool in_transaction,
                                  wire::Reply& reply) {
  return {keys_,
          waiting_,
          stamps_,
          random_,
          *pipeline->client(),
          in_transaction ? nullptr : pipeline,
          now_,
          PublishableRecord(),
          WaitsForDisk(),
          options_.max_reply_bytes,
          work_,
          *request.command,
          request.arguments,
          request.beside,
          run_,
          reply};
}

EmbeddedEngine::EngineCommand EmbeddedEngine::EngineCommandOf(wire::CommandId id) {
  switch (id) {
    case wire::CommandId::kExec:
      return &EmbeddedEngine::ExecuteTransaction;
    case wire::CommandId::kWatch:
      return &EmbeddedEngine::Watch;
    case wire::CommandId::kUnwatch:
    case wire::CommandId::kDiscard:
      return &EmbeddedEngine::Unwatch;
    case wire::CommandId::kSave:
      return &EmbeddedEngine::Save;
    case wire::CommandId::kBgSave:
    case wire::CommandId::kBgRewriteAof:
      return &EmbeddedEngine::BackgroundSave;
    case wire::CommandId::kLbBackupStart:
    case wire::CommandId::kLbBackupRead:
    case wire::CommandId::kLbBackupEnd:
      return &EmbeddedEngine::Backup;
    case wire::CommandId::kLbChanges:
      return &EmbeddedEngine::Changes;
    default:
      return nullptr;
  }
}

std::optional<Error> EmbeddedEngine::RefusalOf(const Client& client, const Request& request) const {
  // EXEC itself has no arguments. Each request of its transaction is checked when it is executed.
  return client.access.RefusalOf(
      *request.command, request.arguments,
      [keys = &keys_](std::string_view name) { return keys->OwnerOf(name); });
}

bool EmbeddedEngine::Watch(Pipeline* pipeline, const Request& request, wire::Reply& reply) {
  const auto names = request.arguments.subspan(1);
  const Client& client = *pipeline->client();
  if (client.watched.size() + names.size() > kMaxWatchedNames) {
    reply.Error("LIMIT a client watches at most " + std::to_string(kMaxWatchedNames) + " names");
    return false;
  }
  const auto is_instance = [keys = &keys_](std::string_view name) {
    return keys->OwnerOf(name) != name;
  };
  const auto instances = std::count_if(names.begin(), names.end(), is_instance) +
                         std::count_if(client.watched.begin(), client.watched.end(), is_instance);
  if (static_cast<std::size_t>(instances) > kMaxWatchedInstances) {
    reply.Error("LIMIT a client watches at most " + std::to_string(kMaxWatchedInstances) +
                " instances of boards with periods");
    return false;
  }
  for (const std::string_view name : names) keys_.Watch(name, pipeline->client());
  reply.Ok();
  return false;
}

bool EmbeddedEngine::Unwatch(Pipeline* pipeline, const Request& /*request*/, wire::Reply& reply) {
  keys_.watches().Unwatch(pipeline->client());
  reply.Ok();
  return false;
}

bool EmbeddedEngine::Reads(const Client& client, const Request& request) {
  if (request.command == nullptr) return false;
  // With a role below admin, LB.CREATE only compares.
  const bool compares = request.command->id == wire::CommandId::kLbCreate &&
                        client.access.role() < wire::Role::kAdmin;
  return compares || !request.command->Has(wire::kWrite);
}

bool EmbeddedEngine::ExecuteTransaction(Pipeline* pipeline, const Request& request,
                                        wire::Reply& reply) {
  Client* client = pipeline->client();
  const bool broken = keys_.IsWatchBroken(client);
  keys_.watches().Unwatch(client);
  if (!request.transaction->abort.empty()) {
    reply.Error(request.transaction->abort);
    return false;
  }
  if (broken) {
    reply.NullArray();
    return false;
  }
  if (request.transaction->is_one_write) {
    ExecuteOneWrite(pipeline, request, reply);
    return false;
  }
  const std::size_t start = reply.size();
  CommandCounters& counters = callbacks_->commands();
  std::uint64_t refused = 0;
  if (request.answer == nullptr) reply.Array(request.transaction->requests.size());
  for (const Request& queued : request.transaction->requests) {
    wire::Reply part = queued.ReplyTo(&pipeline->replies);
    const bool reads = Reads(*client, queued);
    if (reads) {
      if (const Status begun = work_.BeginRead(); !begun.ok()) {
        part.Error(begun.error());
        counters.NoteRejected(queued.command->id);
        ++refused;
        continue;
      }
    }
    const std::size_t before = part.size();
    static_cast<void>(keys_.TakeSteps());
    const Item item{pipeline, &queued};
    const std::int64_t started = base::MonotonicMicros();
    const Handled handled = ExecuteOne(pipeline, queued, true, part);
    const std::int64_t micros = base::MonotonicMicros() - started;
    Count(queued, part, handled, micros);
    NoteTimes({&item, 1}, micros);
    if (reads) work_.EndRead(part.size() - before, keys_.TakeSteps());
    if (part.size() - start <= options_.max_reply_bytes) continue;
    // The command was executed, as every command of a transaction is, but its reply has no room.
    part.Cut(before);
    part.Error({ErrorCode::kLimit,
                "the replies of the transaction exceed max-reply; the command was executed"});
    ++refused;
    work_.EndReads();
  }
  counters.NoteError("LIMIT", refused);
  return false;
}

void EmbeddedEngine::ExecuteOneWrite(Pipeline* pipeline, const Request& request,
                                     wire::Reply& reply) {
  const std::span<const Request> parts = request.transaction->requests;
  CommandCounters& counters = callbacks_->commands();
  const auto reject = [&](const Error& error) {
    for (const Request& part : parts) counters.NoteRejected(part.command->id);
    reply.Error(error);
  };
  for (const Request& part : parts) {
    if (const std::optional<Error> refusal = RefusalOf(*pipeline->client(), part)) {
      return reject(*refusal);
    }
    if (RefusesForMemory(part)) return reject(OutOfMemory());
  }
  const std::int64_t started = base::MonotonicMicros();
  SubmitToAll(ContextOf(pipeline, request, /*in_transaction=*/false, reply), parts);
  const bool failed = !reply.error_code().empty();
  counters.NoteExecuted(wire::CommandId::kLbMSubmit, failed ? 0 : parts.size(),
                        failed ? parts.size() : 0, base::MonotonicMicros() - started);
}

void EmbeddedEngine::ServeWaiting() {
  if (!keys_.watches().any_awaited()) return;
  for (const std::string& name : keys_.watches().TakeReady()) {
    // The name may mean another board than when the wait began.
    const bool is_instance = keys_.OwnerOf(name) != name;
    const auto may_serve = [&, keys = &keys_](const Waiting::Waiter& waiter) {
      const std::vector<std::string>& instances = waiter.request.instances;
      const bool awaits_instance =
          std::find(instances.begin(), instances.end(), name) != instances.end();
      return (is_instance || !awaits_instance) && keys->MayTouch(*waiter.pipeline->client(), name);
    };
    while (const Waiting::Waiter* first = waiting_.FirstFor(name, may_serve)) {
      const Keyspace::View view = keys_.ViewOf(name);
      // The bare name of a board with periods serves no pop: pops wait for its instances by name.
      if (!view.exists() || (view.span && !view.instance)) break;
      Waiting::Waiter waiter;
      waiting_.Remove(first->pipeline, &waiter);
      waiter.pipeline->NoteWrite();
      wire::Reply reply(&waiter.pipeline->replies, waiter.protocol);
      PopForReply(&keys_, view, name, waiter.request, options_.max_reply_bytes, &reply);
      DoneOrPark(waiter.pipeline);
    }
  }
}

bool EmbeddedEngine::Cancel(Pipeline* pipeline, Wakeup wakeup) {
  if (loading_) return false;  // no request waits yet, and the boards belong to Load
  if (feed_ && feed_->Cancel(pipeline, wakeup)) return true;
  Hold hold(this);
  Waiting::Waiter waiter;
  if (!waiting_.Remove(pipeline, &waiter)) return false;
  wire::Reply reply(&pipeline->replies, waiter.protocol, nullptr, waiter.outcome);
  if (wakeup == Wakeup::kTimeout) reply.NullArray();
  if (wakeup == Wakeup::kError) {
    reply.Error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
    callbacks_->commands().NoteError("UNBLOCKED");
  }
  pipeline->unconfirmed = {};  // the pop has written nothing
  if (wakeup != Wakeup::kGone) DoneOrPark(pipeline);
  return true;
}

void EmbeddedEngine::Forget(Client* client) {
  if (loading_) return;  // the client watches nothing yet, and the boards belong to Load
  Hold hold(this);
  keys_.watches().Unwatch(client);
  if (backups_) backups_->Forget(client);
}

bool EmbeddedEngine::Tick() {
  if (loading_) return false;
  std::optional<LeadWatch::Line> line;
  bool more = false;
  {
    Hold hold(this);
    const bool more_to_expire = keys_.RunDueWork(kExpiredPerTick);
    more = keys_.Reclaim(kReclaimedPerTick) || more_to_expire;
    line = lead_watch_.Check(stamps_.Lead(now_), base::MonotonicMicros());
  }
  // Without the lock: the log may be on a disk that hangs.
  if (line) {
    callbacks_->Notice(
        line->warns ? ServerCallbacks::NoticeLevel::kWarning : ServerCallbacks::NoticeLevel::kInfo,
        line->text);
  }
  return more;
}

Result<LiveHandle> EmbeddedEngine::Subscribe(const LiveQuery& query, LiveReader* reader) {
  if (loading_.load(std::memory_order_acquire)) {
    return Error{ErrorCode::kLoading, "Laurel is loading the dataset in memory"};
  }
  return live_.Subscribe(query, reader);
}

Figures EmbeddedEngine::Measure(const Access& access) {
  if (loading_.load(std::memory_order_acquire)) {  // only Load may read the boards
    Figures figures;
    figures.persistence = MeasurePersistence();
    return figures;
  }
  Hold hold(this);
  return MeasureLocked(access);
}

// While loading, only Load may access the boards.
void EmbeddedEngine::ExecuteLoading(std::span<Pipeline* const> pipelines) {
  for (Pipeline* pipeline : pipelines) {
    pipeline->unconfirmed = {};
    for (; pipeline->executed < pipeline->requests.size(); ++pipeline->executed) {
      const Request& request = pipeline->requests[pipeline->executed];
      wire::Reply reply = request.ReplyTo(&pipeline->replies);
      if (request.command == nullptr) {
        reply.Raw(request.literal);
      } else {
        reply.Error({ErrorCode::kLoading, "Laurel is loading the dataset in memory"});
        callbacks_->commands().NoteRejected(request.command->id);
        callbacks_->commands().NoteError("LOADING");
      }
    }
    pipeline->Done();
  }
}

Figures EmbeddedEngine::MeasureLocked(const Access& access) const {
  Figures figures;
  figures.persistence = MeasurePersistence();
  figures.boards_bytes = memory_.bytes_in_use();
  figures.used_bytes = UsedBytes();
  figures.boards = keys_.CountBoards(access);
  figures.entries = keys_.totals().entries;
  figures.request_ids = keys_.totals().request_ids;
  figures.changes_waiting = feed_ ? feed_->waiting() : 0;
  figures.live_readers = live_.readers();
  figures.blocked = waiting_.size() + figures.changes_waiting;
  figures.expired = keys_.expired();
  figures.hits = keys_.hits();
  figures.misses = keys_.misses();
  figures.stamp_lead_us = stamps_.Lead(now_);
  return figures;
}

std::size_t EmbeddedEngine::UsedBytes() const {
  return memory_.bytes_in_use() + callbacks_->BufferBytes();
}

bool EmbeddedEngine::IsOverMemory() const {
  return options_.max_memory_bytes != 0 && UsedBytes() > options_.max_memory_bytes;
}

}  // namespace laurel::engine
