// A TCP socket of the server: one that listens, or the one of a client. Never blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "laurel/result.h"

namespace laurel::server {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int number) : number_(number) {}
  ~Socket() { Close(); }
  Socket(Socket&& from) noexcept : number_(std::exchange(from.number_, -1)) {}
  Socket& operator=(Socket&& from) noexcept {
    Close();
    number_ = std::exchange(from.number_, -1);
    return *this;
  }

  // Listens on a numeric address. ERR with the system's reason.
  static Result<Socket> Listen(const std::string& address, std::uint16_t port);
  // Returns a client's socket. It is not open if there is none; errno has the cause, EAGAIN if no
  // client waits.
  [[nodiscard]] Socket Accept() const;

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  // "127.0.0.1:7600", "[::1]:7600"; "?:0" if unknown.
  [[nodiscard]] std::string Local() const;
  [[nodiscard]] std::string Remote() const;
  [[nodiscard]] std::uint16_t LocalPort() const;

  // Sets what connections of clients need: low latency and keepalive.
  void SetClientOptions() const;
  // Sends what fits without waiting. Errors are ignored.
  void Send(std::string_view bytes) const;
  // Closes the connection so that the client receives what was sent.
  void Shut();
  void Close();

 private:
  int number_ = -1;
};

}  // namespace laurel::server
