// A connection to a running server, for commands of the `laurel` program: one request at a time,
// one reply, blocking, RESP2.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"

namespace laurel::cli {

struct RespValue {
  enum class Kind : std::uint8_t { kText, kInteger, kArray, kNull };
  Kind kind = Kind::kNull;
  std::string text;  // a simple or bulk string
  std::int64_t integer = 0;
  std::vector<RespValue> elements;

  // The value behind `name` in an array of names and values; null if it is not there.
  [[nodiscard]] const RespValue* Find(std::string_view name) const;
};

class RespConnection {
 public:
  // `address` is HOST:PORT, HOST, or :PORT; an IPv6 address stands in brackets.
  static Result<std::unique_ptr<RespConnection>> Connect(const std::string& address);
  ~RespConnection();
  RespConnection(const RespConnection&) = delete;
  RespConnection& operator=(const RespConnection&) = delete;

  // An error reply of the server is an error: its line. After any other error the connection is of
  // no use.
  Result<RespValue> Ask(const std::vector<std::string>& arguments);

  // Whom it is connected to: "127.0.0.1:7600".
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  RespConnection(int socket, std::string address) : socket_(socket), address_(std::move(address)) {}

  Status Send(std::string_view bytes);
  // More bytes into input_.
  Status Receive();
  Result<std::string> ReadLine();
  Result<RespValue> ReadValue(int depth);
  [[nodiscard]] Error Broken(const std::string& what) const;

  int socket_;
  std::string address_;
  std::string input_;
  std::size_t read_ = 0;  // of input_
};

}  // namespace laurel::cli
