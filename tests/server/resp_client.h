// A small blocking client for tests. Reads RESP2 and RESP3 (tests/support/resp.h).
//
// Throws std::runtime_error on a broken connection, on bytes that are not RESP and on a timeout;
// GoogleTest reports it as a test failure. A client is used by one thread.
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
  static constexpr int kDefaultTimeoutMs = 120'000;  // long enough for a loaded machine

  // Connects to 127.0.0.1.
  explicit RespClient(int port, int timeout_ms = kDefaultTimeoutMs);
  // `host` is an IPv4 address.
  RespClient(const std::string& host, int port, int timeout_ms = kDefaultTimeoutMs);
  RespClient(RespClient&& other) noexcept;
  RespClient& operator=(RespClient&& other) noexcept;
  ~RespClient();

  // Sends all bytes. Receives meanwhile, so that client and server do not deadlock when both socket
  // buffers are full.
  void SendRaw(std::string_view bytes);
  void Send(const Arguments& arguments) { SendRaw(Encoded(arguments)); }
  // Half-closes the connection: the server reads the end of input.
  void FinishSending();

  // Reads the next reply. The raw form returns exactly its bytes.
  Value ReadReply();
  std::string ReadRawReply();
  // Waits for a whole reply, at most `timeout_ms` for each arrival of bytes, and leaves it unread.
  // Returns false on a timeout or at the end of the connection.
  bool ReplyWithin(int timeout_ms);
  // Waits for the server to close the connection. Returns false if it does not, or if there are
  // bytes left to read.
  bool ReadEnd();
  // Waits for the server to close the connection. Returns the bytes that were left to read.
  std::string ReadToEnd();

  Value Command(const Arguments& arguments) {
    Send(arguments);
    return ReadReply();
  }
  // The reply to a command as text: see Value::ToString.
  std::string Ask(const Arguments& arguments) { return Command(arguments).ToString(); }

  int fd() const { return fd_; }

 private:
  enum class Filled { kBytes, kEnd, kTimeout };

  // Waits for bytes and appends them to `input_`.
  Filled Fill(int timeout_ms);
  void ReceiveAvailable();
  // Waits for a whole reply. Returns its bytes, which stay valid until the next call.
  std::string_view NextReply();
  std::string_view Unread() const { return std::string_view(input_).substr(consumed_); }
  void Consume(std::size_t count);

  int fd_ = -1;
  int timeout_ms_;
  std::string input_;
  std::size_t consumed_ = 0;  // bytes of input_ that were returned to the caller
  resp::Parser parser_;
  bool ended_ = false;
};

}  // namespace laurel::black_box
