// EffectBlocks: collects effects for a snapshot in blocks of about 256 KiB.
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
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  using Sink = std::function<Status(std::string_view effects)>;

  explicit EffectBlocks(Sink sink) : sink_(std::move(sink)), writer_(&effects_) {}
  EffectBlocks(const EffectBlocks&) = delete;
  EffectBlocks& operator=(const EffectBlocks&) = delete;

  [[nodiscard]] engine::LogWriter& writer() { return writer_; }

  // Whether the caller must call Pass before the next effect.
  [[nodiscard]] bool full() const { return effects_.size() >= kBlockBytes; }
  // Passes the collected effects on. Afterwards no instance is selected.
  Status Pass() {
    if (effects_.empty()) return Ok{};
    Status taken = sink_(effects_);
    effects_.clear();
    writer_.effects().Restart();
    return taken;
  }

 private:
  Sink sink_;
  std::string effects_;
  engine::LogWriter writer_;
};

}  // namespace laurel::transfer
