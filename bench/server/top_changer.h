// A client that changes the top of a board for as long as it lives, so that the server cannot
// answer reads of the top with a reply that it has kept.
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
  // Gives members 0 … 19 in pipeline a score above all others, rising from `above`, after pauses:
  // few enough that the server's work for them is about a hundredth of its work for the readers.
  TopChanger(const Target& target, const std::string& board, std::uint64_t above);
  ~TopChanger();
  TopChanger(const TopChanger&) = delete;
  TopChanger& operator=(const TopChanger&) = delete;

  // Since it began. Throws Failure if it could not go on.
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
