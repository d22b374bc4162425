// CLIENT and its subcommands.
#include <algorithm>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/integer.h"
#include "base/text.h"
#include "server/resp/session.h"
#include "wire/command_replies.h"
#include "wire/error_texts.h"

namespace laurel::server {
namespace {

using base::IsWord;
using wire::CommandId;
using wire::kNotInteger;
using wire::kSyntaxError;

constexpr std::size_t kMaxClientNameBytes = 256;

// A name must not break the lines of CLIENT LIST.
bool IsPlainText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '!' && c <= '~'; });
}

bool IsClientType(std::string_view type) {
  for (const std::string_view known : {"NORMAL", "MASTER", "REPLICA", "SLAVE", "PUBSUB"}) {
    if (IsWord(type, known)) return true;
  }
  return false;
}

// CLIENT TRACKINGINFO: client side caching is always off.
void ReplyTrackingInfo(wire::Reply& reply) {
  reply.Map(3);
  reply.Bulk("flags");
  reply.Set(1);
  reply.Bulk("off");
  reply.Pair("redirect", -1);
  reply.Bulk("prefixes");
  reply.Array(0);
}

// The filters of CLIENT KILL.
struct KillFilter {
  std::uint64_t id = 0;  // 0: any
  std::string_view address{};
  std::string_view local_address{};
  std::string_view user{};
  bool normal = true;  // false: TYPE names a kind of client that Laurel does not have
  bool skip_me = true;

  [[nodiscard]] bool Matches(const Connection& connection, bool is_me) const {
    return normal && (id == 0 || connection.id() == id) &&
           (address.empty() || connection.remote() == address) &&
           (local_address.empty() || connection.local() == local_address) &&
           (user.empty() || connection.conversation().User() == user) && !(skip_me && is_me);
  }
};

bool IsUser(const TokenStore& tokens, std::string_view name) {
  return name == kDefaultUser || tokens.HasName(name);
}

// Parses one filter of CLIENT KILL, a word and its value. Returns the error, if there is one.
std::optional<std::string> TakeKillFilter(const TokenStore& tokens, std::string_view word,
                                          std::string_view value, KillFilter* filter) {
  if (IsWord(word, "ID")) {
    std::int64_t id = 0;
    if (!base::ParseInteger(value, &id) || id < 1) return "ERR client-id should be greater than 0";
    filter->id = static_cast<std::uint64_t>(id);
  } else if (IsWord(word, "ADDR")) {
    filter->address = value;
  } else if (IsWord(word, "LADDR")) {
    filter->local_address = value;
  } else if (IsWord(word, "USER")) {
    if (!IsUser(tokens, value)) return "ERR No such user '" + std::string(value) + "'";
    filter->user = value;
  } else if (IsWord(word, "TYPE")) {
    if (!IsClientType(value)) return "ERR Unknown client type '" + std::string(value) + "'";
    filter->normal = IsWord(value, "NORMAL");
  } else if (IsWord(word, "SKIPME") && (IsWord(value, "YES") || IsWord(value, "NO"))) {
    filter->skip_me = IsWord(value, "YES");
  } else {
    return std::string(kSyntaxError);
  }
  return std::nullopt;
}

}  // namespace

bool Session::SetName(std::string_view name, wire::Reply& reply) {
  if (!IsPlainText(name) || name.size() > kMaxClientNameBytes) {
    reply.Error("ERR Client names cannot contain spaces, newlines or special characters.");
    return false;
  }
  connection_->client()->name = name;
  const base::MutexLock lock(names_mutex_);
  name_ = name;
  return true;
}

