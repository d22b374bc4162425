// A closed loop of clients, each with one request in flight. HTTP and RESP use the same loop, so
// that they are compared under the same load.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/server/process.h"

namespace laurel::bench {

enum class Wire : std::uint8_t { kHttp, kResp };

struct LoopLoad {
  Target target;
  Wire wire = Wire::kHttp;
  int clients = 50;
  double seconds = 2;
  std::uint16_t port = 0;                                           // 0: the target's, by `wire`
  std::function<void(std::uint64_t n, std::string* request)> next;  // writes request number n
};

struct LoopResult {
  std::uint64_t requests = 0;
  std::uint64_t errors = 0;  // answers other than success
  double seconds = 0;
  double server_cpu_seconds = 0;
  double client_cpu_seconds = 0;
  std::vector<float> latencies_us;  // sorted
  std::string first_error;

  [[nodiscard]] double Rate() const { return static_cast<double>(requests) / seconds; }
  [[nodiscard]] double CpuMicros() const {
    return server_cpu_seconds * 1e6 / static_cast<double>(requests);
  }
  [[nodiscard]] double At(double share) const;  // a latency in µs; 0.99: p99
  [[nodiscard]] double Mean() const;
};

// Throws Failure if a connection ends.
LoopResult RunLoop(const LoopLoad& load);

// A connected, non-blocking socket. Throws Failure.
int ConnectTo(std::uint16_t port);

std::string GetRequest(const std::string& target);
std::string PostRequest(const std::string& target, const std::string& body);

}  // namespace laurel::bench
