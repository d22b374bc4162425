#include "client/redis_connection.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/integer.h"
#include "wire/reply.h"
#include "wire/reply_cursor.h"

namespace laurel::client {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kReceiveBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxReplyBytes = std::size_t{512} << 20;
constexpr std::int64_t kMaxElements = 64'000'000;
constexpr std::size_t kMaxLineBytes = std::size_t{64} << 10;
constexpr int kMaxDepth = 8;

// Returns the value of a complete reply. REQUIRES: the bytes were scanned.
Result<RespValue> ValueOf(wire::ReplyCursor* cursor, int depth) {
  wire::ReplyCursor ahead = *cursor;
  const std::string_view reply = ahead.Next();
  const std::string_view head = reply.substr(0, reply.find(kLineEnd));
  RespValue value;
  if (depth > kMaxDepth) return Error{ErrorCode::kErr, "it answers a value nested too deeply"};
  if (reply[0] == '*' && head != "*-1") {
    value.kind = RespValue::Kind::kArray;
    for (std::size_t left = cursor->EnterArray(); left > 0; --left) {
      Result<RespValue> element = ValueOf(cursor, depth + 1);
      if (!element.ok()) return element.error();
      value.elements.push_back(std::move(*element));
    }
    return value;
  }
  *cursor = ahead;
  if (reply[0] == '-') return Error{ErrorCode::kErr, std::string(head.substr(1))};
  const std::optional<std::string_view> text = TextOfReply(reply);
  if (!text) return value;
  if (reply[0] == ':') {
    value.kind = RespValue::Kind::kInteger;
    if (base::ParseInteger(*text, &value.integer)) return value;
    return Error{ErrorCode::kErr, "it answers an integer that is none"};
  }
  value.kind = RespValue::Kind::kText;
  value.text = *text;
  return value;
}

}  // namespace

const RespValue* RespValue::Find(std::string_view name) const {
  for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
    if (elements[i].kind == Kind::kText && elements[i].text == name) return &elements[i + 1];
  }
  return nullptr;
}

std::optional<std::string_view> TextOfReply(std::string_view reply) {
  const std::size_t line = reply.find(kLineEnd);
  if (line == std::string_view::npos || reply.empty()) return std::nullopt;
  if (reply[0] == '+' || reply[0] == ':') return reply.substr(1, line - 1);
  if (reply[0] != '$' || reply.substr(0, line) == "$-1") return std::nullopt;
  return reply.substr(line + kLineEnd.size(), reply.size() - line - 2 * kLineEnd.size());
}

std::string_view TextOfError(std::string_view reply) {
  return reply.substr(1, reply.find(kLineEnd) - 1);
}

Result<std::unique_ptr<RedisConnection>> RedisConnection::Connect(const ConnectOptions& options) {
  Result<std::unique_ptr<NetworkStream>> stream =
      NetworkStream::Open(options.address, options.tls, options.waits);
  if (!stream.ok()) return stream.error();
  std::unique_ptr<RedisConnection> made(
      new RedisConnection(std::move(*stream), options.address.Text(), options.login_hint));
  if (const Status known = made->LogIn(options.address); !known.ok()) return known.error();
  return made;
}

Status RedisConnection::LogIn(const ServerAddress& as) {
  const auto must = [this](const std::vector<std::string>& words) -> Status {
    const Result<RespValue> reply = Ask(words);
    if (reply.ok()) return Ok{};
    if (broken_) return reply.error();
    return Error{ErrorCode::kErr, address_ + ": " + reply.error().message};
  };
  if (!as.user.empty() || !as.password.empty()) {
    std::vector<std::string> login = {"AUTH", as.password};
    if (!as.user.empty()) login.insert(login.begin() + 1, as.user);
    if (const Status known = must(login); !known.ok()) return known;
  }
  if (as.database == 0) return Ok{};
  return must({"SELECT", std::to_string(as.database)});
}

int RedisConnection::SetTimeoutMs(int timeout_ms) {
  const int before = stream_->timeout_ms();
  stream_->set_timeout_ms(timeout_ms);
  return before;
}

std::string RedisConnection::Explain(std::string_view text) const {
  const bool wants_login =
      (text.starts_with("NOAUTH") || text.starts_with("WRONGPASS")) && !login_hint_.empty();
  return std::string(text) + (wants_login ? " (" + login_hint_ + ")" : "");
}

Error RedisConnection::Broken(const std::string& what) {
  if (!broken_) broken_ = what;
  return {ErrorCode::kErr, address_ + ": " + *broken_};
}

