#include "server/resp/session.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "engine/engine.h"
#include "laurel/stamp_clock.h"
#include "server/access/permission.h"

namespace laurel::server {
namespace {

constexpr std::size_t kMostPipelineRequests = 1024;
constexpr std::size_t kKeptArguments = 4096;  // larger vectors are shrunk

// Quotes an argument for MONITOR as redis-cli prints it.
std::string Quoted(std::string_view argument) {
  constexpr std::string_view kNamed = "\n\r\t\a\b\"\\";
  constexpr std::string_view kNames = "nrtab\"\\";
  std::string text = "\"";
  for (const char c : argument) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t named = kNamed.find(c); named != std::string_view::npos) {
      text += '\\';
      text += kNames[named];
    } else if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += "\\x" + base::Hex(std::as_bytes(std::span(&c, 1)));
    }
  }
  return text + '"';
}

// Whether argument `i` of AUTH or HELLO is a secret or the name that goes with it.
bool IsSecret(wire::CommandId id, std::span<const std::string_view> arguments, std::size_t i) {
  if (id == wire::CommandId::kAuth) return i > 0;
  if (id != wire::CommandId::kHello) return false;
  return (i >= 1 && base::IsWord(arguments[i - 1], "AUTH")) ||
         (i >= 2 && base::IsWord(arguments[i - 2], "AUTH"));
}

// Whether the command may wait for something other than its own write to become durable. It is then
// the last request of its pipeline.
bool EndsPipeline(const wire::CommandInfo& command) {
  return command.Has(wire::kBlocking) || command.id == wire::CommandId::kSave ||
         command.id == wire::CommandId::kLbBackupStart ||
         command.id == wire::CommandId::kLbBackupRead;
}

// Whether the command acts on a client as a whole. It must run after all earlier requests of the
// client. In a transaction it would change how the rest runs or replies, so it is refused there.
bool ActsOnClient(const wire::CommandInfo& command) {
  switch (command.id) {
    case wire::CommandId::kReset:
    case wire::CommandId::kAuth:
    case wire::CommandId::kHello:
    case wire::CommandId::kMonitor:
    case wire::CommandId::kClientReply:
    case wire::CommandId::kClientUnblock:
      return true;
    default:
      return false;
  }
}

// Whether the command must be the first of its pipeline. Earlier replies must not wait for a pop
// that blocks. INFO is answered immediately and must show the effects of the requests before it.
bool StartsPipeline(const wire::CommandInfo& command) {
  return ActsOnClient(command) || EndsPipeline(command) || command.id == wire::CommandId::kInfo;
}

bool IsRefusedInTransaction(const wire::CommandInfo& command) {
  return command.Has(wire::kNoMulti) || ActsOnClient(command) ||
         (EndsPipeline(command) && !command.Has(wire::kBlocking));
}

}  // namespace

Session::Session(RespService* service, Connection* connection)
    : service_(service), connection_(connection), needed_no_token_(service->tokens.empty()) {
  if (service->audit_log.is_open()) audit_ = std::make_unique<PipelineAudit>(&service->audit_log);
}

// Pipelines ------------------------------------------------------------------------------------

Conversation::Taken Session::Take(std::string_view input) {
  using Outcome = wire::RespParser::Outcome;
  spans_.clear();
  arguments_.clear();
  if (audit_) audit_->Begin();
  Taken taken;
  bool goes_on = true;
  std::size_t requests = 0;
  while (goes_on && requests < kMostPipelineRequests &&
         connection_->replies.size() + literal_bytes_ <= engine::kPauseReplyBytes) {
    wire::RespParser::Limits limits;
    limits.request_bytes = service_->config.max_request;
    limits.authenticated = !NeedsAuth();
    const std::size_t first = arguments_.size();
    std::size_t consumed = 0;
    const Outcome outcome = parser_.Next(input.substr(taken.bytes), limits, &arguments_, &consumed);
    if (outcome == Outcome::kIncomplete) break;
    if (outcome != Outcome::kRequest) {
      RefuseInput(outcome);
      taken.has_pipeline = true;
      break;
    }
    taken.bytes += consumed;
    if (arguments_.size() == first) continue;  // an empty request
    ++uncounted_;
    const Next next = TakeParsed(first);
    if (next == Next::kNeedsOwnPipeline) {  // the request starts the next pipeline
      taken.bytes -= consumed;
      --uncounted_;
      break;
    }
    ++requests;
    goes_on = next == Next::kGoOn;
  }
  // arguments_ grows no more, so spans of it stay valid.
  for (const Span& span : spans_) {
    connection_->requests[span.request].arguments = {&arguments_[span.first], span.count};
  }
  CountCommands();
  held_bytes_ = queued_bytes_ + literal_bytes_;
  taken.has_pipeline = taken.has_pipeline || requests > 0;
  return taken;
}

