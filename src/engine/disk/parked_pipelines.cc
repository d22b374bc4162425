#include "engine/disk/parked_pipelines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/clock.h"

namespace laurel::engine {
namespace {

void SetUnknown(Pipeline* pipeline, const std::string& reason) {
  pipeline->unknown = "the write is applied, but it is not known to be on disk: " +
                      pipeline->client()->access.Shown(reason);
}

}  // namespace

void ParkedPipelines::Park(Pipeline* pipeline, std::uint64_t number, std::int64_t now_us) {
  {
    const base::MutexLock lock(mutex_);
    if (!failed_ && number > durable_) {
      LAUREL_ASSERT(parked_.empty() || parked_.back().number <= number);
      parked_.push_back({pipeline, number, now_us});
      return;
    }
    if (failed_) SetUnknown(pipeline, reason_);
    waits_.Record(0);
  }
  pipeline->Done();
}

void ParkedPipelines::Release(std::uint64_t durable) {
  std::vector<Pipeline*> released;
  const std::int64_t now_us = base::MonotonicMicros();
  {
    const base::MutexLock lock(mutex_);
    durable_ = durable;
    while (!parked_.empty() && parked_.front().number <= durable) {
      waits_.Record(now_us - parked_.front().since_us);
      released.push_back(parked_.front().pipeline);
      parked_.pop_front();
    }
  }
  for (Pipeline* pipeline : released) pipeline->Done();
}

void ParkedPipelines::Fail(const std::string& reason) {
  std::deque<Parked> failed;
  const std::int64_t now_us = base::MonotonicMicros();
  {
    const base::MutexLock lock(mutex_);
    failed_ = true;
    reason_ = reason;
    failed.swap(parked_);
    for (const Parked& parked : failed) waits_.Record(now_us - parked.since_us);
  }
  for (const Parked& parked : failed) {
    SetUnknown(parked.pipeline, reason);
    parked.pipeline->Done();
  }
}

void ParkedPipelines::Mend(std::uint64_t durable) {
  const base::MutexLock lock(mutex_);
  failed_ = false;
  durable_ = std::max(durable_, durable);  // Release may have been called with a later record
}

std::size_t ParkedPipelines::size() const {
  const base::MutexLock lock(mutex_);
  return parked_.size();
}

base::Histogram ParkedPipelines::waits() const {
  const base::MutexLock lock(mutex_);
  return waits_;
}

}  // namespace laurel::engine
