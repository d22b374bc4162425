// The figures of the server as JSON, for /v1/server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/access.h"
#include "engine/engine.h"
#include "laurel/stamp.h"
#include "server/metrics.h"

namespace laurel::server {

struct ServerState {
  std::string_view version;
  std::string_view run_id;
  bool stops = false;
  std::uint64_t commands_per_second = 0;
  Stamp now = 0;            // by the server's clock
  std::int64_t cpu_us = 0;  // used by the process, user and system
};

// Paths of the machine are left out, except for clients that may access all boards: `access` is
// that of the client that asks.
std::string FiguresJson(const engine::Figures& figures, const MetricsSource& source,
                        const ServerState& state, const engine::Access& access);

}  // namespace laurel::server
