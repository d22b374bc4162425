// Thousands of streams of server-sent events, read by one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "bench/server/process.h"

namespace laurel::bench {

class Streams {
 public:
  // Opens the streams and waits until each has its first event. Throws Failure.
  Streams(const Target& target, const std::string& path, std::size_t count);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  [[nodiscard]] std::uint64_t events() const { return events_; }
  // Forgets the gaps seen so far.
  void RestartGaps();
  // The longest time that any stream went without an event since RestartGaps.
  [[nodiscard]] double LongestGapSeconds() const;

 private:
  void Read();

  int poll_ = -1;
  std::vector<int> sockets_;
  std::vector<std::atomic<double>> last_;  // time of the last event of each
  std::vector<std::atomic<double>> gaps_;
  std::atomic<std::size_t> begun_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<bool> stops_{false};
  std::atomic<bool> broken_{false};
  std::thread thread_;
};

}  // namespace laurel::bench