Session::Next Session::RunClient(const wire::CommandInfo& command, Arguments arguments,
                                 wire::Reply& reply) {
  switch (command.id) {
    case CommandId::kClientId:
      reply.Integer(static_cast<std::int64_t>(connection_->id()));
      break;
    case CommandId::kClientGetName:
      Name().empty() ? reply.Null() : reply.Bulk(Name());
      break;
    case CommandId::kClientSetName:
      if (SetName(arguments[2], reply)) reply.Ok();
      break;
    case CommandId::kClientSetInfo:
      ClientSetInfo(arguments, reply);
      break;
    case CommandId::kClientList:
      ClientList(arguments, reply);
      break;
    case CommandId::kClientInfo:
      reply.Verbatim(Describe() + "\n");
      break;
    case CommandId::kClientKill:
      return ClientKill(arguments, reply);
    case CommandId::kClientReply:
      return ClientReply(arguments, reply);
    case CommandId::kClientUnblock:
      ClientUnblock(arguments, reply);
      break;
    case CommandId::kClientPause:
      ClientPause(arguments, reply);
      break;
    case CommandId::kClientUnpause:
      service_->network.pause.End();
      reply.Ok();
      break;
    case CommandId::kClientNoEvict:
    case CommandId::kClientNoTouch:
      IsWord(arguments[2], "ON") || IsWord(arguments[2], "OFF") ? reply.Ok()
                                                                : reply.Error(kSyntaxError);
      break;
    case CommandId::kClientTracking:
      ClientTracking(arguments, reply);
      break;
    case CommandId::kClientTrackingInfo:
      ReplyTrackingInfo(reply);
      break;
    case CommandId::kClientCaching:
      reply.Error(
          "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or "
          "OPTOUT mode enabled");
      break;
    case CommandId::kClientGetRedir:
      reply.Integer(-1);
      break;
    default:
      wire::WriteHelp(*wire::FindCommand("CLIENT"), &reply);
  }
  return Next::kGoOn;
}

void Session::ClientSetInfo(Arguments arguments, wire::Reply& reply) {
  const bool is_name = IsWord(arguments[2], "LIB-NAME");
  if (!is_name && !IsWord(arguments[2], "LIB-VER")) {
    return reply.Error("ERR Unrecognized option '" + std::string(arguments[2]) + "'");
  }
  if (!IsPlainText(arguments[3]) || arguments[3].size() > kMaxClientNameBytes) {
    return reply.Error("ERR " + std::string(is_name ? "lib-name" : "lib-ver") +
                       " cannot contain spaces, newlines or special characters.");
  }
  const base::MutexLock lock(names_mutex_);
  (is_name ? library_name_ : library_version_) = arguments[3];
  reply.Ok();
}

void Session::ClientTracking(Arguments arguments, wire::Reply& reply) {
  if (IsWord(arguments[2], "OFF")) return reply.Ok();
  if (IsWord(arguments[2], "ON")) return reply.Error("ERR client side caching is not supported");
  reply.Error(kSyntaxError);
}

void Session::ClientList(Arguments arguments, wire::Reply& reply) {
  std::vector<std::int64_t> ids;
  bool none = false;  // TYPE names a kind of client that Laurel does not have
  if (arguments.size() > 3 && IsWord(arguments[2], "ID")) {
    for (const std::string_view text : arguments.subspan(3)) {
      if (!base::ParseInteger(text, &ids.emplace_back())) {
        return reply.Error("ERR Invalid client ID");
      }
    }
  } else if (arguments.size() == 4 && IsWord(arguments[2], "TYPE")) {
    if (!IsClientType(arguments[3])) {
      return reply.Error("ERR Unknown client type '" + std::string(arguments[3]) + "'");
    }
    none = !IsWord(arguments[3], "NORMAL");
  } else if (arguments.size() > 2) {
    return reply.Error(kSyntaxError);
  }
  auto connections = service_->connections.All();
  std::sort(connections.begin(), connections.end(),
            [](const auto& a, const auto& b) { return a->id() < b->id(); });
  std::string lines;
  for (const auto& connection : connections) {
    const auto id = static_cast<std::int64_t>(connection->id());
    if (none || (!ids.empty() && std::find(ids.begin(), ids.end(), id) == ids.end())) continue;
    lines += connection->conversation().Describe() + "\n";
  }
  reply.Verbatim(lines);
}

