// A client that asks a server something small every millisecond, and knows how long it waited.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <vector>

#include "bench/server/process.h"

namespace laurel::bench {

class Probe {
 public:
  using Clock = std::chrono::steady_clock;

  // Sends PING and a ZADD to a board of its own in turn, each a millisecond after the last reply.
  explicit Probe(const Target& target);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // The longest wait for a reply, in ms, of what was sent since `since`. What is still waited for
  // counts as long as it has lasted. Throws Failure if the server has gone away.
  double LongestSince(Clock::time_point since);

 private:
  struct Wait {
    Clock::time_point sent;
    double ms;
  };

  void Run(const Target& target);

  std::atomic<bool> stops_ = false;
  std::mutex mutex_;  // guards what follows
  std::vector<Wait> waits_;
  bool waiting_ = false;
  Clock::time_point sent_;
  std::future<void> thread_;  // last: it uses the rest
};

}  // namespace laurel::bench
