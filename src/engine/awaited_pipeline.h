// A RESP pipeline that a thread can wait for. The engine may call Done on another thread.
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/engine.h"

namespace laurel::engine {

class AwaitedPipeline : public Pipeline {
 public:
  using Pipeline::Pipeline;

  void Done() override {
    ReplaceUnknownReplies(this);
    const base::MutexLock lock(mutex_);
    done_ = true;
    changed_.NotifyOne();
  }
  void Blocked(std::int64_t /*deadline_ms*/) override {}

  [[nodiscard]] bool done() const {
    const base::MutexLock lock(mutex_);
    return done_;
  }
  void Await() {
    const base::MutexLock lock(mutex_);
    while (!done_) changed_.Wait(mutex_);
  }

 private:
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  bool done_ LAUREL_GUARDED_BY(mutex_) = false;
};

}  // namespace laurel::engine
