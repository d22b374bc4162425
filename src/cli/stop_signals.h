// Handles SIGINT and SIGTERM for long commands, so that they end cleanly.
#pragma once

#include <atomic>

#include "client/redis_connection.h"

namespace laurel::cli {

// While an object of this class exists, the signals set its flags instead of ending the process.
// Only one object may exist at a time.
class StopSignals {
 public:
  // kAtOnce: the first signal sets both flags. kAfterWork: the first signal sets `finish`, so that
  // the work is completed; the second one sets `now`. A further signal ends the process.
  enum class First { kAtOnce, kAfterWork };

  explicit StopSignals(First first);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] const std::atomic<bool>& finish() const;
  [[nodiscard]] const std::atomic<bool>& now() const;
};

// The options of a connection whose waits end when `now` is set.
inline client::ConnectOptions Stoppable(client::ConnectOptions server, const StopSignals& signals) {
  server.waits.stop = &signals.now();
  return server;
}

}  // namespace laurel::cli
