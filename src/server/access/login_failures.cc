#include "server/access/login_failures.h"

#include <algorithm>
#include <functional>

namespace laurel::server {

std::int64_t LoginFailures::Note(std::string_view peer, std::int64_t now_us) {
  const std::string_view address = peer.substr(0, peer.rfind(':'));
  const base::MutexLock lock(mutex_);
  Slot& slot = slots_[std::hash<std::string_view>()(address) % slots_.size()];
  const bool is_first = slot.delay_ms == 0 || now_us - slot.failed_at_us > kLoginFailureLifeMicros;
  slot.delay_ms = is_first ? kFirstLoginDelayMs : std::min(slot.delay_ms * 2, kLongestLoginDelayMs);
  slot.failed_at_us = now_us;
  return slot.delay_ms;
}

}  // namespace laurel::server
