// A byte stream to a server over TCP, with or without TLS. For one thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "client/redis_url.h"
#include "laurel/result.h"

namespace laurel::client {

// How to check the certificate of a server.
struct TlsOptions {
  std::string ca_file;  // PEM with trusted authorities; empty: those of the system
  bool verify = true;   // false: accepts any certificate, even of another server
};

// Limits a wait for the other end.
struct WaitLimits {
  int timeout_ms = 60'000;
  // Set by another thread or a signal to end any wait with an error. May be null.
  const std::atomic<bool>* stop = nullptr;
};

class NetworkStream {
 public:
  // Connects to each IP address of the host in turn, and makes the TLS handshake if the address
  // requires it. `waits` limits each step.
  static Result<std::unique_ptr<NetworkStream>> Open(const ServerAddress& address,
                                                     const TlsOptions& tls,
                                                     const WaitLimits& waits);
  virtual ~NetworkStream() = default;

  struct Moved {
    std::size_t sent = 0;
    std::size_t received = 0;
  };
  // Sends from `output` and receives into `room`, whichever is possible first, and returns when
  // some bytes have moved either way. It receives while sending, because a server may stop reading
  // until its replies are read. Returns without any bytes when the time limit has passed. ERR,
  // without the address, if the stream is closed, broken or stopped.
  virtual Result<Moved> Exchange(std::string_view output, std::span<char> room) = 0;

  void set_timeout_ms(int timeout_ms) { waits_.timeout_ms = timeout_ms; }
  [[nodiscard]] int timeout_ms() const { return waits_.timeout_ms; }

 protected:
  explicit NetworkStream(const WaitLimits& waits) : waits_(waits) {}
  [[nodiscard]] const WaitLimits& waits() const { return waits_; }

 private:
  WaitLimits waits_;
};

}  // namespace laurel::client
