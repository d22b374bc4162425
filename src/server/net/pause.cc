#include "server/net/pause.h"

#include <algorithm>

namespace laurel::server {

void Pause::Extend(std::int64_t until_ms, bool writes_only, std::int64_t now_ms) {
  if (LeftMs(now_ms) <= 0) {
    writes_only_ = writes_only;
    until_ms_ = until_ms;
    return;
  }
  writes_only_ = writes_only_ && writes_only;
  until_ms_ = std::max(until_ms_.load(), until_ms);
}

}  // namespace laurel::server
