// One hold (critical section) of the embedded engine's lock.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/thread_annotations.h"
#include "engine/embedded/embedded_engine.h"

namespace laurel::engine {

// Takes the lock, reads the clock once for all commands of the hold, and does a slice of due work:
// expiry and freeing memory. Before the lock is released, the effects are appended to the log.
class LAUREL_SCOPED_CAPABILITY EmbeddedEngine::Hold {
 public:
  explicit Hold(EmbeddedEngine* engine) LAUREL_ACQUIRE(engine->lock_) : engine_(engine) { Take(); }
  ~Hold() LAUREL_RELEASE() { Release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  // Counts `requests` more requests, and returns the microseconds since the last call.
  std::int64_t Lap(std::size_t requests) {
    requests_ += requests;
    const std::int64_t before = lap_;
    lap_ = base::MonotonicMicros();
    return lap_ - before;
  }

  // If the hold has lasted long enough: appends its batch to the log, lets waiting threads take the
  // lock, and begins a new hold with a new clock reading. If no thread waits, keeps the lock.
  // The analysis is off, because it knows the lock by the name of the constructor's argument and
  // not as engine_->lock_. The Hold keeps the lock as long as it exists.
  void YieldIfDue() LAUREL_NO_THREAD_SAFETY_ANALYSIS {
    if (requests_ < kMaxHoldRequests && lap_ - start_ < kMaxHoldMicros) return;
    if (engine_->lock_.contended()) {
      Release();
      Take();
    } else {
      engine_->Seal();
      Start();  // reads the clock again
    }
  }

 private:
  static constexpr std::size_t kExpiredPerHold = 64;
  static constexpr std::size_t kReclaimedPerHold = 1024;  // entries

  void Take() LAUREL_ACQUIRE(engine_->lock_) {
    engine_->lock_.lock();
    Start();
    if (engine_->loading_) return;
    engine_->keys_.RunDueWork(kExpiredPerHold);
    engine_->keys_.Reclaim(kReclaimedPerHold);
  }
  void Start() LAUREL_REQUIRES(engine_->lock_) {
    requests_ = 0;
    start_ = lap_ = base::MonotonicMicros();
    engine_->now_ = engine_->clock_->Now();
    engine_->keys_.SetNow(engine_->now_);
    engine_->keys_.SetFrozen(!engine_->CanRemove());
  }
  void Release() LAUREL_RELEASE(engine_->lock_) {
    engine_->Seal();
    engine_->lock_.unlock();
  }

  EmbeddedEngine* engine_;
  std::size_t requests_ = 0;
  std::int64_t start_ = 0;
  std::int64_t lap_ = 0;
};

}  // namespace laurel::engine
