// Continuous writes and a probe, to measure the effect of other work of the server. redis-benchmark
// cannot report the latencies of a stretch that ends with a snapshot, so this class measures them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "bench/server/process.h"

namespace laurel::bench {

// The latencies of one stretch, each from sending to the complete reply.
struct Stretch {
  double seconds = 0;
  double writes_per_second = 0;
  double write_p50_ms = 0;
  double write_p99_ms = 0;
  double write_longest_ms = 0;
  double probe_p99_ms = 0;
  double probe_longest_ms = 0;
};

// Runs 50 clients that each send a ZADD of a random member as soon as the previous one is answered,
// and a probe that alternates PING and ZSCORE every millisecond. The writers share a thread; the
// probe has its own.
class Traffic {
 public:
  // REQUIRES: `board` holds the members of FillBoard.
  Traffic(const Target& target, const std::string& board, std::uint64_t members);
  ~Traffic();
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  // Measures the requests sent from now until `goes_on` returns false. `goes_on` is called every 10
  // ms. Throws Failure if the server goes away.
  Stretch Measure(const std::function<bool()>& goes_on);

 private:
  using Clock = std::chrono::steady_clock;
  using Latencies = std::vector<double>;  // ms

  void Write(const Target& target);
  void Probe(const Target& target);
  void Count(Clock::time_point sent, Latencies* latencies);

  std::string board_;
  std::uint64_t members_;
  std::atomic<bool> stops_ = false;
  std::mutex mutex_;  // guards the members below, up to probes_
  Clock::time_point begin_ = Clock::time_point::max();
  Clock::time_point end_ = Clock::time_point::max();
  Latencies writes_;
  Latencies probes_;
  // Declared last, because their threads use the other members.
  std::future<void> writer_;
  std::future<void> probe_;
};

}  // namespace laurel::bench
