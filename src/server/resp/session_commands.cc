// Commands about the connection and the server, which a session answers without the engine.
#include <algorithm>
#include <string>
#include <utility>

#include "base/glob.h"
#include "base/integer.h"
#include "base/text.h"
#include "laurel/stamp_clock.h"
#include "server/config/compatibility.h"
#include "server/figures/process_usage.h"
#include "server/logs/server_log.h"
#include "server/resp/session.h"
#include "wire/command_replies.h"
#include "wire/error_texts.h"

namespace laurel::server {
namespace {

using base::IsWord;
using wire::CommandId;
using wire::kNotInteger;
using wire::kSyntaxError;

constexpr std::string_view kWrongPassword =
    "WRONGPASS invalid username-password pair or user is disabled.";

// The error for commands about features that Laurel does not have; empty for other commands.
std::string_view MissingFeature(CommandId id) {
  switch (id) {
    case CommandId::kReadOnly:
    case CommandId::kReadWrite:
    case CommandId::kClusterInfo:
    case CommandId::kClusterOther:
      return "ERR This instance has cluster support disabled";
    case CommandId::kEval:
    case CommandId::kEvalSha:
    case CommandId::kEvalRo:
    case CommandId::kEvalShaRo:
    case CommandId::kFCall:
    case CommandId::kFCallRo:
    case CommandId::kScriptLoad:
      return "ERR no scripts here: LB.INCR and LB.SUBMIT are atomic";
    case CommandId::kDebug:
      return "ERR DEBUG command not allowed.";
    default:
      return {};
  }
}

// Answers commands whose reply is always the same. Returns false for other commands.
bool ReplyConstant(CommandId id, wire::Reply& reply) {
  switch (id) {
    case CommandId::kRole:
      reply.Array(3);
      reply.Bulk("master");
      reply.Integer(0);
      reply.Array(0);
      return true;
    case CommandId::kLolwut:
      reply.Verbatim("Laurel ver. " + std::string(kLaurelVersion) + "\n");
      return true;
    case CommandId::kFunctionFlush:
    case CommandId::kScriptFlush:
      reply.Ok();
      return true;
    case CommandId::kFunctionStats:
      reply.Map(2);
      reply.Bulk("running_script");
      reply.Null();
      reply.Bulk("engines");
      reply.Map(0);
      return true;
    case CommandId::kLatencyReset:
      reply.Integer(0);
      return true;
    case CommandId::kMemoryStats:
    case CommandId::kLatencyHistogram:
      reply.Map(0);
      return true;
    case CommandId::kLatencyDoctor:
      reply.Verbatim("Latencies are not sampled; SLOWLOG GET names slow commands.\n");
      return true;
    case CommandId::kMemoryDoctor:
      reply.Verbatim("INFO memory and MEMORY USAGE tell where memory goes.\n");
      return true;
    case CommandId::kLatencyLatest:
    case CommandId::kLatencyHistory:
    case CommandId::kFunctionList:
    case CommandId::kModuleList:
      reply.Array(0);
      return true;
    default:
      return false;
  }
}

void Select(std::span<const std::string_view> arguments, wire::Reply& reply) {
  std::int64_t index = 0;
  if (!base::ParseInteger(arguments[1], &index)) return reply.Error(kNotInteger);
  if (index < INT32_MIN || index > INT32_MAX) {
    return reply.Error(wire::kNotInt32);
  }
  return index == 0 ? reply.Ok() : reply.Error(wire::kNoSuchDatabase);
}

// Laurel has no replicas, so the reply of WAIT is always 0.
void Wait(std::span<const std::string_view> arguments, wire::Reply& reply) {
  std::int64_t number = 0;
  if (!base::ParseInteger(arguments[1], &number)) return reply.Error(kNotInteger);
  if (!base::ParseInteger(arguments[2], &number)) {
    return reply.Error("ERR timeout is not an integer or out of range");
  }
  return number < 0 ? reply.Error("ERR timeout is negative") : reply.Integer(0);
}

}  // namespace

Session::Next Session::RunLocal(const wire::CommandInfo& command, Arguments arguments,
                                wire::Reply& reply) {
  switch (command.id) {
    case CommandId::kPing:
      Ping(arguments, reply);
      return Next::kGoOn;
    case CommandId::kEcho:
      reply.Bulk(arguments[1]);
      return Next::kGoOn;
    case CommandId::kMulti:
      Multi();
      reply.Ok();
      return Next::kGoOn;
    case CommandId::kAuth:
      return Auth(arguments, reply);
    case CommandId::kHello:
      return Hello(arguments, reply);
    case CommandId::kQuit:
      reply.Ok();
      return Next::kClose;
    case CommandId::kReset:
      Reset(reply);
      return Next::kGoOn;
    case CommandId::kShutdown:
      return Shutdown(arguments, reply);
    case CommandId::kMonitor:
      if (!monitors_.exchange(true)) {
        service_->monitors.Add(
            std::shared_ptr<Monitors::Listener>(connection_->shared_from_this(), this));
      }
      reply.Ok();
      return Next::kGoOn;
    case CommandId::kMemoryPurge:
      ReturnFreeMemory();
      reply.Ok();
      return Next::kGoOn;
    default:
      break;
  }
  if (command.name.starts_with("CLIENT|")) return RunClient(command, arguments, reply);
  if (command.name.starts_with("CONFIG|")) {
    RunConfig(command, arguments, reply);
  } else if (command.name == "COMMAND" || command.name.starts_with("COMMAND|")) {
    wire::WriteCommandReply(command, arguments, &reply);
  } else {
    RunServer(command, arguments, reply);
  }
  return Next::kGoOn;
}

void Session::Info(Arguments arguments, engine::Figures figures, wire::Reply& reply) {
  CountCommands();  // so that INFO counts itself
  reply.Verbatim(
      service_->control.Info(arguments, connection_->client()->access, std::move(figures)));
}

void Session::Ping(Arguments arguments, wire::Reply& reply) {
  if (arguments.size() > 2)
    return reply.Error(wire::WrongArity(wire::CommandOf(CommandId::kPing), arguments));
  arguments.size() == 2 ? reply.Bulk(arguments[1]) : reply.Simple("PONG");
}

Session::Next Session::Auth(Arguments arguments, wire::Reply& reply) {
  if (arguments.size() > 3) {
    reply.Error(kSyntaxError);
  } else if (NoTokens() && arguments.size() == 3) {
    if (arguments[1] != kDefaultUser) return RefuseLogin(reply);
    reply.Ok();
  } else if (NoTokens()) {
    reply.Error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
  } else {
    if (!LogIn(arguments.back())) return RefuseLogin(reply);
    reply.Ok();
  }
  return Next::kGoOn;
}

Session::Next Session::RefuseLogin(wire::Reply& reply) {
  const std::int64_t delay_ms = service_->refused_logins.Note(connection_->remote());
  if (!NoTokens()) connection_->DelayReplies(delay_ms);  // without tokens there is nothing to guess
  reply.Error(kWrongPassword);
  return Next::kEndPipeline;
}

Session::Next Session::Hello(Arguments arguments, wire::Reply& reply) {
  const auto refuse = [&](std::string_view error) {
    reply.Error(error);
    return Next::kGoOn;
  };
  std::int64_t version = static_cast<int>(protocol_);
  if (arguments.size() > 1) {
    if (!base::ParseInteger(arguments[1], &version)) {
      return refuse("ERR Protocol version is not an integer or out of range");
    }
    if (version < 2 || version > 3) return refuse("NOPROTO unsupported protocol version");
  }
  std::string_view name;
  bool named = false;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::size_t left = arguments.size() - i - 1;
    if (IsWord(arguments[i], "AUTH") && left >= 2) {
      const bool known = NoTokens() ? arguments[i + 1] == kDefaultUser : LogIn(arguments[i + 2]);
      if (!known) return RefuseLogin(reply);
      i += 2;
    } else if (IsWord(arguments[i], "SETNAME") && left >= 1) {
      name = arguments[++i];
      named = true;
    } else {
      return refuse("ERR Syntax error in HELLO option '" + std::string(arguments[i]) + "'");
    }
  }
  if (NeedsAuth()) {
    return refuse(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        "<proto> AUTH <user> <pass> option can be used to authenticate the client and select the "
        "RESP protocol version at the same time");
  }
  if (named && !SetName(name, reply)) return Next::kGoOn;
  protocol_ = static_cast<wire::Protocol>(version);
  shown_protocol_ = static_cast<int>(version);
  reply = reply.WithProtocol(protocol_);
  ReplyHello(reply);
  return Next::kGoOn;
}

