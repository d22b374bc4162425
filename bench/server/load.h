// redis-benchmark as the load: one command, many clients, figures from its own count and from the
// kernel's accounts of both processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/server/connection.h"
#include "bench/server/process.h"

namespace laurel::bench {

// What redis-benchmark writes a new random number of 12 digits in place of, at each occurrence.
inline constexpr char kRandom[] = "__rand_int__";
// What RunLoad writes the number of the run in place of. redis-benchmark seeds its random numbers
// with time and process id, so two runs may draw the same ones.
inline constexpr char kRun[] = "__run__";

struct Load {
  Command command;  // may contain kRandom and kRun
  int pipeline = 1;
  std::uint64_t random_below = 1;
  int client_threads = 0;  // 0: redis-benchmark's plain event loop
  bool resp3 = false;
};

struct LoadResult {
  double requests_per_second = 0;
  double p50_ms = 0;  // of a whole pipeline
  double p99_ms = 0;
  double client_cpu_percent = 0;  // of one core
  double client_cpu_us = 0;       // per request
  double server_cpu_us = 0;       // per request, all threads, user and system
};

// "redis-benchmark 7.0.15". Throws Failure if it is missing.
std::string LoadProgramVersion();

// Throws Failure if redis-benchmark fails or the server ends meanwhile.
LoadResult RunLoad(const Target& target, const Load& load, std::uint64_t requests);

// The command as sent for member 0: what one request and its reply look like.
Command Sample(const Load& load);

}  // namespace laurel::bench
