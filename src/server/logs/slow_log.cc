#include "server/logs/slow_log.h"

#include <algorithm>
#include <utility>

namespace laurel::server {

void SlowLog::Add(SlowEntry entry, std::size_t max_entries) {
  const base::MutexLock lock(mutex_);
  entry.id = next_id_++;
  entries_.push_front(std::move(entry));
  while (entries_.size() > max_entries) entries_.pop_back();
}

std::vector<SlowEntry> SlowLog::Latest(std::size_t count) const {
  const base::MutexLock lock(mutex_);
  return {entries_.begin(),
          entries_.begin() + static_cast<std::ptrdiff_t>(std::min(count, entries_.size()))};
}

std::size_t SlowLog::size() const {
  const base::MutexLock lock(mutex_);
  return entries_.size();
}

void SlowLog::Clear() {
  const base::MutexLock lock(mutex_);
  entries_.clear();
}

}  // namespace laurel::server
