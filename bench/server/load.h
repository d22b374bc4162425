// Runs redis-benchmark: one command, many clients. The figures come from its own output and from
// the CPU times of both processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/server/connection.h"
#include "bench/server/process.h"

namespace laurel::bench {

// redis-benchmark replaces each occurrence with a new random number of 12 digits.
inline constexpr char kRandom[] = "__rand_int__";
// RunLoad replaces it with the number of the run. redis-benchmark seeds its random numbers with
// time and process id, so two runs may draw the same ones.
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

// Returns "redis-benchmark 7.0.15". Throws Failure if it is missing.
std::string LoadProgramVersion();

// Throws Failure if redis-benchmark fails or the server ends meanwhile.
LoadResult RunLoad(const Target& target, const Load& load, std::uint64_t requests);

// Returns the command as sent for member 0, to inspect one request and its reply.
Command Sample(const Load& load);

}  // namespace laurel::bench
