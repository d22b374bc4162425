// A hold of the embedded engine's lock, in which the clock stands still.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "engine/embedded/embedded_engine.h"

namespace laurel::engine {

// Takes the lock, looks at the clock, and does a slice of the work that is always due. On release
// what has changed goes to the log.
class EmbeddedEngine::Hold {
 public:
  explicit Hold(EmbeddedEngine* engine) : engine_(engine) { Take(); }
  ~Hold() { Release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  // The time since the last call, in microseconds, during which so many requests were executed.
  std::int64_t Lap(std::size_t requests) {
    requests_ += requests;
    const std::int64_t before = lap_;
    lap_ = base::MonotonicMicros();
    return lap_ - before;
  }

  // Lets others in, if the hold has lasted long enough and somebody waits.
  void Breathe() {
    if (requests_ < kMaxHoldRequests && lap_ - start_ < kMaxHoldMicros) return;
    if (engine_->lock_.contended()) {
      Release();
      Take();
    } else {
      engine_->Seal();
      Start();  // nobody waits, but time goes on
    }
  }

 private:
  static constexpr std::size_t kExpiredPerHold = 64;
  static constexpr std::size_t kReclaimedPerHold = 1024;  // entries

  void Take() {
    engine_->lock_.lock();
    Start();
    if (engine_->loading_) return;
    engine_->keys_.ExpireDue(kExpiredPerHold);
    engine_->keys_.Reclaim(kReclaimedPerHold);
  }
  void Start() {
    requests_ = 0;
    start_ = lap_ = base::MonotonicMicros();
    engine_->now_ = engine_->clock_->Now();
    engine_->keys_.SetNow(engine_->now_);
    engine_->keys_.SetFrozen(!engine_->CanRemove());
  }
  void Release() {
    engine_->Seal();
    engine_->lock_.unlock();
  }

  EmbeddedEngine* engine_;
  std::size_t requests_ = 0;
  std::int64_t start_ = 0;
  std::int64_t lap_ = 0;
};

}  // namespace laurel::engine
