// A replayer and listener that keeps the size of each batch, for tests of the log alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "storage/log.h"
#include "storage/recovery.h"

namespace laurel::testing {

class BatchSizes : public storage::Replayer, public storage::Log::Listener {
 public:
  void Reset() override { sizes.clear(); }
  Status OnSnapshot(std::string_view /*effects*/) override { return Ok{}; }
  Status OnSnapshotEnd(const storage::Footer& /*footer*/) override { return Ok{}; }
  Status OnBatch(std::uint64_t /*number*/, std::string_view effects, bool /*lenient*/) override {
    sizes.push_back(effects.size());
    return Ok{};
  }
  void OnDurable(std::uint64_t /*number*/) override {}
  [[nodiscard]] std::size_t CountWaiting() const override { return 0; }
  void OnBroken(const Error& /*error*/) override {}

  std::vector<std::size_t> sizes;
};

}  // namespace laurel::testing
