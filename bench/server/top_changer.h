// A client that continuously changes the top of a board, so that the server cannot answer reads of
// the top with a cached reply.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "bench/server/process.h"

namespace laurel::bench {

class TopChanger {
 public:
  // Gives members 0 … 19 in turn, with pauses, a score above all others, rising from `above`. The
  // changes are so rare that they take about a hundredth of the server's work for the readers.
  TopChanger(const Target& target, const std::string& board, std::uint64_t above);
  ~TopChanger();
  TopChanger(const TopChanger&) = delete;
  TopChanger& operator=(const TopChanger&) = delete;

  // Changes per second since the start. Throws Failure if the client failed.
  [[nodiscard]] double ChangesPerSecond() const;

 private:
  void Run(const Target& target, const std::string& board, std::uint64_t score);

  std::atomic<bool> stopping_ = false;
  std::atomic<bool> failed_ = false;
  std::atomic<std::uint64_t> changes_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::thread thread_;
};

}  // namespace laurel::bench
