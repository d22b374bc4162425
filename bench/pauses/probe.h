// A client that sends a small request every millisecond and measures how long it waits for the
// reply.
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

  // Alternates PING and a ZADD to its own board, each a millisecond after the last reply.
  explicit Probe(const Target& target);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // Returns the longest wait for a reply since `since`, in ms. A pending request counts with its
  // wait so far. Throws Failure if the server has gone away.
  double LongestSince(Clock::time_point since);

 private:
  struct Wait {
    Clock::time_point sent;
    double ms;
  };

  void Run(const Target& target);

  std::atomic<bool> stops_ = false;
  std::mutex mutex_;  // guards the members below, up to sent_
  std::vector<Wait> waits_;
  bool waiting_ = false;
  Clock::time_point sent_;
  std::future<void> thread_;  // last: the thread uses the other members
};

}  // namespace laurel::bench
