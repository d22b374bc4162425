#include "server/resp/monitors.h"

#include <utility>

namespace laurel::server {

void Monitors::Add(std::weak_ptr<Listener> listener) {
  const base::MutexLock lock(mutex_);
  listeners_.push_back(std::move(listener));
  count_ = listeners_.size();
}

void Monitors::Remove(const Listener* listener) {
  const base::MutexLock lock(mutex_);
  std::erase_if(listeners_, [listener](const std::weak_ptr<Listener>& one) {
    const std::shared_ptr<Listener> alive = one.lock();
    return alive == nullptr || alive.get() == listener;
  });
  count_ = listeners_.size();
}

void Monitors::Show(const std::string& line) {
  std::vector<std::shared_ptr<Listener>> shown;
  {
    const base::MutexLock lock(mutex_);
    for (const std::weak_ptr<Listener>& one : listeners_) {
      if (std::shared_ptr<Listener> alive = one.lock()) shown.push_back(std::move(alive));
    }
  }
  for (const std::shared_ptr<Listener>& listener : shown) listener->Show(line);
}

}  // namespace laurel::server
