// The clients in MONITOR mode, to which every command is shown. Methods may be called from any
// thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"

namespace laurel::server {

class Monitors {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // May be called from any thread.
    virtual void Show(const std::string& line) = 0;
  };

  // Called for every command, so it takes no lock.
  [[nodiscard]] bool any() const { return count_.load(std::memory_order_relaxed) > 0; }
  void Add(std::weak_ptr<Listener> listener) {
    const base::MutexLock lock(mutex_);
    listeners_.push_back(std::move(listener));
    count_ = listeners_.size();
  }
  void Remove(const Listener* listener) {
    const base::MutexLock lock(mutex_);
    std::erase_if(listeners_, [listener](const std::weak_ptr<Listener>& one) {
      const std::shared_ptr<Listener> alive = one.lock();
      return alive == nullptr || alive.get() == listener;
    });
    count_ = listeners_.size();
  }
  void Show(const std::string& line) {
    std::vector<std::shared_ptr<Listener>> shown;
    {
      const base::MutexLock lock(mutex_);
      for (const std::weak_ptr<Listener>& one : listeners_) {
        if (std::shared_ptr<Listener> alive = one.lock()) shown.push_back(std::move(alive));
      }
    }
    for (const std::shared_ptr<Listener>& listener : shown) listener->Show(line);
  }

 private:
  std::atomic<std::size_t> count_{0};
  base::Mutex mutex_;
  std::vector<std::weak_ptr<Listener>> listeners_ LAUREL_GUARDED_BY(mutex_);
};

}  // namespace laurel::server
