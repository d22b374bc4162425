// State that the HTTP sessions of a server share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access.h"
#include "http/routes.h"
#include "server/access/refused_logins.h"
#include "server/access/token_store.h"
#include "server/config/config.h"
#include "server/config/settings.h"
#include "server/config/tokens.h"
#include "server/figures/counters.h"
#include "server/http/access_log.h"
#include "server/http/change_pages.h"
#include "server/http/live_events.h"
#include "server/logs/audit_log.h"
#include "server/logs/slow_log.h"
#include "server/net/connection_list.h"
#include "server/net/network.h"

namespace laurel::server {

// Makes documents about the whole server. Methods may be called from any thread.
class HttpDocuments {
 public:
  virtual ~HttpDocuments() = default;
  [[nodiscard]] virtual std::string Metrics() const = 0;  // /metrics
  // Returns the JSON of /v1/server for a client with this access.
  [[nodiscard]] virtual std::string ServerJson(const engine::Access& access) const = 0;
};

struct HttpService {
  const Config& config;
  const TokenStore& tokens;
  Network& network;
  ConnectionList& connections;
  const Settings& settings;
  SlowLog& slow_log;
  RefusedLogins& refused_logins;
  HttpDocuments& documents;
  AccessLog& access_log;
  AuditLog& audit_log;

  // The token of clients without a token, if the configuration lets them read.
  const std::shared_ptr<const Token> anonymous =
      std::make_shared<const Token>(Token{"anonymous", {}, wire::Role::kRead, config.anonymous});

  std::atomic<std::uint32_t> streams{0};
  LiveEvents live_events{};
  ChangePages change_pages{};

  std::atomic<std::size_t> connections_open{0};

  // Counts of answers by route and class of status (0: 1xx … 4: 5xx).
  static constexpr std::size_t kMaxRoutes = 64;
  struct Answers {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::int64_t> total_us{0};
  };
  std::array<std::array<Answers, 5>, kMaxRoutes + 1> answers{};
  // Counts an answer; `route` is null if the request had none.
  void Count(const http::Route* route, int status, std::int64_t micros);
  // Returns the counts of routes and statuses that have occurred.
  [[nodiscard]] std::vector<RouteFigures> Routes() const;
};

}  // namespace laurel::server
