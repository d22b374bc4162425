// A small blocking client for tests. Reads RESP2 and RESP3 (tests/support/resp.h).
//
// A broken connection, bytes that are no reply, and a reply that does not come in time throw
// std::runtime_error; GoogleTest makes a failure of it. One thread per client.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/support/resp.h"

namespace laurel::black_box {

using Arguments = resp::Words;
using resp::Encoded;
using resp::ParseReply;
using resp::Quoted;
using resp::Value;

class RespClient {
 public:
  static constexpr int kDefaultTimeoutMs = 10'000;

  // Connects to 127.0.0.1.
  explicit RespClient(int port, int timeout_ms = kDefaultTimeoutMs);
  // `host` is an IPv4 address.
  RespClient(const std::string& host, int port, int timeout_ms = kDefaultTimeoutMs);
  RespClient(RespClient&& other) noexcept;
  RespClient& operator=(RespClient&& other) noexcept;
  ~RespClient();

  // Sends all of it. Reads meanwhile what comes, so that two full sockets do not wait for each
  // other.
  void SendRaw(std::string_view bytes);
  void Send(const Arguments& arguments) { SendRaw(Encoded(arguments)); }
  // Half-closes the connection: the server meets the end of input.
  void FinishSending();

  // The next reply. The raw form is exactly its bytes.
  Value ReadReply();
  std::string ReadRawReply();
  // Waits until there is a whole reply, at most so long; it is left to be read.
  bool ReplyWithin(int timeout_ms);
  // Waits for the server to close the connection. False if it does not, or sends anything more.
  bool ReadEnd();

  Value Command(const Arguments& arguments) {
    Send(arguments);
    return ReadReply();
  }
  // Command, as text: see Value::ToString.
  std::string Ask(const Arguments& arguments) { return Command(arguments).ToString(); }

  // Waits for a reply from now on at most so long.
  void set_timeout_ms(int timeout_ms) { timeout_ms_ = timeout_ms; }
  int fd() const { return fd_; }

 private:
  enum class Filled { kBytes, kEnd, kTimeout };

  // Waits for bytes and appends them to what is there to be parsed.
  Filled Fill(int timeout_ms);
  void ReceiveAvailable();
  // Waits for a whole reply; its bytes, which are good until the next call.
  std::string_view NextReply();
  std::string_view Unread() const { return std::string_view(input_).substr(consumed_); }
  void Consume(std::size_t count);

  int fd_ = -1;
  int timeout_ms_;
  std::string input_;
  std::size_t consumed_ = 0;  // bytes of input_ that were given out
  resp::Parser parser_;
  bool ended_ = false;
};

}  // namespace laurel::black_box