Status RedisConnection::Move() {
  if (broken_) return Broken(*broken_);
  if (capacity_ - end_ < kReceiveBytes) {
    const std::size_t held = end_ - begin_;
    if (held + kReceiveBytes > capacity_) {
      const std::size_t capacity = std::max(capacity_ * 2, kReceiveBytes * 2);
      auto larger = std::make_unique_for_overwrite<char[]>(capacity);
      if (held > 0) std::memcpy(larger.get(), input_.get() + begin_, held);
      input_ = std::move(larger);
      capacity_ = capacity;
    } else if (held > 0) {
      std::memmove(input_.get(), input_.get() + begin_, held);
    }
    begin_ = 0;
    end_ = held;
  }
  const Result<NetworkStream::Moved> moved = stream_->Exchange(
      std::string_view(output_).substr(sent_), {input_.get() + end_, capacity_ - end_});
  if (!moved.ok()) return Broken(moved.error().message);
  if (moved->received == 0 && moved->sent == 0) {
    timed_out_ = true;
    return Broken("no answer for " + std::to_string(stream_->timeout_ms() / 1000) + " s");
  }
  end_ += moved->received;
  sent_ += moved->sent;
  if (sent_ == output_.size()) {
    output_.clear();
    sent_ = 0;
  }
  return Ok{};
}

Result<bool> RedisConnection::Scan() {
  while (missing_ > 0) {
    const std::string_view rest(input_.get() + begin_ + scanned_, end_ - begin_ - scanned_);
    if (rest.empty()) return false;
    const std::size_t line = rest.substr(0, kMaxLineBytes).find(kLineEnd);
    if (line == std::string_view::npos) {
      if (rest.size() < kMaxLineBytes) return false;
      return Broken("it does not speak RESP");
    }
    std::size_t bytes = line + kLineEnd.size();
    std::int64_t count = 0;
    switch (rest[0]) {
      case '+':
      case '-':
      case ':':
        break;
      case '$':
      case '*': {
        const bool is_count = base::ParseInteger(rest.substr(1, line - 1), &count);
        const std::int64_t most =
            rest[0] == '*' ? kMaxElements : static_cast<std::int64_t>(kMaxReplyBytes);
        if (!is_count || count < -1 || count > most) return Broken("it answers what is no reply");
        break;
      }
      default:
        return Broken("it does not speak RESP");
    }
    if (rest[0] == '$' && count >= 0) {
      bytes += static_cast<std::size_t>(count) + kLineEnd.size();
      if (scanned_ + bytes > kMaxReplyBytes) return Broken("it answers too much at once");
      if (rest.size() < bytes) return false;
      if (rest.substr(bytes - kLineEnd.size(), kLineEnd.size()) != kLineEnd) {
        return Broken("it answers what is no reply");
      }
    }
    if (rest[0] == '*' && count > 0) missing_ += static_cast<std::uint64_t>(count);
    --missing_;
    scanned_ += bytes;
    if (scanned_ > kMaxReplyBytes) return Broken("it answers too much at once");
  }
  return true;
}

void RedisConnection::Queue(std::span<const std::string_view> words) {
  // A request has the form of a reply, an array of words.
  wire::Reply request(&output_, wire::Protocol::kResp2);
  request.Array(words.size());
  for (const std::string_view word : words) request.Bulk(word);
  ++in_flight_;
}

Status RedisConnection::Flush() {
  while (queued_bytes() > 0) {
    if (const Status moved = Move(); !moved.ok()) return moved;
  }
  return Ok{};
}

Result<std::string_view> RedisConnection::Next() {
  LAUREL_ASSERT(in_flight_ > 0);
  for (;;) {
    const Result<bool> whole = Scan();
    if (!whole.ok()) return whole.error();
    if (*whole) break;
    if (const Status moved = Move(); !moved.ok()) return moved.error();
  }
  const std::string_view reply(input_.get() + begin_, scanned_);
  begin_ += scanned_;
  scanned_ = 0;
  missing_ = 1;
  --in_flight_;
  answered_ = true;
  return reply;
}

Result<RespValue> RedisConnection::Ask(const std::vector<std::string>& words) {
  LAUREL_ASSERT(in_flight_ == 0);
  Queue(std::vector<std::string_view>(words.begin(), words.end()));
  // Next would not send the request if a reply had already arrived. Next returns its error.
  (void)Flush().ok();
  const Result<std::string_view> reply = Next();
  if (!reply.ok()) return reply.error();
  return Parse(*reply);
}

Result<RespValue> RedisConnection::Parse(std::string_view reply) const {
  wire::ReplyCursor cursor(reply);
  Result<RespValue> value = ValueOf(&cursor, 0);
  if (!value.ok()) return Error{value.error().code, Explain(value.error().message)};
  return value;
}

}  // namespace laurel::client
