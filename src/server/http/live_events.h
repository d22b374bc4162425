// Events of live streams, encoded once and shared by all streams that are at the same place.
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
  // The text of the event for a stream that follows `top` entries and had version `from`. Streams
  // with the same arguments get the same text.
  std::shared_ptr<const std::string> Top(const engine::LiveUpdate& update, std::uint32_t top,
                                         std::uint64_t from);
  // The event with the followed members; empty if none has changed.
  static std::string Members(const engine::LiveUpdate& update);

  // How often an event was encoded, for tests and metrics.
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
