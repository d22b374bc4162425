// Log measures these figures of itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/histogram.h"

namespace laurel::storage {

struct LogFigures {
  std::uint64_t bytes = 0;  // of all segments
  std::uint64_t segments = 0;
  std::uint64_t appended = 0;  // number of the last record appended
  std::uint64_t durable = 0;   // number of the last record that is on disk
  std::uint64_t pending_bytes = 0;
  std::uint64_t written_bytes = 0;  // since the log was opened
  std::int64_t last_sync_us = 0;
  std::int64_t longest_sync_us = 0;
  base::Histogram sync_times;  // of all syncs

  // Returns an upper bound of the time within which `percent` percent of the syncs were done.
  [[nodiscard]] std::int64_t SyncTimeAt(unsigned percent) const {
    return std::min(sync_times.BoundAt(percent * 10), longest_sync_us);
  }
};

}  // namespace laurel::storage
