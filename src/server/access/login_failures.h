// Computes how long the reply to a refused login is delayed, from how often its address has failed
// lately.
//
// Tokens are too long to guess at any rate. The delay slows down a client that tries a list of
// words, or that repeats a stale token in a loop. Only refusals are delayed: a client with a valid
// token never waits because of other clients at its address.
//
// Addresses share a fixed number of slots by hash, so memory does not grow with them. Every method
// may be called from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/mutex.h"
#include "base/thread_annotations.h"

namespace laurel::server {

inline constexpr std::int64_t kFirstLoginDelayMs = 100;
inline constexpr std::int64_t kLongestLoginDelayMs = 2000;
inline constexpr std::int64_t kLoginFailureLifeMicros = 60'000'000;

class LoginFailures {
 public:
  // Counts a failure of a peer ("address:port") at a monotonic time. Returns the delay in
  // milliseconds: it doubles from kFirstLoginDelayMs to kLongestLoginDelayMs, and starts over after
  // kLoginFailureLifeMicros without a failure.
  std::int64_t Note(std::string_view peer, std::int64_t now_us);

 private:
  struct Slot {
    std::int64_t delay_ms = 0;
    std::int64_t failed_at_us = 0;
  };

  base::Mutex mutex_;
  std::array<Slot, 1024> slots_ LAUREL_GUARDED_BY(mutex_){};
};

}  // namespace laurel::server
