// The text of INFO: Redis' sections and names, and a section "Laurel".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/access.h"
#include "engine/command_counters.h"
#include "engine/engine.h"
#include "server/config/config.h"
#include "server/state/counters.h"

namespace laurel::server {

// Figures of the server itself that INFO shows.
struct ServerFigures {
  const Config& config;
  const Counters& counters;
  const engine::CommandCounters& commands;
  std::string_view run_id;
  std::uint16_t port = 0;
  std::int64_t started_at_us = 0;  // system clock
  std::size_t threads = 0;
  std::size_t clients = 0;
  std::size_t buffer_bytes = 0;
  std::uint64_t commands_per_second = 0;
};

// Returns INFO's text for a client with this access. Paths of the machine appear only if the client
// has access to all boards. `arguments` are the whole request, the command's name included.
std::string InfoText(std::span<const std::string_view> arguments, const engine::Access& access,
                     engine::Figures figures, const ServerFigures& server);

}  // namespace laurel::server
