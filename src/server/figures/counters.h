// Counters since the server's start, or since CONFIG RESETSTAT. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace laurel::server {

struct Counters {
  std::atomic<std::uint64_t> connections{0};  // accepted
  std::atomic<std::uint64_t> rejected{0};     // beyond --max-clients
  std::atomic<std::uint64_t> commands{0};
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};
  std::atomic<std::uint64_t> errors_protocol{0};
  std::atomic<std::uint64_t> refused_logins{0};
  std::atomic<std::uint64_t> output_overflows{0};  // clients closed by max-output or max-buffers

  void Reset() {
    for (auto* counter : {&connections, &rejected, &commands, &bytes_in, &bytes_out,
                          &errors_protocol, &refused_logins, &output_overflows}) {
      *counter = 0;
    }
  }
};

}  // namespace laurel::server
