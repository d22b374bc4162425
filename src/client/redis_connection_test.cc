#include "client/redis_connection.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/reply_cursor.h"

namespace laurel::client {
namespace {

using Kind = RespValue::Kind;

constexpr std::string_view kPing = "*1\r\n$4\r\nPING\r\n";

// Accepts one connection on a free port of 127.0.0.1, sends a script of bytes, and keeps what it is
// sent.
class ScriptedServer {
 public:
  // Waits for `request_bytes` bytes, sends `replies` in pieces of `piece` bytes, then closes.
  ScriptedServer(std::size_t request_bytes, std::string replies, std::size_t piece = SIZE_MAX)
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(at);
    auto* generic = reinterpret_cast<sockaddr*>(&at);
    if (bind(listener_, generic, bytes) != 0 || listen(listener_, 1) != 0 ||
        getsockname(listener_, generic, &bytes) != 0) {
      std::abort();
    }
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this, request_bytes, replies = std::move(replies), piece] {
      Serve(request_bytes, replies, piece);
    });
  }
  ~ScriptedServer() { Join(); }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] int port() const { return port_; }
  // Waits for the end of the script and returns what the client has sent.
  const std::string& Join() {
    if (thread_.joinable()) thread_.join();
    if (listener_ >= 0) close(listener_);
    listener_ = -1;
    return received_;
  }

 private:
  void Serve(std::size_t request_bytes, std::string_view replies, std::size_t piece) {
    const int client = accept(listener_, nullptr, nullptr);
    char buffer[4096];
    while (received_.size() < request_bytes) {
      const ssize_t got = recv(client, buffer, sizeof(buffer), 0);
      if (got <= 0) break;
      received_.append(buffer, static_cast<std::size_t>(got));
    }
    while (!replies.empty()) {
      const std::string_view part = replies.substr(0, piece);
      if (send(client, part.data(), part.size(), MSG_NOSIGNAL) <= 0) break;
      replies.remove_prefix(part.size());
    }
    shutdown(client, SHUT_WR);
    for (ssize_t got = 1; got > 0; received_.append(buffer, static_cast<std::size_t>(got))) {
      got = std::max<ssize_t>(recv(client, buffer, sizeof(buffer), 0), 0);
    }
    close(client);
  }

  int listener_;
  int port_ = 0;
  std::string received_;
  std::thread thread_;
};

ConnectOptions OptionsFor(const ScriptedServer& server) {
  ConnectOptions options;
  options.address.port = std::to_string(server.port());
  options.waits.timeout_ms = 30'000;
  return options;
}

std::unique_ptr<RedisConnection> Connected(const ScriptedServer& server) {
  Result<std::unique_ptr<RedisConnection>> made = RedisConnection::Connect(OptionsFor(server));
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.ok() ? std::move(*made) : nullptr;
}

TEST(RedisConnection, AskReturnsEveryKindOfValueFromPiecesOfAnySize) {
  const std::string reply =
      "*6\r\n+OK\r\n:-7\r\n$-1\r\n*-1\r\n$5\r\na\r\nbc\r\n*2\r\n$0\r\n\r\n*0\r\n";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, reply.size()}) {
    ScriptedServer server(kPing.size(), reply, piece);
    const auto connection = Connected(server);
    const Result<RespValue> value = connection->Ask({"PING"});
    ASSERT_TRUE(value.ok()) << value.error().message;
    ASSERT_EQ(value->elements.size(), 6U);
    EXPECT_EQ(value->elements[0].text, "OK");
    EXPECT_EQ(value->elements[1].integer, -7);
    EXPECT_EQ(value->elements[2].kind, Kind::kNull);
    EXPECT_EQ(value->elements[3].kind, Kind::kNull);
    EXPECT_EQ(value->elements[4].text, "a\r\nbc");
    EXPECT_EQ(value->elements[5].elements.size(), 2U);
    EXPECT_EQ(value->elements[5].elements[1].kind, Kind::kArray);
  }
}

