#include "client/patient_connection.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "wire/reply_cursor.h"

namespace laurel::client {
namespace {

// The maximum of requests in flight, and of request bytes that are sent at once.
constexpr std::size_t kMaxInFlight = 2000;
constexpr std::size_t kMaxQueuedBytes = std::size_t{256} << 10;
constexpr std::int64_t kFirstWaitMs = 100;
constexpr std::int64_t kLongestWaitMs = 5000;
constexpr std::int64_t kNapMs = 50;  // upper bound of the delay of a stop
constexpr int kMaxReconnects = 8;    // in a row, without progress
constexpr int kMaxTimeouts = 2;
constexpr int kMaxRedirections = 16;  // in a row, without progress

// Whether an error says that the server cannot answer yet.
bool IsTemporary(std::string_view text) {
  return text.starts_with("LOADING ") || text.starts_with("TRYAGAIN ") ||
         text.starts_with("CLUSTERDOWN ");
}
bool IsMove(std::string_view text) { return text.starts_with("MOVED "); }
bool IsDetour(std::string_view text) { return text.starts_with("ASK "); }

}  // namespace

Result<PatientConnection> PatientConnection::Open(const ConnectOptions& options) {
  PatientConnection made(options);
  Result<std::unique_ptr<RedisConnection>> connection = RedisConnection::Connect(options);
  if (!connection.ok()) return connection.error();
  made.connection_ = std::move(*connection);
  return made;
}

Status PatientConnection::Reconnect(const Error& reason) {
  Error last = reason;
  // Retries only if the server has answered before; otherwise the address is probably wrong.
  answered_ = answered_ || connection_->answered();
  if (!answered_) return last;
  if (connection_->timed_out()) ++timeouts_;
  while (timeouts_ < kMaxTimeouts && ++attempts_ <= kMaxReconnects) {
    const std::int64_t wait_ms = std::min(kFirstWaitMs << (attempts_ - 1), kLongestWaitMs);
    for (std::int64_t waited_ms = 0; waited_ms < wait_ms && !stopped(); waited_ms += kNapMs) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kNapMs));
    }
    if (stopped()) return last;
    // The node may have failed; the first node knows which one has its slots.
    if (attempts_ % 2 == 0) SetAddress(first_);
    const std::int64_t began_us = base::MonotonicMicros();
    Result<std::unique_ptr<RedisConnection>> connection = RedisConnection::Connect(options_);
    if (connection.ok()) {
      connection_ = std::move(*connection);
      return Ok{};
    }
    last = connection.error();
    const std::int64_t took_ms = (base::MonotonicMicros() - began_us) / 1000;
    if (took_ms >= options_.waits.timeout_ms) ++timeouts_;
  }
  return last;
}

void PatientConnection::SetAddress(const ServerAddress& address) {
  options_.address = address;
  address_ = address.Text();
}

Result<std::unique_ptr<RedisConnection>> PatientConnection::Follow(std::string_view error,
                                                                   ServerAddress* node) {
  // The error is "MOVED 3999 127.0.0.1:6381". An empty host means the answering server.
  const std::string_view endpoint = error.substr(error.rfind(' ') + 1);
  const std::size_t colon = endpoint.rfind(':');
  if (++redirections_ > kMaxRedirections || colon == std::string_view::npos) {
    return Error{ErrorCode::kErr, address_ + ": " + std::string(error)};
  }
  *node = options_.address;
  if (colon > 0) node->host = endpoint.substr(0, colon);
  node->port = endpoint.substr(colon + 1);
  ConnectOptions there = options_;
  there.address = *node;
  return RedisConnection::Connect(there);
}

Status PatientConnection::Move(std::string_view error) {
  ServerAddress node;
  Result<std::unique_ptr<RedisConnection>> connection = Follow(error, &node);
  if (!connection.ok()) return Reconnect(connection.error());
  connection_ = std::move(*connection);
  SetAddress(node);
  return Ok{};
}

