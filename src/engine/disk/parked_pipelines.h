// Pipelines whose replies wait for the disk.
//
// A pipeline with a write is done when the log is durable through the batch that holds its last
// effect, and so through everything before it. A write that changed nothing waits for the batches
// before it too, because the reply may depend on a write of another client.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "base/histogram.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/engine.h"

namespace laurel::engine {

class ParkedPipelines {
 public:
  // `durable`: the last durable record at the start.
  explicit ParkedPipelines(std::uint64_t durable) : durable_(durable) {}

  // Calls pipeline->Done() when the records through `number` are durable; at once if they are.
  // `number` must not be less than in an earlier call. `now_us`: the monotonic clock, which is read
  // once for all pipelines of a hold.
  void Park(Pipeline* pipeline, std::uint64_t number, std::int64_t now_us);
  // The records through `durable` are durable: calls Done() of the pipelines that wait for them.
  void Release(std::uint64_t durable);
  // The disk has failed: the writes are in memory, but it is unknown which of them are on disk.
  // Sets Pipeline::unknown and calls Done() for all pipelines that wait, and for all that Park gets
  // until Mend.
  void Fail(const std::string& reason);
  // The disk works again, and the records through `durable` are durable.
  void Mend(std::uint64_t durable);

  [[nodiscard]] std::size_t size() const;
  // How long the pipelines have waited since Park, until the disk had their records or failed.
  [[nodiscard]] base::Histogram waits() const;

 private:
  struct Parked {
    Pipeline* pipeline;
    std::uint64_t number;
    std::int64_t since_us;
  };

  mutable base::Mutex mutex_;
  std::deque<Parked> parked_ LAUREL_GUARDED_BY(mutex_);
  std::uint64_t durable_ LAUREL_GUARDED_BY(mutex_);
  bool failed_ LAUREL_GUARDED_BY(mutex_) = false;
  std::string reason_ LAUREL_GUARDED_BY(mutex_);
  base::Histogram waits_ LAUREL_GUARDED_BY(mutex_);
};

}  // namespace laurel::engine