void Session::ReplyHello(wire::Reply& reply) const {
  reply.Map(7);
  reply.Pair("server", "redis");
  reply.Pair("version", kRedisVersion);
  reply.Pair("proto", static_cast<int>(protocol_));
  reply.Pair("id", connection_->id());
  reply.Pair("mode", "standalone");
  reply.Pair("role", "master");
  reply.Bulk("modules");
  reply.Array(0);
}

void Session::Reset(wire::Reply& reply) {
  StopMonitoring();
  DropQueue();
  reply_mode_ = ReplyMode::kOn;
  protocol_ = wire::Protocol::kResp2;
  shown_protocol_ = 2;
  SetToken(nullptr);
  connection_->RestartAuthTimeout();
  SetName("", reply);
  service_->network.engine->Forget(connection_->client());
  reply.Simple("RESET");
}

Session::Next Session::Shutdown(Arguments arguments, wire::Reply& reply) {
  bool save = true;
  for (const std::string_view word : arguments.subspan(1)) {
    if (IsWord(word, "ABORT")) {
      reply.Error("ERR No shutdown in progress.");
      return Next::kGoOn;
    }
    if (!IsWord(word, "NOSAVE") && !IsWord(word, "SAVE") && !IsWord(word, "NOW") &&
        !IsWord(word, "FORCE")) {
      reply.Error(kSyntaxError);
      return Next::kGoOn;
    }
    if (IsWord(word, "NOSAVE")) save = false;
  }
  Log(LogLevel::kInfo, "SHUTDOWN from " + connection_->remote());
  service_->control.Shutdown(save);
  return Next::kClose;  // as in Redis: the connection closes without a reply
}

