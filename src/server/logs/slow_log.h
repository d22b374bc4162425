// SLOWLOG: the latest requests that took long. Every method may be called from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"

namespace laurel::server {

struct SlowEntry {
  std::int64_t id = 0;
  std::int64_t unix_seconds = 0;
  std::int64_t micros = 0;
  std::vector<std::string> arguments;
  std::string address;
  std::string client_name;
};

class SlowLog {
 public:
  // Gives the entry the next id, and drops the oldest entries beyond `max_entries`.
  void Add(SlowEntry entry, std::size_t max_entries);
  [[nodiscard]] std::vector<SlowEntry> Latest(std::size_t count) const;  // newest first
  [[nodiscard]] std::size_t size() const;
  void Clear();

 private:
  mutable base::Mutex mutex_;
  std::deque<SlowEntry> entries_ LAUREL_GUARDED_BY(mutex_);  // newest first
  std::int64_t next_id_ LAUREL_GUARDED_BY(mutex_) = 0;
};

}  // namespace laurel::server
