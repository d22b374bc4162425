// State that the RESP sessions of a server share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/access.h"
#include "engine/command_counters.h"
#include "engine/engine.h"
#include "server/access/refused_logins.h"
#include "server/access/token_store.h"
#include "server/config/config.h"
#include "server/config/settings.h"
#include "server/logs/audit_log.h"
#include "server/logs/server_log.h"
#include "server/logs/slow_log.h"
#include "server/net/connection_list.h"
#include "server/net/network.h"
#include "server/resp/monitors.h"

namespace laurel::server {

// Changes to the server that commands of clients request. Methods may be called from any thread.
class ServerControl {
 public:
  virtual ~ServerControl() = default;
  // Handles SHUTDOWN: starts to drain. `save`: a last snapshot is written.
  virtual void Shutdown(bool save) = 0;
  // Requests that take at least `micros` go to the slow log.
  virtual void SetSlowMicros(std::int64_t micros) = 0;
  // Returns the text of INFO for a client with this access.
  [[nodiscard]] virtual std::string Info(std::span<const std::string_view> arguments,
                                         const engine::Access& access,
                                         engine::Figures figures) const = 0;
};

struct RespService {
  const Config& config;
  TokenStore& tokens;
  Network& network;
  ConnectionList& connections;
  Settings& settings;
  SlowLog& slow_log;
  RefusedLogins& refused_logins;
  AuditLog& audit_log;
  ServerControl& control;
  engine::CommandCounters& commands;
  const std::int64_t started_at_us;  // system clock

  Monitors monitors{};
  LogRate http_log_rate{60'000'000};  // for HTTP requests to the RESP port
  std::string http_place{};           // the answer to such a request: "HTTP is on port 7680"
};

}  // namespace laurel::server
