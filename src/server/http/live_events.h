// Events of live streams. Each is encoded once for all streams at the same version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/live.h"

namespace laurel::server {

// Thread-safe.
class LiveEvents {
 public:
  // Returns the event for a stream that follows `top` entries and was at version `from`. Streams
  // with the same arguments share the text.
  std::shared_ptr<const std::string> Top(const engine::LiveUpdate& update, std::uint32_t top,
                                         std::uint64_t from);
  // Returns the event with the followed members; empty if none has changed.
  static std::string Members(const engine::LiveUpdate& update);

  // The number of encoded events, for tests and metrics.
  [[nodiscard]] std::uint64_t encoded() const;

 private:
  struct Event {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint32_t top = 0;
    std::string board;
    std::shared_ptr<const std::string> text;
  };

  mutable base::Mutex mutex_;
  std::deque<Event> recent_ LAUREL_GUARDED_BY(mutex_);
  std::uint64_t encoded_ LAUREL_GUARDED_BY(mutex_) = 0;
};

}  // namespace laurel::server
