// How long a refused login is made to wait, by how often its address has failed lately.
//
// Tokens are too long to be guessed at any rate. The delay slows down a client that tries a list of
// words, or that repeats a stale token in a loop. Only refusals are delayed: a client with a good
// token never waits for what other clients at its address do.
//
// Addresses share a fixed number of slots by hash, so memory does not grow with them. Every method
// may be called from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace laurel::server {

inline constexpr std::int64_t kFirstLoginDelayMs = 100;
inline constexpr std::int64_t kLongestLoginDelayMs = 2000;
inline constexpr std::int64_t kLoginFailureLifeMicros = 60'000'000;

class LoginFailures {
 public:
  // Counts a failure of a peer ("address:port") at a monotonic time. The delay doubles from
  // kFirstLoginDelayMs to kLongestLoginDelayMs, and begins anew after a time without failure.
  std::int64_t Note(std::string_view peer, std::int64_t now_us);

 private:
  struct Slot {
    std::int64_t delay_ms = 0;
    std::int64_t failed_at_us = 0;
  };

  std::mutex mutex_;
  std::array<Slot, 1024> slots_{};
};

}  // namespace laurel::server
