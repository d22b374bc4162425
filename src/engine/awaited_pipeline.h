// A RESP pipeline that a thread can wait for. The engine may call Done on another thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "engine/engine.h"
#include "engine/unknown_replies.h"

namespace laurel::engine {

class AwaitedPipeline : public Pipeline {
 public:
  using Pipeline::Pipeline;

  void Done() override {
    ReplaceUnknownReplies(this);
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_one();
  }
  void Blocked(std::int64_t /*deadline_ms*/) override {}

  [[nodiscard]] bool done() const {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  void Await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

}  // namespace laurel::engine
