// A connection to a running server, for the commands of the `laurel` program. Blocking, RESP2, one
// request at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laurel/result.h"

namespace laurel::cli {

struct RespValue {
  enum class Kind : std::uint8_t { kText, kInteger, kArray, kNull };
  Kind kind = Kind::kNull;
  std::string text;  // a simple or bulk string
  std::int64_t integer = 0;
  std::vector<RespValue> elements;

  // The value that follows `name` in an array of names and values; null if `name` is absent.
  [[nodiscard]] const RespValue* Find(std::string_view name) const;
};

class RespConnection {
 public:
  // `address` is HOST:PORT, HOST, or :PORT; an IPv6 address needs brackets.
  static Result<std::unique_ptr<RespConnection>> Connect(const std::string& address);
  ~RespConnection();
  RespConnection(const RespConnection&) = delete;
  RespConnection& operator=(const RespConnection&) = delete;

  // Sends a request and waits for its reply. An error reply becomes an error with its text. After
  // any other error the connection is unusable.
  Result<RespValue> Ask(const std::vector<std::string>& arguments);

  // The server's address, as "127.0.0.1:7600".
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  RespConnection(int socket, std::string address) : socket_(socket), address_(std::move(address)) {}

  Status Send(std::string_view bytes);
  // Appends more bytes to input_.
  Status Receive();
  Result<std::string> ReadLine();
  Result<RespValue> ReadValue(int depth);
  [[nodiscard]] Error Broken(const std::string& what) const;

  int socket_;
  std::string address_;
  std::string input_;
  std::size_t read_ = 0;  // consumed bytes of input_
};

}  // namespace laurel::cli