TEST(RedisConnection, ErrorReplyLeavesTheConnectionUsable) {
  ScriptedServer server(kPing.size(), "-ERR no\r\n+PONG\r\n");
  const auto connection = Connected(server);
  const Result<RespValue> refused = connection->Ask({"PING"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "ERR no");
  EXPECT_FALSE(connection->broken());
  EXPECT_TRUE(connection->Ask({"PING"}).ok());
}

TEST(RedisConnection, PipelinedRepliesComeInOrderThoughTheServerSendsBeforeItReads) {
  // More than the sockets' buffers hold: Next must read while it sends.
  const std::string value(1000, 'x');
  const std::size_t count = 20'000;
  std::string replies;
  for (std::size_t i = 0; i < count; ++i) {
    replies += "*2\r\n:" + std::to_string(i) + "\r\n$1000\r\n" + value + "\r\n";
  }
  ScriptedServer server(1, replies);
  const auto connection = Connected(server);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view words[] = {"SET", "key", value};
    connection->Queue(words);
  }
  EXPECT_EQ(connection->in_flight(), count);
  for (std::size_t i = 0; i < count; ++i) {
    const Result<std::string_view> reply = connection->Next();
    ASSERT_TRUE(reply.ok()) << reply.error().message;
    wire::ReplyCursor cursor(*reply);
    ASSERT_EQ(cursor.EnterArray(), 2U);
    ASSERT_EQ(TextOfReply(cursor.Next()), std::to_string(i));
    ASSERT_EQ(TextOfReply(cursor.Next()), value);
  }
  EXPECT_EQ(connection->in_flight(), 0U);
}

TEST(RedisConnection, LogsInAndSelectsTheDatabase) {
  ScriptedServer server(1, "+OK\r\n+OK\r\n");
  ConnectOptions options = OptionsFor(server);
  options.address.user = "ann";
  options.address.password = "secret";
  options.address.database = 3;
  {
    const auto made = RedisConnection::Connect(options);
    ASSERT_TRUE(made.ok()) << made.error().message;
  }
  EXPECT_EQ(server.Join(),
            "*3\r\n$4\r\nAUTH\r\n$3\r\nann\r\n$6\r\nsecret\r\n"
            "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n");
}

TEST(RedisConnection, RefusedLoginNamesTheAddressAndNotThePassword) {
  ScriptedServer server(1, "-WRONGPASS invalid username-password pair\r\n");
  ConnectOptions options = OptionsFor(server);
  options.address.password = "secret";
  const auto made = RedisConnection::Connect(options);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message,
            "127.0.0.1:" + options.address.port + ": WRONGPASS invalid username-password pair");
}

TEST(RedisConnection, WhatIsNoReplyBreaksTheConnection) {
  const std::string no_line(70'000, '+');
  const std::string deep =
      std::string("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n");
  for (const std::string& replies :
       {std::string("HTTP/1.1 400 Bad Request\r\n"), std::string("$x\r\n"), std::string("$-2\r\n"),
        std::string("*99999999999\r\n"), std::string("$3\r\nabcd\r\n"), std::string("\r\n"),
        std::string("$600000000\r\n"), std::string("+OK"), std::string("*2\r\n:1\r\n"), no_line}) {
    ScriptedServer server(kPing.size(), replies);
    const auto connection = Connected(server);
    const Result<RespValue> value = connection->Ask({"PING"});
    ASSERT_FALSE(value.ok()) << replies.substr(0, 20);
    EXPECT_TRUE(value.error().message.starts_with(connection->address() + ": "));
    EXPECT_TRUE(connection->broken()) << replies.substr(0, 20);
  }
  ScriptedServer server(kPing.size(), deep);
  EXPECT_FALSE(Connected(server)->Ask({"PING"}).ok());
}

TEST(RedisConnection, AbsentServerIsAnErrorThatNamesTheAddress) {
  ScriptedServer server(0, "");
  ConnectOptions options = OptionsFor(server);
  { const auto connection = Connected(server); }
  server.Join();
  const auto made = RedisConnection::Connect(options);
  ASSERT_FALSE(made.ok());
  EXPECT_TRUE(made.error().message.starts_with("cannot connect to 127.0.0.1:"))
      << made.error().message;
}

TEST(RedisConnection, SilentServerIsAnErrorAfterTheTimeout) {
  ScriptedServer server(1 << 20, "");
  ConnectOptions options = OptionsFor(server);
  options.waits.timeout_ms = 50;
  const auto made = RedisConnection::Connect(options);
  ASSERT_TRUE(made.ok());
  const Result<RespValue> value = (*made)->Ask({"PING"});
  ASSERT_FALSE(value.ok());
  EXPECT_TRUE((*made)->broken());
}

}  // namespace
}  // namespace laurel::client