Session::Next Session::TakeParsed(std::size_t first_argument) {
  const std::vector<engine::Request>& requests = connection_->requests;
  const std::size_t count = arguments_.size() - first_argument;
  const std::size_t before = requests.size();
  const Next next = TakeRequest({&arguments_[first_argument], count});
  if (next == Next::kNeedsOwnPipeline) {
    arguments_.resize(first_argument);
    return next;
  }
  if (requests.size() > before && requests.back().command != nullptr &&
      requests.back().transaction == nullptr) {
    spans_.push_back({requests.size() - 1, first_argument, count});
  }
  if (next == Next::kClose) connection_->CloseAfterPipeline();
  return next;
}

void Session::RefuseInput(wire::RespParser::Outcome outcome) {
  ++uncounted_;
  ++service_->network.counters.errors_protocol;
  connection_->CloseAfterPipeline();
  if (outcome == wire::RespParser::Outcome::kError) {
    return ReplyError("ERR Protocol error: " + parser_.error());
  }
  const std::string body = "this is the port for Redis clients; " + service_->http_place + "\n";
  Answer([&](wire::Reply& reply) {
    reply.Raw("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body);
  });
  if (!service_->http_log_rate.Allows()) return;
  Log(LogLevel::kWarn, "closed " + connection_->remote() +
                           ": it sent an HTTP request to the port for Redis clients, perhaps from "
                           "a web page that tries to reach this server");
}

void Session::CountCommands() {
  service_->network.counters.commands.fetch_add(uncounted_, std::memory_order_relaxed);
  uncounted_ = 0;
  if (quick_uncounted_ > 0) service_->commands.NoteQuick(quick_command_, quick_uncounted_);
  quick_uncounted_ = 0;
}

// A fast command, such as PING, takes less time than reading the clock twice. It is not timed, and
// consecutive ones are counted together.
template <typename Body>
void Session::RunCounted(const wire::CommandInfo& command, wire::Reply& reply, const Body& run) {
  const bool timed = !command.Has(wire::kFast);
  const std::int64_t began_us = timed ? base::MonotonicMicros() : 0;
  run();
  const std::string_view code = reply.error_code();
  const bool failed = !code.empty();
  if (failed) service_->commands.NoteError(code);
  if (timed) {
    service_->commands.NoteAnswered(command.id, !failed, base::MonotonicMicros() - began_us);
  } else if (failed) {
    service_->commands.NoteFailed(command.id);
  } else {
    if (quick_command_ != command.id) CountCommands();
    quick_command_ = command.id;
    ++quick_uncounted_;
  }
}

void Session::ReleaseRequests() {
  arguments_.clear();
  if (arguments_.capacity() > kKeptArguments) arguments_.shrink_to_fit();
  parser_.ReleaseInline();
}

void Session::EndPipeline(bool complete) {
  engine::Pipeline::Unconfirmed unknown;
  if (!connection_->unknown.empty()) {
    unknown = connection_->unconfirmed;
    service_->commands.NoteError("UNKNOWN", unknown.count);
  }
  engine::ReplaceUnknownReplies(connection_);
  if (audit_) {
    audit_->Settle(AuditedAs(), complete ? SIZE_MAX : connection_->executed, unknown);
  }
  if (DiscardsReplies()) connection_->replies.clear();
  if (!complete) return;
  ReleaseRequests();
  literals_.clear();
  literal_bytes_ = 0;
  held_bytes_ = queued_bytes_;
  running_.clear();
  if (reply_mode_ == ReplyMode::kSkipThis) reply_mode_ = ReplyMode::kOn;
  mode_at_start_ = reply_mode_;
}

bool Session::DiscardsReplies() const {
  return mode_at_start_ != ReplyMode::kOn && reply_mode_ != ReplyMode::kOn;
}

void Session::OnClosed() { StopMonitoring(); }

void Session::StopMonitoring() {
  if (monitors_.exchange(false)) service_->monitors.Remove(this);
}

// Taking requests ------------------------------------------------------------------------------

// Lets `write` make an immediate reply, and keeps it in order with the pipeline's requests.
template <typename Write>
void Session::Answer(const Write& write) {
  const bool after_requests = !connection_->requests.empty();
  std::string& sink = after_requests ? literals_.emplace_back() : connection_->replies;
  wire::Reply reply(&sink, protocol_);
  write(reply);
  if (!after_requests) return;
  literal_bytes_ += sink.size();
  engine::Request& request = connection_->requests.emplace_back();
  request.protocol = protocol_;
  request.literal = sink;
}

void Session::ReplyError(std::string_view line) {
  service_->commands.NoteError(line);
  Answer([&](wire::Reply& reply) { reply.Error(line); });
}

void Session::FailCommand(const wire::CommandInfo& command, std::string_view line) {
  service_->commands.NoteFailed(command.id);
  ReplyError(line);
}

void Session::Refuse(std::string_view line) {
  if (in_transaction_) transaction_aborted_ = true;
  ReplyError(line);
}

void Session::PushRequest(const wire::CommandInfo& command, Arguments arguments) {
  connection_->requests.push_back({&command, protocol_, arguments});
}

Session::Next Session::TakeRequest(Arguments arguments) {
  if (reply_mode_ == ReplyMode::kSkipNext) reply_mode_ = ReplyMode::kSkipThis;
  const wire::Lookup lookup = wire::LookUp(arguments);
  Next next = Next::kGoOn;
  if (lookup.command != nullptr) {
    next = TakeCommand(*lookup.command, arguments);
  } else if (base::IsWord(arguments[0], "EXEC")) {
    // An error in EXEC itself ends the transaction.
    Exec("EXECABORT Transaction discarded because of: " + lookup.error.substr(4));
  } else {
    if (lookup.refused != nullptr) service_->commands.NoteRejected(lookup.refused->id);
    Refuse(lookup.error);
  }
  if (reply_mode_ != ReplyMode::kOn && next == Next::kGoOn) next = Next::kEndPipeline;
  return next;
}

Session::Next Session::TakeCommand(const wire::CommandInfo& command, Arguments arguments) {
  const bool begins = connection_->requests.empty() && connection_->replies.empty();
  const bool queues = in_transaction_ && command.id != wire::CommandId::kReset;
  if (!begins && !queues && StartsPipeline(command)) return Next::kNeedsOwnPipeline;
  last_command_.store(&command, std::memory_order_relaxed);
  if (!CheckAccess(command, arguments)) return Next::kGoOn;
  if (service_->monitors.any()) NotifyMonitors(command, arguments);
  if (in_transaction_) return TakeInTransaction(command, arguments);
  if (command.Has(wire::kLocal)) return AnswerLocally(command, arguments);
  if (command.id == wire::CommandId::kExec || command.id == wire::CommandId::kDiscard) {
    FailCommand(command, "ERR " + std::string(command.name) + " without MULTI");
    return Next::kGoOn;
  }
  PushRequest(command, arguments);
  if (audit_) audit_->Note(connection_->requests.size() - 1, &connection_->requests.back());
  return EndsPipeline(command) ? Next::kEndPipeline : Next::kGoOn;
}

Session::Next Session::AnswerLocally(const wire::CommandInfo& command, Arguments arguments) {
  Next next = Next::kGoOn;
  Answer([&](wire::Reply& reply) {
    RunCounted(command, reply, [&] {
      if (command.id == wire::CommandId::kInfo) {
        return Info(arguments, service_->network.engine->Measure(connection_->client()->access),
                    reply);
      }
      next = RunLocal(command, arguments, reply);
    });
    if (audit_) audit_->Add(AuditedAs(), command, arguments, reply.error_code());
  });
  return next;
}

// Access ---------------------------------------------------------------------------------------

bool Session::CheckAccess(const wire::CommandInfo& command, Arguments arguments) {
  if (NoTokens()) return true;
  const auto refusal = RefusalOf(token_.get(), connection_->client()->access, command, arguments,
                                 wire::kRespWaysOut);
  if (!refusal) return true;
  service_->commands.NoteRejected(command.id);
  if (audit_ && token_ != nullptr) {
    audit_->Add(AuditedAs(), command, arguments, ErrorName(refusal->code));
  }
  Refuse(refusal->ToString());
  return false;
}

bool Session::LogIn(std::string_view secret) {
  std::shared_ptr<const Token> found = service_->tokens.Find(secret);
  if (found == nullptr) return false;
  SetToken(std::move(found));
  return true;
}

void Session::SetToken(std::shared_ptr<const Token> token) {
  token_ = std::move(token);
  engine::Client& client = *connection_->client();
  client.access = token_ != nullptr ? AccessOf(*token_) : engine::Access();
  const base::MutexLock lock(names_mutex_);
  user_ = UserHere();
}

bool Session::OnTokensChanged() {
  const bool needed_none = std::exchange(needed_no_token_, NoTokens());
  const bool goes_on =
      token_ != nullptr ? service_->tokens.Has(*token_) : !needed_none || NoTokens();
  // A monitor that reads slowly closes late, and must not be shown commands until then.
  if (!goes_on) StopMonitoring();
  return goes_on;
}

// Transactions ---------------------------------------------------------------------------------

Session::Next Session::TakeInTransaction(const wire::CommandInfo& command, Arguments arguments) {
  using wire::CommandId;
  switch (command.id) {
    case CommandId::kExec:
      Exec(transaction_aborted_ ? "EXECABORT Transaction discarded because of previous errors."
                                : "");
      return Next::kGoOn;
    case CommandId::kDiscard:
      DropQueue();
      PushRequest(command, arguments);
      return Next::kGoOn;
    case CommandId::kMulti:
      FailCommand(command, "ERR MULTI calls can not be nested");
      return Next::kGoOn;
    case CommandId::kWatch:
      FailCommand(command, "ERR WATCH inside MULTI is not allowed");
      return Next::kGoOn;
    case CommandId::kQuit:
    case CommandId::kReset:
      return AnswerLocally(command, arguments);
    default:
      Queue(command, arguments);
      return Next::kGoOn;
  }
}

void Session::Multi() {
  in_transaction_ = true;
  transaction_aborted_ = false;
  queued_bytes_ = 0;
  queued_count_ = 0;
}

void Session::DropQueue() {
  in_transaction_ = transaction_aborted_ = false;
  static_cast<void>(std::exchange(queue_, {}));  // an assignment would keep memory
  queued_bytes_ = 0;
  queued_count_ = -1;
}

void Session::Queue(const wire::CommandInfo& command, Arguments arguments) {
  const auto refuse = [&](std::string_view line) {
    service_->commands.NoteRejected(command.id);
    Refuse(line);
  };
  if (IsRefusedInTransaction(command)) {
    return refuse("ERR Command not allowed inside a transaction");
  }
  std::size_t bytes = 0;
  for (const std::string_view argument : arguments) {
    bytes += argument.size() + sizeof(std::string) + sizeof(std::string_view);
  }
  if (queued_bytes_ + bytes > kMaxQueuedBytes || queue_.requests.size() >= kMaxQueuedCommands) {
    return refuse("LIMIT the transaction is too large");
  }
  queued_bytes_ += bytes;
  const std::span<std::string_view> copies = queue_.arguments.Append(arguments);
  for (std::string_view& copy : copies) {
    const std::span<const char> text = queue_.text.Append(copy);
    copy = {text.data(), text.size()};
  }
  engine::Request& request = queue_.requests.emplace_back();
  request.command = &command;
  request.arguments = copies;
  if (command.Has(wire::kLocal)) request.local = this;
  queued_count_ = static_cast<int>(queue_.requests.size());
  Answer([](wire::Reply& reply) { reply.Simple("QUEUED"); });
}

void Session::Exec(std::string abort) {
  auto& running = *running_.emplace_back(std::make_unique<Running>());
  running.abort = std::move(abort);
  running.transaction.abort = running.abort;
  running.queue = std::move(queue_);
  DropQueue();
  std::vector<engine::Request>& requests = running.queue.requests;
  for (engine::Request& queued : requests) queued.protocol = protocol_;
  if (running.abort.empty()) running.transaction.requests = requests;
  PushRequest(wire::CommandOf(wire::CommandId::kExec), {});
  engine::Request& exec = connection_->requests.back();
  exec.transaction = &running.transaction;
  if (audit_) audit_->NoteTransaction(connection_->requests.size() - 1, &exec, requests);
}

void Session::Run(const engine::Request& request, const engine::MeasureFunction& measure,
                  wire::Reply* reply) {
  RunCounted(*request.command, *reply, [&] {
    if (request.command->id == wire::CommandId::kInfo) {
      return Info(request.arguments, measure(connection_->client()->access), *reply);
    }
    if (RunLocal(*request.command, request.arguments, *reply) == Next::kClose) {
      connection_->CloseAfterPipeline();
    }
  });
  CountCommands();
}

// Monitors and CLIENT LIST ---------------------------------------------------------------------

void Session::NotifyMonitors(const wire::CommandInfo& command, Arguments arguments) {
  if (command.Has(wire::kSkipMonitor) || command.Has(wire::kAdminFlag)) return;
  std::string line = "+" + FormatNumber(SystemNow(), 6) + " [0 " + connection_->remote() + "]";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    line += " " + Quoted(IsSecret(command.id, arguments, i) ? "(redacted)" : arguments[i]);
  }
  service_->monitors.Show(line + "\r\n");
}

