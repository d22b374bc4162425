// The server: listeners, I/O threads, and the state that all connections share.
//
//   listener ──► IoThread 0 … n ──► connections, pinned to their thread
//                    │  parse into the thread's batch
//                    └► Engine::Execute(batch), replies out
//
// A connection (net/) is a transport, plain or TLS, with a conversation on it, which is RESP
// (resp/) or HTTP (http/). An I/O thread is one event loop. When a socket is readable, its
// connection only reads and parses. At the end of a round the thread executes the pipelines of all
// its ready connections together (IoThread), so the engine's lock is taken once per round and not
// once per command.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "laurel/result.h"
#include "server/access/refused_logins.h"
#include "server/access/token_store.h"
#include "server/config/config.h"
#include "server/config/settings.h"
#include "server/figures/figures.h"
#include "server/http/access_log.h"
#include "server/http/http_service.h"
#include "server/logs/audit_log.h"
#include "server/logs/server_log.h"
#include "server/logs/slow_log.h"
#include "server/net/certificates.h"
#include "server/net/connection_list.h"
#include "server/net/io_thread.h"
#include "server/net/network.h"
#include "server/net/signal_watch.h"
#include "server/net/socket.h"
#include "server/resp/resp_service.h"

namespace laurel::server {

class Server : public engine::ServerCallbacks, private ServerControl, private HttpDocuments {
 public:
  explicit Server(Config config);
  ~Server() override;

  // Raises the limit of open files, opens the audit log, loads the certificates and binds the
  // addresses. Returns ERR with a message that names the cause.
  Status Listen();
  // The addresses, as "resp 127.0.0.1:7600, tls 127.0.0.1:7601, http 127.0.0.1:7680". REQUIRES:
  // Listen succeeded.
  [[nodiscard]] std::string Addresses() const;

  // Reads the configuration again from its source.
  using Reread = std::function<Result<Config>()>;
  // Sets the function that SIGHUP calls on the thread that calls Run. If it is not set, there is no
  // file to read again. Must be called before Run.
  void set_reread(Reread reread) { reread_ = std::move(reread); }

  // Serves clients until SIGTERM, SIGINT or SHUTDOWN, then drains and returns. Calls `started` on
  // one of its I/O threads once clients are served.
  void Run(engine::Engine* engine, const std::function<void()>& started);
  // Starts to drain. May be called from any thread.
  void Stop();
  [[nodiscard]] bool stopping() const { return network_.stopping; }
  // Whether the owner of the engine should write a snapshot at the end. False after SHUTDOWN
  // NOSAVE.
  [[nodiscard]] bool last_snapshot() const { return last_snapshot_; }
  // The port for RESP. REQUIRES: Listen succeeded.
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // The port for HTTP; 0 if there is none.
  [[nodiscard]] std::uint16_t http_port() const { return http_port_; }

  // Overrides of engine::ServerCallbacks.
  void Notice(NoticeLevel level, const std::string& text) override;
  void NoteTime(const engine::Request& request, const engine::Client& client,
                std::int64_t micros) override;
  [[nodiscard]] std::size_t BufferBytes() const override { return network_.buffers.bytes(); }

 private:
  struct Listener;

  // The loop of the thread that accepts clients and keeps the time.
  [[nodiscard]] EventLoop& loop() { return threads_[0]->events(); }

  // Raises the limit of open files, and lowers max-clients to what fits under it.
  Status FitClientsToOpenFiles();
  enum class Protocol : std::uint8_t { kResp, kHttp };
  Status ListenOn(std::uint16_t port, Protocol protocol, bool tls);
  // Accepts the clients that wait.
  void Accept(Listener* listener);
  void AddConnection(Socket socket, const Listener& listener);
  void ScheduleTick();
  void TickEngine();
  void OnSignal(int signal);
  // Handles SIGHUP: reads the tokens and the certificates again, and reopens the audit log.
  void Reload();
  void ReloadTokens(const Config& reread);
  void ReloadCertificates(const Config& reread);
  void Drain();
  void AwaitDrained();

  // Overrides of ServerControl.
  void Shutdown(bool save) override;
  void SetSlowMicros(std::int64_t micros) override { set_slow_micros(micros); }
  [[nodiscard]] std::string Info(std::span<const std::string_view> arguments,
                                 const engine::Access& access,
                                 engine::Figures figures) const override;

  // Overrides of HttpDocuments.
  [[nodiscard]] std::string Metrics() const override;
  [[nodiscard]] std::string ServerJson(const engine::Access& access) const override;

  [[nodiscard]] ServerFigures Measure() const;

  Config config_;
  std::int64_t started_at_us_ = 0;
  std::uint16_t port_ = 0;
  std::uint16_t http_port_ = 0;
  Reread reread_;
  const Config configured_;  // as given; config_ differs where the server had to adapt a value
  TokenStore tokens_;
  Network network_{&config_};
  ConnectionList connections_;
  Settings settings_;
  SlowLog slow_log_;
  RefusedLogins refused_logins_{&network_.counters};
  AuditLog audit_log_;
  RespService resp_;
  AccessLog access_log_;
  HttpService http_;
  std::vector<std::unique_ptr<IoThread>> threads_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  TlsContext tls_{nullptr, nullptr};
  std::unique_ptr<SignalWatch> signals_;
  std::unique_ptr<EventLoop::Timer> tick_;
  std::size_t next_thread_ = 0;
  std::uint64_t next_client_id_ = 1;
  std::uint64_t ticks_ = 0;
  std::uint64_t commands_at_sweep_ = 0;
  std::atomic<std::uint64_t> commands_per_second_{0};
  std::chrono::steady_clock::time_point drain_deadline_;
  std::string run_id_;
  LogRate slow_log_rate_{1'000'000};
  LogRate accept_log_rate_{1'000'000};
  std::atomic<bool> last_snapshot_{true};
};

}  // namespace laurel::server
