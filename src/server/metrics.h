// The text of /metrics, in the format that Prometheus scrapes (text exposition format 0.0.4).
//
// Names of metrics and labels are stable. Values are in base units: seconds and bytes. No label has
// a value that comes from a client, so the number of series is bounded: by the commands, the error
// codes, the routes and the buckets of three histograms. Nothing here walks boards or connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/command_counters.h"
#include "engine/engine.h"
#include "server/state/counters.h"
#include "server/state/route_figures.h"

namespace laurel::server {

inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

// What /metrics shows besides the engine's own figures.
struct MetricsSource {
  const Counters& counters;
  const engine::CommandCounters& commands;
  std::span<const RouteFigures> routes{};  // each method, route and status once
  std::size_t resp_connections = 0;
  std::size_t http_connections = 0;
  std::size_t streams = 0;  // server-sent events
  std::size_t max_streams = 0;
  std::size_t buffer_bytes = 0;  // of all connections
  std::size_t resident_bytes = 0;
  std::uint64_t max_memory_bytes = 0;  // 0: no limit
  std::int64_t uptime_us = 0;
};

[[nodiscard]] std::string MetricsText(const engine::Figures& figures, const MetricsSource& source);

}  // namespace laurel::server
