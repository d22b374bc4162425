// Turns whose replies wait for the disk.
//
// A pipeline that has written, or that has seen what others wrote and answered a write by it, is
// done when the log is durable through the last batch before its end.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "engine/engine.h"

namespace laurel::engine {

class HeldPipelines {
 public:
  // `durable`: what the log begins with.
  explicit HeldPipelines(std::uint64_t durable) : durable_(durable) {}

  // Calls Done once records through `number` are durable, or now. Numbers do not fall.
  void Hold(Pipeline* pipeline, std::uint64_t number);
  void Release(std::uint64_t durable);
  // The disk has failed: the writes are in memory, and it is unknown which of them are on disk.
  // Pipeline::unknown says so to all pipelines that wait, and to all that come until Mend.
  void Fail(const std::string& reason);
  void Mend(std::uint64_t durable);

  [[nodiscard]] std::size_t size() const;

 private:
  struct Held {
    Pipeline* pipeline;
    std::uint64_t number;
  };

  mutable std::mutex mutex_;
  std::deque<Held> held_;
  std::uint64_t durable_;
  bool failed_ = false;
  std::string reason_;
};

}  // namespace laurel::engine
