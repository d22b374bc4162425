// The figures of the server as JSON, for /v1/server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/access.h"
#include "engine/engine.h"
#include "server/metrics.h"

namespace laurel::server {

struct ServerState {
  std::string_view version;
  std::string_view run_id;
  bool stops = false;
  std::uint64_t commands_per_second = 0;
};

// Paths of the machine are left out: a client of any pattern may read this.
std::string FiguresJson(const engine::Figures& figures, const MetricsSource& source,
                        const ServerState& state);

}  // namespace laurel::server
