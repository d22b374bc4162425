// EffectBlocks: effects on their way into a snapshot, in blocks of about 256 KiB.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/journal/log_effects.h"
#include "laurel/result.h"

namespace laurel::transfer {

class EffectBlocks {
 public:
  using Sink = std::function<Status(std::string_view effects)>;

  explicit EffectBlocks(Sink sink) : sink_(std::move(sink)), writer_(&effects_) {}
  EffectBlocks(const EffectBlocks&) = delete;
  EffectBlocks& operator=(const EffectBlocks&) = delete;

  [[nodiscard]] engine::LogWriter& writer() { return writer_; }

  // Call it between two effects: passes the block on if it is full. The caller must then select its
  // instance again: *passed tells whether.
  Status PassIfFull(bool* passed) {
    *passed = effects_.size() >= kBlockBytes;
    return *passed ? Pass() : Status(Ok{});
  }
  // Passes on what is left.
  Status Pass() {
    if (effects_.empty()) return Ok{};
    Status taken = sink_(effects_);
    effects_.clear();
    writer_.effects().Restart();
    return taken;
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  Sink sink_;
  std::string effects_;
  engine::LogWriter writer_;
};

}  // namespace laurel::transfer
