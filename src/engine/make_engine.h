// Makes the engine that a server uses. So far there is one kind, the embedded engine (embedded/):
// boards in this process, in memory only or with a data folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "storage/log.h"

namespace laurel::engine {

// When an acknowledged write is on disk.
using Fsync = storage::SyncMode;

struct EngineOptions {
  struct Template {
    std::string pattern;  // a new board whose name matches gets `spec`
    Spec spec;
  };

  std::size_t max_reply_bytes = std::size_t{256} << 20;
  std::size_t max_memory_bytes = 0;    // 0: no limit
  std::uint64_t max_work = 0;          // entries that one command may touch; 0: no limit
  std::uint64_t max_exec_entries = 0;  // that the reads of an EXEC may return; 0: no limit
  std::vector<Template> templates;
  std::int64_t clock_offset_us = 0;  // added to the system clock

  // The data folder; empty: boards are in memory only. The options below apply to the folder.
  std::string data;
  Fsync fsync = Fsync::kAlways;
  std::uint64_t log_segment_bytes = std::uint64_t{64} << 20;
  std::uint64_t snapshot_log_bytes = std::uint64_t{64} << 20;  // log that makes a snapshot due
  std::uint64_t keep_log_bytes = std::uint64_t{1} << 30;
  std::int64_t keep_log_us = std::int64_t{24} * 3600 * 1'000'000;
  std::uint64_t disk_reserve_bytes = std::uint64_t{16} << 20;
};

// Returns an engine that is neither open nor loaded yet. `callbacks` must outlive the engine.
Result<std::unique_ptr<Engine>> MakeEngine(const EngineOptions& options,
                                           ServerCallbacks* callbacks);

}  // namespace laurel::engine
