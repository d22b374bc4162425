// Makes the engine that a server uses. There is one kind so far: the boards of this process, in
// memory or in a data folder (embedded/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::engine {

// When an acknowledged write is on disk.
enum class Fsync : std::uint8_t {
  kAlways,    // before the reply
  kEverySec,  // within about a second
  kOff,       // whenever the system writes it
};

struct EngineOptions {
  struct Template {
    std::string pattern;  // new boards with a matching name get the spec
    Spec spec;
  };

  std::size_t max_reply_bytes = std::size_t{256} << 20;
  std::size_t max_memory_bytes = 0;  // 0: no limit
  std::uint64_t max_work = 0;        // entries that one command may touch; 0: no limit
  std::vector<Template> templates;
  std::int64_t clock_offset_us = 0;  // the engine's clock is so far ahead of the system's

  std::string data;  // a folder; empty: boards are in memory only. What follows is about the folder
  Fsync fsync = Fsync::kAlways;
  std::uint64_t log_segment_bytes = std::uint64_t{64} << 20;
  std::uint64_t snapshot_log_bytes = std::uint64_t{64} << 20;  // log since a snapshot
  std::uint64_t keep_log_bytes = std::uint64_t{1} << 30;
  std::int64_t keep_log_us = std::int64_t{24} * 3600 * 1'000'000;
  std::uint64_t disk_reserve_bytes = std::uint64_t{16} << 20;
};

// ERR if there is no such engine. `host` outlives the engine, which is neither open nor loaded yet.
Result<std::unique_ptr<Engine>> MakeEngine(const EngineOptions& options,
                                           ServerCallbacks* callbacks);

}  // namespace laurel::engine
