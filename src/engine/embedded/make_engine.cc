#include "engine/make_engine.h"

#include "engine/embedded/embedded_engine.h"

namespace laurel::engine {
Result<std::unique_ptr<Engine>> MakeEngine(const EngineOptions& options,
                                           ServerCallbacks* callbacks) {
  EmbeddedOptions embedded;
  embedded.max_reply_bytes = options.max_reply_bytes;
  embedded.max_memory_bytes = options.max_memory_bytes;
  embedded.max_work = options.max_work;
  embedded.max_exec_entries = options.max_exec_entries;
  for (const EngineOptions::Template& declared : options.templates) {
    embedded.templates.push_back({declared.pattern, declared.spec, /*configured=*/true});
  }
  embedded.clock_offset_us = options.clock_offset_us;
  embedded.data = options.data;
  embedded.log.sync = options.fsync;
  embedded.log.segment_bytes = options.log_segment_bytes;
  embedded.keeper.snapshot_log_bytes = options.snapshot_log_bytes;
  embedded.keeper.keep_log_bytes = options.keep_log_bytes;
  embedded.keeper.keep_log_us = options.keep_log_us;
  embedded.keeper.reserve_bytes = options.disk_reserve_bytes;
  return std::unique_ptr<Engine>(std::make_unique<EmbeddedEngine>(embedded, callbacks));
}

}  // namespace laurel::engine
