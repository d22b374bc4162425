#include "server/resp/session.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "laurel/stamp_clock.h"
#include "server/net/connection.h"
#include "server/server.h"

namespace laurel::server {
namespace {

// A monitor's line shows arguments as redis-cli prints them.
std::string Quoted(std::string_view argument) {
  constexpr char kHex[] = "0123456789abcdef";
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
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
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

// What may wait for something else than the disk is the last of its turn.
bool EndsTurn(const wire::CommandInfo& command) {
  return command.Has(wire::kBlocking) || command.id == wire::CommandId::kSave ||
         command.id == wire::CommandId::kLbBackupStart ||
         command.id == wire::CommandId::kLbBackupRead;
}

// Replies before a pop that waits must not wait with it; and what acts on the client as a whole has
// to come after all it has asked for before.
bool NeedsOwnTurn(const wire::CommandInfo& command) {
  switch (command.id) {
    case wire::CommandId::kReset:
    case wire::CommandId::kAuth:
    case wire::CommandId::kHello:
    case wire::CommandId::kMonitor:
    case wire::CommandId::kClientReply:
    case wire::CommandId::kClientUnblock:
      return true;
    default:
      return EndsTurn(command);
  }
}

// Commands that change what the rest of a transaction is about to do or say.
bool IsRefusedInTransaction(const wire::CommandInfo& command) {
  return command.Has(wire::kNoMulti) || (NeedsOwnTurn(command) && !command.Has(wire::kBlocking));
}

}  // namespace

Session::Session(Server* server, Connection* connection, engine::Turn* turn, std::uint64_t id,
                 std::string remote, std::string local)
    : server_(server),
      connection_(connection),
      turn_(turn),
      id_(id),
      remote_(std::move(remote)),
      local_(std::move(local)),
      open_(server->config().tokens.empty()),
      connected_us_(base::MonotonicMicros()),
      active_us_(connected_us_) {}

// Taking requests ------------------------------------------------------------------------------

// Lets `write` make a reply on the spot, in its place among the turn's requests.
template <typename Write>
void Session::Answer(const Write& write) {
  const bool after_requests = !turn_->requests.empty();
  std::string& sink = after_requests ? literals_.emplace_back() : turn_->replies;
  wire::Reply reply(&sink, protocol_);
  write(reply);
  if (!after_requests) return;
  literal_bytes_ += sink.size();
  engine::Request& request = turn_->requests.emplace_back();
  request.protocol = protocol_;
  request.literal = sink;
}

void Session::ReplyError(std::string_view line) {
  Answer([&](wire::Reply& reply) { reply.Error(line); });
}

void Session::Refuse(std::string_view line) {
  if (in_transaction_) transaction_spoiled_ = true;
  ReplyError(line);
}

void Session::PushRequest(const wire::CommandInfo& command, Arguments arguments) {
  turn_->requests.push_back({&command, protocol_, arguments});
}

Session::Next Session::Take(Arguments arguments) {
  if (reply_mode_ == ReplyMode::kSkipNext) reply_mode_ = ReplyMode::kSkipThis;
  const wire::Lookup lookup = wire::LookUp(arguments);
  Next next = Next::kGoOn;
  if (lookup.command != nullptr) {
    next = TakeCommand(*lookup.command, arguments);
  } else if (base::IsWord(arguments[0], "EXEC")) {
    // What is wrong with EXEC itself ends the transaction.
    Exec("EXECABORT Transaction discarded because of: " + lookup.error.substr(4));
  } else {
    Refuse(lookup.error);
  }
  if (reply_mode_ != ReplyMode::kOn && next == Next::kGoOn) next = Next::kEndTurn;
  return next;
}

Session::Next Session::TakeCommand(const wire::CommandInfo& command, Arguments arguments) {
  const bool begins = turn_->requests.empty() && turn_->replies.empty();
  const bool queues = in_transaction_ && command.id != wire::CommandId::kReset;
  if (!begins && !queues && NeedsOwnTurn(command)) return Next::kAlone;
  last_command_.store(&command, std::memory_order_relaxed);
  if (!CheckAccess(command, arguments)) return Next::kGoOn;
  if (server_->monitored()) TellMonitors(command, arguments);
  if (in_transaction_) return TakeInTransaction(command, arguments);
  if (command.Has(wire::kLocal)) return AnswerLocally(command, arguments);
  if (command.id == wire::CommandId::kExec || command.id == wire::CommandId::kDiscard) {
    ReplyError("ERR " + std::string(command.name) + " without MULTI");
    return Next::kGoOn;
  }
  PushRequest(command, arguments);
  return EndsTurn(command) ? Next::kEndTurn : Next::kGoOn;
}

Session::Next Session::AnswerLocally(const wire::CommandInfo& command, Arguments arguments) {
  Next next = Next::kGoOn;
  Answer([&](wire::Reply& reply) { next = RunLocal(command, arguments, reply); });
  return next;
}

void Session::EndTurn() {
  literals_.clear();
  literal_bytes_ = 0;
  running_.clear();
  if (reply_mode_ == ReplyMode::kSkipThis) reply_mode_ = ReplyMode::kOn;
  mode_at_start_ = reply_mode_;
}

bool Session::DiscardsReplies() const {
  return mode_at_start_ != ReplyMode::kOn && reply_mode_ != ReplyMode::kOn;
}

// Access ---------------------------------------------------------------------------------------

bool Session::CheckAccess(const wire::CommandInfo& command, Arguments arguments) {
  if (open_) return true;
  const Token* token = token_;
  if (token == nullptr) {
    if (command.Has(wire::kNoAuth)) return true;
    Refuse("NOAUTH Authentication required.");
    return false;
  }
  if (command.role > token->role) {
    Refuse("NOPERM token " + base::Quote(token->name) + " has the role " +
           std::string(wire::RoleName(token->role)) + ", '" + wire::LowerName(command) +
           "' needs " + std::string(wire::RoleName(command.role)));
    return false;
  }
  if (token->boards == "*") return true;
  if (command.role == wire::Role::kAdmin && command.keys.first == 0 && command.keys.numkeys == 0) {
    Refuse("NOPERM token " + base::Quote(token->name) + " is for some boards, '" +
           wire::LowerName(command) + "' needs one for all");
    return false;
  }
  // The engine judges every request when it executes it. Names that can be no instance are refused
  // here as well, since what is refused before EXEC spoils a transaction.
  const engine::Access& access = turn_->client()->access;
  std::vector<std::string_view> keys;
  wire::KeysOf(command, arguments, &keys);
  for (const std::string_view key : keys) {
    if (key.find('@') != std::string_view::npos || access.Opens(key)) continue;
    Refuse(access.Refusal(key));
    return false;
  }
  return true;
}

bool Session::LogIn(std::string_view secret) {
  const Token* found = FindToken(server_->config().tokens, secret);
  if (found == nullptr) return false;
  token_ = found;
  turn_->client()->access = engine::Access(found->name, found->boards);
  turn_->client()->may_set_time = found->role >= wire::Role::kWrite;
  return true;
}

// Transactions ---------------------------------------------------------------------------------

Session::Next Session::TakeInTransaction(const wire::CommandInfo& command, Arguments arguments) {
  using wire::CommandId;
  switch (command.id) {
    case CommandId::kExec:
      Exec(transaction_spoiled_ ? "EXECABORT Transaction discarded because of previous errors."
                                : "");
      return Next::kGoOn;
    case CommandId::kDiscard:
      in_transaction_ = transaction_spoiled_ = false;
      queue_.clear();
      queued_bytes_ = 0;
      queued_count_ = -1;
      PushRequest(command, arguments);
      return Next::kGoOn;
    case CommandId::kMulti:
      ReplyError("ERR MULTI calls can not be nested");
      return Next::kGoOn;
    case CommandId::kWatch:
      ReplyError("ERR WATCH inside MULTI is not allowed");
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
  transaction_spoiled_ = false;
  queued_bytes_ = 0;
  queued_count_ = 0;
}

void Session::Queue(const wire::CommandInfo& command, Arguments arguments) {
  if (IsRefusedInTransaction(command)) {
    return Refuse("ERR Command not allowed inside a transaction");
  }
  std::size_t bytes = 0;
  for (const std::string_view argument : arguments) {
    bytes += argument.size() + sizeof(std::string) + sizeof(std::string_view);
  }
  if (queued_bytes_ + bytes > kMaxQueuedBytes || queue_.size() >= kMaxQueuedCommands) {
    return Refuse("LIMIT the transaction is too large");
  }
  queued_bytes_ += bytes;
  Queued& queued = queue_.emplace_back();
  queued.command = &command;
  queued.texts.assign(arguments.begin(), arguments.end());
  queued_count_ = static_cast<int>(queue_.size());
  Answer([](wire::Reply& reply) { reply.Simple("QUEUED"); });
}

void Session::Exec(std::string abort) {
  auto& running = *running_.emplace_back(std::make_unique<Running>());
  running.abort = std::move(abort);
  running.transaction.abort = running.abort;
  running.queued = std::move(queue_);
  queue_.clear();
  queued_bytes_ = 0;
  in_transaction_ = transaction_spoiled_ = false;
  queued_count_ = -1;
  for (Queued& queued : running.queued) {
    if (!running.abort.empty()) break;
    queued.arguments.assign(queued.texts.begin(), queued.texts.end());
    engine::Request& request = running.requests.emplace_back();
    request.protocol = protocol_;
    request.command = queued.command;
    request.arguments = queued.arguments;
    if (queued.command->Has(wire::kLocal)) request.local = this;
  }
  running.transaction.requests = running.requests;
  PushRequest(wire::CommandOf(wire::CommandId::kExec), {});
  turn_->requests.back().transaction = &running.transaction;
}

void Session::Run(const engine::Request& request, wire::Reply* reply) {
  if (RunLocal(*request.command, request.arguments, *reply) == Next::kClose) {
    connection_->CloseAfterTurn();
  }
}

// For others to see ----------------------------------------------------------------------------

void Session::TellMonitors(const wire::CommandInfo& command, Arguments arguments) {
  if (command.Has(wire::kSkipMonitor) || command.Has(wire::kAdminFlag)) return;
  std::string line = "+" + FormatNumber(SystemNow(), 6) + " [0 " + remote_ + "]";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    line += " " + Quoted(IsSecret(command.id, arguments, i) ? "(redacted)" : arguments[i]);
  }
  server_->TellMonitors(line + "\r\n");
}

std::string Session::name() const {
  const std::lock_guard lock(names_mutex_);
  return name_;
}

std::string Session::user() const {
  const Token* token = token_;
  return token != nullptr ? token->name : "default";
}

std::string Session::Describe() const {
  const std::int64_t now = base::MonotonicMicros();
  const wire::CommandInfo* last = last_command_.load(std::memory_order_relaxed);
  std::string flags;
  if (monitors_) flags += 'O';
  if (connection_->waits()) flags += 'b';
  if (queued_count_ >= 0) flags += 'x';
  if (flags.empty()) flags = "N";
  const std::lock_guard lock(names_mutex_);
  return "id=" + std::to_string(id_) + " addr=" + remote_ + " laddr=" + local_ + " fd=0" +
         " name=" + name_ + " age=" + std::to_string((now - connected_us_) / 1'000'000) +
         " idle=" + std::to_string((now - active_us_) / 1'000'000) + " flags=" + flags +
         " db=0 sub=0 psub=0 ssub=0 multi=" + std::to_string(queued_count_.load()) +
         " qbuf=" + std::to_string(connection_->input_bytes()) +
         " qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0" +
         " omem=" + std::to_string(connection_->output_bytes()) +
         " tot-mem=" + std::to_string(connection_->input_bytes() + connection_->output_bytes()) +
         " events=r cmd=" + (last != nullptr ? wire::LowerName(*last) : "NULL") +
         " user=" + user() + " redir=-1 resp=" + std::to_string(shown_protocol_.load()) +
         " lib-name=" + library_name_ + " lib-ver=" + library_version_;
}

}  // namespace laurel::server
