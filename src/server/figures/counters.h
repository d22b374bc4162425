// Counters of the server and of its HTTP routes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace laurel::server {

// Since the server's start, or since CONFIG RESETSTAT. Thread-safe.
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

// The requests of one HTTP route with one class of status.
struct RouteFigures {
  std::string_view method;  // "GET"
  std::string_view route;   // the pattern, such as "/v1/boards/{board}"; never a path
  std::string_view status;  // "2xx", "4xx", …
  std::uint64_t requests = 0;
  std::int64_t total_us = 0;  // total time of the requests
};

}  // namespace laurel::server
