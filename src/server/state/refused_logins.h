// Refused logins: counts them, logs them at a bounded rate, and says how long each reply is to
// wait. From any thread.
#pragma once

#include <cstdint>
#include <string>

#include "server/state/counters.h"
#include "server/state/log.h"
#include "server/state/login_failures.h"

namespace laurel::server {

class RefusedLogins {
 public:
  // The counters outlive it.
  explicit RefusedLogins(Counters* counters) : counters_(counters) {}

  // Returns the milliseconds that the reply is to wait. `peer` is "address:port".
  std::int64_t Note(const std::string& peer);

 private:
  Counters* counters_;
  LogRate log_rate_{1'000'000};
  LoginFailures failures_;
};

}  // namespace laurel::server
