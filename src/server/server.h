// The server: listeners, I/O threads, and what all connections share.
//
//   listener ──► IoThread 0 … n ──► connections, pinned to their thread
//                    │  parse into the thread's batch
//                    └► Engine::Execute(batch), replies out
//
// An I/O thread is one io_context. A readable socket only parses what has come; a handler posted
// behind the ready events executes what all the thread's connections have brought (IoThread), so
// that the engine's lock is taken once per round and not once per command.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "engine/engine.h"
#include "laurel/result.h"
#include "server/config/config.h"
#include "server/net/connection.h"
#include "server/net/io_thread.h"
#include "server/state/log.h"
#include "server/state/login_failures.h"
#include "server/state/server_state.h"

namespace laurel::server {

class Server : public engine::Host {
 public:
  explicit Server(Config config);
  ~Server() override;

  // Binds the addresses. ERR with a message that names address and cause.
  Status Listen();
  // "resp 127.0.0.1:7600, tls 127.0.0.1:7601". REQUIRES: Listen succeeded.
  [[nodiscard]] std::string Addresses() const;

  // Serves until SIGTERM, SIGINT or SHUTDOWN, then drains. `started` is called on one of its
  // threads once clients are served.
  void Run(engine::Engine* engine, const std::function<void()>& started);
  // Begins to drain. From any thread.
  void Stop();
  // SHUTDOWN NOSAVE: what is asked of whoever owns the engine.
  void SkipLastSnapshot() { last_snapshot_ = false; }
  [[nodiscard]] bool last_snapshot() const { return last_snapshot_; }

  // engine::Host.
  void Notice(NoticeLevel level, const std::string& text) override;
  void ReplyInfo(std::span<const std::string_view> arguments, const engine::Figures& figures,
                 wire::Reply* reply) override;
  void NoteTime(const engine::Request& request, const engine::Client& client,
                std::int64_t micros) override;
  [[nodiscard]] std::size_t BufferBytes() const override {
    return buffer_bytes_.load(std::memory_order_relaxed);
  }

  // For connections ------------------------------------------------------------------------------

  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] engine::Engine& engine() { return *engine_; }
  [[nodiscard]] Counters& counters() { return counters_; }
  [[nodiscard]] SlowLog& slow_log() { return slow_log_; }
  [[nodiscard]] Settings& settings() { return settings_; }
  [[nodiscard]] std::int64_t started_at_us() const { return started_at_us_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  // Counts it, and logs it if nothing of the kind was logged just now. Returns the milliseconds
  // that the reply is to wait.
  std::int64_t NoteRefusedLogin(const std::string& peer);
  // A connection is closed because an HTTP request came: logged at most once a minute.
  void NoteHttpRequest(const std::string& peer);

  // Client buffers grew or shrank. False if they exceed --max-buffers now.
  bool AddBufferBytes(std::ptrdiff_t change);

  void Add(const std::shared_ptr<Connection>& connection);
  void Remove(Connection* connection);
  [[nodiscard]] std::vector<std::shared_ptr<Connection>> Connections() const;
  [[nodiscard]] std::shared_ptr<Connection> FindConnection(std::uint64_t id) const;
  [[nodiscard]] std::size_t clients() const { return clients_.load(std::memory_order_relaxed); }

  // MONITOR.
  [[nodiscard]] bool monitored() const { return monitors_.load(std::memory_order_relaxed) > 0; }
  void AddMonitor(int change) { monitors_ += change; }
  void TellMonitors(const std::string& line);

  // CLIENT PAUSE: until then, monotonic milliseconds; `writes_only` lets reads pass.
  void Pause(std::int64_t until_ms, bool writes_only);
  [[nodiscard]] std::int64_t paused_until_ms() const { return paused_until_ms_; }
  [[nodiscard]] bool pauses_writes_only() const { return pauses_writes_only_; }

 private:
  struct Listener;

  // Raises the limit of open files, and lowers max-clients to what fits under it.
  Status FitClients();
  Status ListenOn(std::uint16_t port, bool tls);
  Status LoadCertificates();
  void Accept(Listener* listener);
  void Welcome(Socket socket, IoThread* thread, bool tls);
  void ScheduleTick();
  void TickEngine();
  void Drain();
  void AwaitDrained();

  Config config_;
  engine::Engine* engine_ = nullptr;
  std::int64_t started_at_us_ = 0;
  std::uint16_t port_ = 0;
  std::vector<std::unique_ptr<IoThread>> threads_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::unique_ptr<boost::asio::ssl::context> tls_;
  std::unique_ptr<boost::asio::signal_set> signals_;
  std::unique_ptr<boost::asio::steady_timer> tick_;
  std::size_t next_thread_ = 0;
  std::uint64_t ticks_ = 0;
  std::uint64_t commands_at_sweep_ = 0;
  std::atomic<std::uint64_t> commands_per_second_{0};
  std::chrono::steady_clock::time_point drain_deadline_;
  std::string run_id_;
  LogRate slow_log_rate_{1'000'000};
  LogRate login_log_rate_{1'000'000};
  LogRate http_log_rate_{60'000'000};
  LoginFailures login_failures_;
  LogRate accept_log_rate_{1'000'000};

  std::atomic<std::uint64_t> next_client_id_{1};
  std::atomic<std::size_t> clients_{0};
  mutable std::mutex connections_mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;

  Counters counters_;
  SlowLog slow_log_;
  Settings settings_;
  std::atomic<std::size_t> buffer_bytes_{0};
  std::atomic<int> monitors_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> last_snapshot_{true};
  std::atomic<std::int64_t> paused_until_ms_{0};
  std::atomic<bool> pauses_writes_only_{false};
};

}  // namespace laurel::server
