// A byte stream to a server over TCP, with or without TLS. For one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "transfer/redis_url.h"

namespace laurel::transfer {

// How the certificate of a server is checked.
struct TlsOptions {
  std::string ca_file;  // PEM with the authorities to trust; empty: those of the system
  bool verify = true;  // false: any certificate is accepted, so the other end may be another server
};

class NetworkStream {
 public:
  // Connects to the address, by each of its IP addresses in turn, and makes the TLS handshake if
  // the address asks for it. `timeout_ms` limits each step; 0: no limit.
  static Result<std::unique_ptr<NetworkStream>> Open(const ServerAddress& address,
                                                     const TlsOptions& tls, int timeout_ms);
  virtual ~NetworkStream() = default;

  struct Moved {
    std::size_t sent = 0;
    std::size_t received = 0;
  };
  // Sends from `output` and receives into `room`, whichever is possible first, and returns when
  // some bytes have moved either way. Receiving while sending keeps a pipeline from blocking: a
  // server may stop reading until its replies are read. ERR, without the address, if the stream is
  // closed or broken, or if nothing moves for `timeout_ms`.
  virtual Result<Moved> Exchange(std::string_view output, std::span<char> room) = 0;
};

}  // namespace laurel::transfer
