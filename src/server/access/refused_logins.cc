#include "server/access/refused_logins.h"

#include "base/clock.h"

namespace laurel::server {

std::int64_t RefusedLogins::Note(const std::string& peer) {
  const std::uint64_t refused = ++counters_->refused_logins;
  if (log_rate_.Allows()) {
    Log(LogLevel::kWarn,
        "refused login from " + peer + " (" + std::to_string(refused) + " since the start)");
  }
  return failures_.Note(peer, base::MonotonicMicros());
}

}  // namespace laurel::server
