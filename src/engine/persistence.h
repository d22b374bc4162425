// The state of the data folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/histogram.h"
#include "storage/log_figures.h"

namespace laurel::engine {

// What the keeper (disk/keeper.h) measures of itself.
struct KeeperFigures {
  bool snapshot_runs = false;
  bool snapshot_failed = false;       // whether the last one failed
  std::int64_t snapshot_at_us = 0;    // system clock
  std::uint64_t snapshot_record = 0;  // E of the last snapshot
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t snapshots = 0;         // since the start
  std::int64_t snapshot_took_us = 0;   // how long the last snapshot took
  std::int64_t snapshot_began_us = 0;  // of the running snapshot, by the monotonic clock
  std::uint64_t entries_done = 0;      // of the running snapshot; 0 if none runs
  std::uint64_t entries_estimate = 0;
  std::uint64_t reserve_bytes = 0;
  std::optional<std::uint64_t> disk_free_bytes;  // when the keeper last looked
  std::uint64_t log_given_up_bytes = 0;  // since the start; dropped although keep-log would keep it
};

struct Persistence {
  bool durable = false;  // whether there is a data folder
  std::string folder;
  std::string_view fsync;  // "always", "everysec", "off"
  bool loading = false;
  std::uint64_t loaded_bytes = 0;
  std::uint64_t loading_bytes = 0;
  std::int64_t loading_since_us = 0;
  std::string trouble;          // why writes are refused; empty if they are accepted
  bool takes_removals = false;  // removals are accepted although other writes are refused
  std::uint64_t epoch = 0;
  std::uint64_t parked_pipelines = 0;
  // The times from the end of a hold to Done, for pipelines with a write under fsync always.
  base::Histogram disk_waits;
  // Both are empty while the boards are loaded.
  storage::LogFigures log;
  KeeperFigures keeper;

  [[nodiscard]] bool TakesWrites() const { return !loading && trouble.empty(); }
  [[nodiscard]] std::uint64_t RecordsSinceSnapshot() const {
    return log.appended - std::min(log.appended, keeper.snapshot_record);
  }
};

}  // namespace laurel::engine