Status PatientConnection::Detour(std::string_view error, const std::function<Status()>& work) {
  ServerAddress node;
  Result<std::unique_ptr<RedisConnection>> there = Follow(error, &node);
  if (!there.ok()) return there.error();
  if (const auto asking = (*there)->Ask(std::vector<std::string>{"ASKING"}); !asking.ok()) {
    return asking.error();
  }
  connection_.swap(*there);
  Status done = work();
  connection_.swap(*there);
  return done;
}

Result<RespValue> PatientConnection::Ask(const std::vector<std::string>& words,
                                         std::string* refusal) {
  if (refusal != nullptr) refusal->clear();
  RespValue value;
  const Status asked = AskOne(words, [&](std::string_view reply) -> Status {
    Result<RespValue> parsed = connection_->Parse(reply);
    if (!parsed.ok()) {
      if (refusal != nullptr) *refusal = parsed.error().message;
      return Error{ErrorCode::kErr, address_ + ": " + parsed.error().message};
    }
    value = std::move(*parsed);
    return Ok{};
  });
  if (!asked.ok()) return asked.error();
  return value;
}

Status PatientConnection::AskRaw(const std::vector<std::string>& words, std::string* reply) {
  return AskOne(words, [&](std::string_view bytes) -> Status {
    if (wire::IsErrorReply(bytes)) return Refused(bytes);
    reply->assign(bytes);
    return Ok{};
  });
}

Status PatientConnection::AskOne(const std::vector<std::string>& words,
                                 const std::function<Status(std::string_view reply)>& check) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  return Pipelined(
      1, [&](std::size_t) { connection_->Queue(views); },
      [&](std::size_t, std::string_view reply) { return check(reply); });
}

Error PatientConnection::Refused(std::string_view reply) const {
  return {ErrorCode::kErr, address_ + ": " + connection_->Explain(TextOfError(reply))};
}

Status PatientConnection::Pipelined(
    std::size_t count, const std::function<void(std::size_t item)>& send,
    const std::function<Status(std::size_t item, std::string_view reply)>& check) {
  std::size_t sent = 0;
  std::size_t done = 0;
  while (done < count) {
    if (stopped()) return Error{ErrorCode::kErr, "stopped by a signal"};
    while (sent < count && connection_->in_flight() < kMaxInFlight &&
           connection_->queued_bytes() < kMaxQueuedBytes) {
      send(sent++);
    }
    // An error appears after the replies that have arrived.
    (void)connection_->Flush().ok();
    // Takes only half of the replies, so that the server has work while the next requests are made.
    for (std::size_t replies = (connection_->in_flight() + 1) / 2; replies > 0; --replies) {
      Result<std::string_view> reply = connection_->Next();
      std::string error(reply.ok() && wire::IsErrorReply(*reply) ? TextOfError(*reply) : "");
      if (IsDetour(error)) {
        const Status asked = Detour(error, [&]() -> Status {
          send(done);
          const Result<std::string_view> there = connection_->Next();
          if (!there.ok()) return there.error();
          error = wire::IsErrorReply(*there) ? TextOfError(*there) : "";
          if (IsTemporary(error) || IsMove(error)) return Ok{};
          Progressed();
          return check(done++, *there);
        });
        if (!asked.ok()) return asked;
        if (!IsTemporary(error) && !IsMove(error)) continue;
      }
      if (!reply.ok() || IsTemporary(error) || IsMove(error)) {
        const Error reason{ErrorCode::kErr, address_ + ": " + error};
        const Status again =
            IsMove(error) ? Move(error) : Reconnect(reply.ok() ? reason : reply.error());
        if (!again.ok()) return again;
        sent = done;
        break;
      }
      Progressed();
      if (const Status good = check(done++, *reply); !good.ok()) return good;
    }
  }
  return Ok{};
}

}  // namespace laurel::client