Session::Next Session::ClientKill(Arguments arguments, wire::Reply& reply) {
  KillFilter filter;
  const bool old_form = arguments.size() == 3;
  if (old_form) {
    filter.address = arguments[2];
    filter.skip_me = false;
  } else if (arguments.size() % 2 != 0) {
    reply.Error(kSyntaxError);
    return Next::kGoOn;
  }
  for (std::size_t i = 2; !old_form && i < arguments.size(); i += 2) {
    if (const auto error =
            TakeKillFilter(service_->tokens, arguments[i], arguments[i + 1], &filter)) {
      reply.Error(*error);
      return Next::kGoOn;
    }
  }
  std::int64_t killed = 0;
  bool me = false;
  for (const auto& connection : service_->connections.All()) {
    const bool is_me = connection.get() == connection_;
    if (!filter.Matches(*connection, is_me)) continue;
    ++killed;
    if (is_me) {
      me = true;
    } else {
      connection->Shut(Connection::When::kNow);
    }
  }
  if (!old_form) {
    reply.Integer(killed);
  } else {
    killed > 0 ? reply.Ok() : reply.Error("ERR No such client");
  }
  return me ? Next::kClose : Next::kGoOn;
}

Session::Next Session::ClientReply(Arguments arguments, wire::Reply& reply) {
  if (IsWord(arguments[2], "ON")) {
    reply_mode_ = ReplyMode::kOn;
    reply.Ok();
  } else if (IsWord(arguments[2], "OFF")) {
    reply_mode_ = ReplyMode::kOff;
  } else if (IsWord(arguments[2], "SKIP")) {
    if (reply_mode_ != ReplyMode::kOff) reply_mode_ = ReplyMode::kSkipNext;
  } else {
    reply.Error(kSyntaxError);
    return Next::kGoOn;
  }
  return Next::kEndPipeline;
}

void Session::ClientUnblock(Arguments arguments, wire::Reply& reply) {
  auto wakeup = engine::Wakeup::kTimeout;
  if (arguments.size() > 4) return reply.Error(kSyntaxError);
  if (arguments.size() == 4) {
    if (IsWord(arguments[3], "ERROR")) {
      wakeup = engine::Wakeup::kError;
    } else if (!IsWord(arguments[3], "TIMEOUT")) {
      return reply.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    }
  }
  std::int64_t id = 0;
  if (!base::ParseInteger(arguments[2], &id)) {
    return reply.Error(kNotInteger);
  }
  const auto connection = service_->connections.Find(static_cast<std::uint64_t>(id));
  reply.Integer(
      connection != nullptr && service_->network.engine->Cancel(connection.get(), wakeup) ? 1 : 0);
}

void Session::ClientPause(Arguments arguments, wire::Reply& reply) {
  bool writes_only = false;
  if (arguments.size() > 4) return reply.Error(kSyntaxError);
  if (arguments.size() == 4) {
    writes_only = IsWord(arguments[3], "WRITE");
    if (!writes_only && !IsWord(arguments[3], "ALL")) {
      return reply.Error("ERR CLIENT PAUSE mode must be WRITE or ALL");
    }
  }
  std::int64_t ms = 0;
  if (!base::ParseInteger(arguments[2], &ms)) {
    return reply.Error("ERR timeout is not an integer or out of range");
  }
  if (ms < 0) return reply.Error("ERR timeout is negative");
  constexpr std::int64_t kMostMs = std::int64_t{1} << 50;
  const std::int64_t now_ms = base::MonotonicMicros() / 1000;
  service_->network.pause.Extend(now_ms + std::min(ms, kMostMs), writes_only, now_ms);
  reply.Ok();
}

}  // namespace laurel::server