void Session::Show(const std::string& line) {
  {
    const base::MutexLock lock(lines_mutex_);
    lines_ += line;
  }
  connection_->Wake();
}

void Session::OnWake() {
  std::string lines;
  {
    const base::MutexLock lock(lines_mutex_);
    lines.swap(lines_);
  }
  if (monitors_) connection_->Write(lines);
}

std::string Session::Name() const {
  const base::MutexLock lock(names_mutex_);
  return name_;
}

std::string Session::User() const {
  const base::MutexLock lock(names_mutex_);
  return user_;
}

std::string Session::Describe() const {
  const std::int64_t now = base::MonotonicMicros();
  const wire::CommandInfo* last = last_command_.load(std::memory_order_relaxed);
  std::string flags;
  if (monitors_) flags += 'O';
  if (connection_->waits()) flags += 'b';
  if (queued_count_ >= 0) flags += 'x';
  if (flags.empty()) flags = "N";
  const base::MutexLock lock(names_mutex_);
  return "id=" + std::to_string(connection_->id()) + " addr=" + connection_->remote() +
         " laddr=" + connection_->local() + " fd=0" + " name=" + name_ +
         " age=" + std::to_string((now - connection_->opened_us()) / 1'000'000) +
         " idle=" + std::to_string((now - connection_->active_us()) / 1'000'000) +
         " flags=" + flags +
         " db=0 sub=0 psub=0 ssub=0 multi=" + std::to_string(queued_count_.load()) +
         " qbuf=" + std::to_string(connection_->input_bytes()) +
         " qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0" +
         " omem=" + std::to_string(connection_->output_bytes()) +
         " tot-mem=" + std::to_string(connection_->input_bytes() + connection_->output_bytes()) +
         " events=r cmd=" + (last != nullptr ? wire::LowerName(*last) : "NULL") + " user=" + user_ +
         " redir=-1 resp=" + std::to_string(shown_protocol_.load()) + " lib-name=" + library_name_ +
         " lib-ver=" + library_version_;
}

}  // namespace laurel::server
