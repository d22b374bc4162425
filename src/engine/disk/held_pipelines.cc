#include "engine/disk/held_pipelines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace laurel::engine {
namespace {

void SetUnknown(Pipeline* pipeline, const std::string& reason) {
  pipeline->unknown = "the write is applied, but it is not known to be on disk: " +
                      pipeline->client()->access.Shown(reason);
}

}  // namespace

void HeldPipelines::Hold(Pipeline* pipeline, std::uint64_t number) {
  {
    const base::MutexLock lock(mutex_);
    if (!failed_ && number > durable_) {
      LAUREL_ASSERT(held_.empty() || held_.back().number <= number);
      held_.push_back({pipeline, number});
      return;
    }
    if (failed_) SetUnknown(pipeline, reason_);
  }
  pipeline->Done();
}

void HeldPipelines::Release(std::uint64_t durable) {
  std::vector<Pipeline*> released;
  {
    const base::MutexLock lock(mutex_);
    durable_ = durable;
    while (!held_.empty() && held_.front().number <= durable) {
      released.push_back(held_.front().pipeline);
      held_.pop_front();
    }
  }
  for (Pipeline* pipeline : released) pipeline->Done();
}

void HeldPipelines::Fail(const std::string& reason) {
  std::deque<Held> failed;
  {
    const base::MutexLock lock(mutex_);
    failed_ = true;
    reason_ = reason;
    failed.swap(held_);
  }
  for (const Held& held : failed) {
    SetUnknown(held.pipeline, reason);
    held.pipeline->Done();
  }
}

void HeldPipelines::Mend(std::uint64_t durable) {
  const base::MutexLock lock(mutex_);
  failed_ = false;
  durable_ = std::max(durable_, durable);  // Release may have been called with a later record
}

std::size_t HeldPipelines::size() const {
  const base::MutexLock lock(mutex_);
  return held_.size();
}

}  // namespace laurel::engine
