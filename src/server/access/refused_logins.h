// Counts refused logins, logs them at a bounded rate, and computes how long each reply is delayed.
// Methods may be called from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "server/access/login_failures.h"
#include "server/figures/counters.h"
#include "server/logs/server_log.h"

namespace laurel::server {

class RefusedLogins {
 public:
  // The counters must outlive it.
  explicit RefusedLogins(Counters* counters) : counters_(counters) {}

  // Notes a refused login of `peer` ("address:port"). Returns the delay of the reply in
  // milliseconds.
  std::int64_t Note(const std::string& peer);

 private:
  Counters* counters_;
  LogRate log_rate_{1'000'000};
  LoginFailures failures_;
};

}  // namespace laurel::server
