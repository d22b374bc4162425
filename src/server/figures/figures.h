// The figures of the server, and the three texts that show them with those of the engine: INFO,
// /metrics and /v1/server. Names, units and order of a text are stable, because clients read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access.h"
#include "engine/command_counters.h"
#include "engine/engine.h"
#include "server/config/config.h"
#include "server/figures/counters.h"

namespace laurel::server {

// Figures of the server itself.
struct ServerFigures {
  const Config& config;
  const Counters& counters;
  const engine::CommandCounters& commands;
  std::vector<RouteFigures> routes{};  // per method, route and status; for /metrics
  std::string_view run_id{};
  std::uint16_t port = 0;  // the port for RESP
  bool stops = false;
  std::size_t threads = 0;
  std::size_t resp_connections = 0;
  std::size_t http_connections = 0;
  std::size_t streams = 0;       // server-sent events
  std::size_t buffer_bytes = 0;  // of all connections
  std::size_t resident_bytes = 0;
  std::uint64_t commands_per_second = 0;
  std::int64_t cpu_us = 0;         // user and system time of the process
  std::int64_t now_us = 0;         // system clock
  std::int64_t started_at_us = 0;  // system clock

  [[nodiscard]] std::int64_t UptimeUs() const { return now_us - started_at_us; }
  [[nodiscard]] Stamp BoardTime() const { return now_us + config.clock_offset_us; }
};

// Returns INFO's text for a client with this access: Redis' sections and names, and a section
// "Laurel". Paths of the machine appear only if the client has access to all boards. `words` are
// the whole request, the command's name included.
std::string InfoText(std::span<const std::string_view> words, const engine::Access& access,
                     engine::Figures figures, const ServerFigures& server);

// Returns the text of /metrics, in the Prometheus text exposition format 0.0.4. Values are in base
// units: seconds and bytes. Label values never come from a client, so the number of series is
// bounded by the commands, the error codes, the routes and the buckets of three histograms. It
// walks no boards or connections.
std::string MetricsText(const engine::Figures& figures, const ServerFigures& server);

// Returns the JSON of /v1/server for a client with this access. Paths of the machine appear only if
// the client has access to all boards.
std::string FiguresJson(const engine::Figures& figures, const ServerFigures& server,
                        const engine::Access& access);

}  // namespace laurel::server