void Session::RunServer(const wire::CommandInfo& command, Arguments arguments, wire::Reply& reply) {
  switch (command.id) {
    case CommandId::kSelect:
      return Select(arguments, reply);
    case CommandId::kTime: {
      const Stamp now = SystemNow() + service_->config.clock_offset_us;
      reply.Array(2);
      reply.Bulk(std::to_string(now / 1'000'000));
      return reply.Bulk(std::to_string(now % 1'000'000));
    }
    case CommandId::kLastSave: {
      const std::int64_t saved_us = service_->network.engine->SavedAt();
      return reply.Integer((saved_us != 0 ? saved_us : service_->started_at_us) / 1'000'000);
    }
    case CommandId::kWait:
      return Wait(arguments, reply);
    case CommandId::kAclWhoAmI:
      return reply.Bulk(User());
    case CommandId::kSlowLogGet:
      return SlowLogGet(arguments, reply);
    case CommandId::kSlowLogLen:
      return reply.Integer(static_cast<std::int64_t>(service_->slow_log.size()));
    case CommandId::kSlowLogReset:
      service_->slow_log.Clear();
      return reply.Ok();
    case CommandId::kScriptExists:
      reply.Array(arguments.size() - 2);
      for (std::size_t i = 2; i < arguments.size(); ++i) reply.Integer(0);
      return;
    default:
      break;
  }
  const std::string_view missing = MissingFeature(command.id);
  if (!missing.empty()) return reply.Error(missing);
  if (ReplyConstant(command.id, reply)) return;
  const std::size_t bar = command.name.find('|');
  if (bar != std::string_view::npos && command.name.substr(bar) == "|HELP") {
    return wire::WriteHelp(*wire::FindCommand(command.name.substr(0, bar)), &reply);
  }
  reply.Error("ERR '" + wire::LowerName(command) + "' is not supported");
}

void Session::SlowLogGet(Arguments arguments, wire::Reply& reply) {
  std::int64_t count = 10;
  if (arguments.size() > 2 && (!base::ParseInteger(arguments[2], &count) || count < -1)) {
    return reply.Error("ERR count should be greater than or equal to -1");
  }
  const std::vector<SlowEntry> entries =
      service_->slow_log.Latest(count < 0 ? SIZE_MAX : static_cast<std::size_t>(count));
  reply.Array(entries.size());
  for (const SlowEntry& entry : entries) {
    reply.Array(6);
    reply.Integer(entry.id);
    reply.Integer(entry.unix_seconds);
    reply.Integer(entry.micros);
    reply.Array(entry.arguments.size());
    for (const std::string& argument : entry.arguments) reply.Bulk(argument);
    reply.Bulk(entry.address);
    reply.Bulk(entry.client_name);
  }
}

void Session::RunConfig(const wire::CommandInfo& command, Arguments arguments, wire::Reply& reply) {
  switch (command.id) {
    case CommandId::kConfigGet: {
      for (const std::string_view pattern : arguments.subspan(2)) {
        if (pattern.size() > base::kMaxGlobBytes) {
          return reply.Error({ErrorCode::kLimit, std::string(wire::kPatternTooLong)});
        }
      }
      const auto found = service_->settings.Matching(arguments.subspan(2));
      reply.Map(found.size());
      for (const auto& [name, value] : found) {
        reply.Pair(name, value);
      }
      return;
    }
    case CommandId::kConfigSet:
      return ConfigSet(arguments, reply);
    case CommandId::kConfigResetStat:
      CountCommands();  // the requests so far belong to the time before
      service_->network.counters.Reset();
      service_->commands.Reset();
      return reply.Ok();
    case CommandId::kConfigRewrite:
      return reply.Error("ERR The server is running without a config file");
    default:
      return wire::WriteHelp(*wire::FindCommand("CONFIG"), &reply);
  }
}

void Session::ConfigSet(Arguments arguments, wire::Reply& reply) {
  if (arguments.size() % 2 != 0) {
    return reply.Error(wire::WrongArity(wire::CommandOf(CommandId::kConfigSet), arguments));
  }
  for (std::size_t i = 2; i < arguments.size(); i += 2) {
    if (!service_->settings.Has(arguments[i])) {
      return reply.Error("ERR Unknown option or number of arguments for CONFIG SET - '" +
                         std::string(arguments[i]) + "'");
    }
    if (const auto refusal = Settings::Refusal(arguments[i], arguments[i + 1])) {
      return reply.Error("ERR CONFIG SET failed (possibly related to argument '" +
                         std::string(arguments[i]) + "') - " + *refusal);
    }
  }
  for (std::size_t i = 2; i < arguments.size(); i += 2) {
    service_->settings.Set(arguments[i], arguments[i + 1]);
    if (IsWord(arguments[i], "slowlog-log-slower-than")) {
      std::int64_t micros = 0;
      base::ParseInteger(arguments[i + 1], &micros);
      service_->control.SetSlowMicros(micros < 0 ? INT64_MAX : micros);
    }
  }
  reply.Ok();
}

}  // namespace laurel::server
