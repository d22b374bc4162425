#include "server/server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "base/random.h"
#include "server/figures/process_usage.h"
#include "server/http/http_session.h"
#include "server/net/certificates.h"
#include "server/net/open_files.h"
#include "server/net/transport.h"
#include "server/resp/session.h"

namespace laurel::server {
namespace {

constexpr int kMostAccepted = 64;  // in one round
constexpr auto kTickPeriod = std::chrono::milliseconds(100);
constexpr int kTicksPerSweep = 10;
constexpr std::size_t kSlowArguments = 32;
constexpr std::int64_t kLoggedSlowMicros = 1000;  // shorter requests go to SLOWLOG only
constexpr std::size_t kSlowArgumentBytes = 128;
constexpr std::string_view kTooManyRespClients = "-ERR max number of clients reached\r\n";
constexpr std::string_view kTooManyHttpClients =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n"
    "Connection: close\r\n\r\n";

// On two cores a second thread gains nothing, because the client needs the other core: ZADD 680 and
// 697 k/s with one thread, 671 and 757 with two; without pipelining 139 and 134 with one, 122 and
// 133 with two. The gain on many cores is not measured.
std::size_t DefaultThreads() {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return cores <= 4 ? 1 : std::min<std::size_t>(cores / 2, 8);
}

// Whether SIGHUP applies a new value of the option.
bool IsReread(std::string_view option) {
  return option == "token" || option == "tls-cert" || option == "tls-key" || option == "tls-ca";
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

}  // namespace

struct Server::Listener final : EventLoop::Watcher {
  Listener(Server* owner, Socket listening, Protocol spoken, bool with_tls)
      : server(owner),
        socket(std::move(listening)),
        protocol(spoken),
        tls(with_tls),
        retry(&owner->loop()) {}
  ~Listener() override { Close(); }

  void OnEvents(std::uint32_t /*events*/) override { server->Accept(this); }
  void Close() {
    if (!socket.is_open()) return;
    server->loop().Remove(socket.number(), this);
    retry.Cancel();
    socket.Close();
  }

  Server* server;
  Socket socket;
  Protocol protocol;
  bool tls;
  EventLoop::Timer retry;
};

Server::Server(Config config)
    : config_(std::move(config)),
      started_at_us_(SystemNow()),
      configured_(config_),
      tokens_(config_.tokens),
      settings_(config_),
      resp_{.config = config_,
            .tokens = tokens_,
            .network = network_,
            .connections = connections_,
            .settings = settings_,
            .slow_log = slow_log_,
            .refused_logins = refused_logins_,
            .audit_log = audit_log_,
            .control = *this,
            .commands = commands(),
            .started_at_us = started_at_us_},
      http_{.config = config_,
            .tokens = tokens_,
            .network = network_,
            .connections = connections_,
            .settings = settings_,
            .slow_log = slow_log_,
            .refused_logins = refused_logins_,
            .documents = *this,
            .access_log = access_log_,
            .audit_log = audit_log_} {
  const std::size_t threads = config_.threads != 0 ? config_.threads : DefaultThreads();
  for (std::size_t i = 0; i < threads; ++i)
    threads_.push_back(std::make_unique<IoThread>(&network_));
  constexpr char kHex[] = "0123456789abcdef";
  for (int i = 0; i < 40; ++i) run_id_ += kHex[base::SystemEntropy() & 15];
  set_slow_micros(config_.slowlog_slower_than_us < 0 ? INT64_MAX : config_.slowlog_slower_than_us);
}

Server::~Server() {
  for (const auto& thread : threads_) thread->Join();
  connections_.AbandonAll();
}

// Listening ------------------------------------------------------------------------------------

Status Server::Listen() {
  if (const Status status = FitClientsToOpenFiles(); !status.ok()) return status;
  if (!config_.access_log.empty()) {
    if (const Status status = access_log_.Open(config_.access_log); !status.ok()) return status;
  }
  if (!config_.audit_log.empty()) {
    if (const Status status = audit_log_.Open(config_.audit_log); !status.ok()) return status;
  }
  if (!config_.tls_cert.empty()) {
    auto tls = LoadCertificates(config_);
    if (!tls.ok()) return tls.error();
    tls_ = std::move(*tls);
  }
  struct Port {
    std::optional<std::uint16_t> port;
    Protocol protocol;
    bool tls;
  };
  for (const Port& port :
       {Port{config_.port, Protocol::kResp, false}, Port{config_.tls_port, Protocol::kResp, true},
        Port{config_.http_port, Protocol::kHttp, false},
        Port{config_.http_tls_port, Protocol::kHttp, true}}) {
    if (!port.port) continue;
    const Status status = ListenOn(*port.port, port.protocol, port.tls);
    if (!status.ok()) return status;
  }
  port_ = listeners_[0]->socket.LocalPort();
  settings_.Set("port", std::to_string(port_));
  resp_.http_place = "HTTP is off (http-port)";
  for (const auto& listener : listeners_) {
    if (listener->protocol != Protocol::kHttp) continue;
    const std::uint16_t port = listener->socket.LocalPort();
    if (!listener->tls) http_port_ = port;
    if (listener->tls && http_port_ != 0) continue;
    resp_.http_place =
        (listener->tls ? "HTTPS is on port " : "HTTP is on port ") + std::to_string(port);
  }
  return Ok{};
}

Status Server::FitClientsToOpenFiles() {
  const std::size_t open_files = RaiseOpenFiles();
  const std::uint32_t wanted = config_.max_clients;
  const Result<std::uint32_t> clients = ClientsWithin(open_files, threads_.size(), wanted);
  if (!clients.ok()) return clients.error();
  if (*clients == wanted) return Ok{};
  Log(LogLevel::kWarn, "max-clients is " + std::to_string(*clients) + " instead of " +
                           std::to_string(wanted) + ": the limit of open files is " +
                           std::to_string(open_files) +
                           " (ulimit -n), and some are kept for the log");
  config_.max_clients = *clients;
  settings_.Set("maxclients", std::to_string(*clients));
  return Ok{};
}

Status Server::ListenOn(std::uint16_t port, Protocol protocol, bool tls) {
  const std::string address = config_.bind == "localhost" ? "127.0.0.1" : config_.bind;
  Result<Socket> socket = Socket::Listen(address, port);
  if (!socket.ok()) {
    return Error{ErrorCode::kErr, "cannot listen on " + address + ":" + std::to_string(port) +
                                      ": " + socket.error().message + " (--" +
                                      (protocol == Protocol::kHttp ? "http-" : "") +
                                      (tls ? "tls-port)" : "port)")};
  }
  listeners_.push_back(std::make_unique<Listener>(this, std::move(*socket), protocol, tls));
  return Ok{};
}

std::string Server::Addresses() const {
  LAUREL_ASSERT(!listeners_.empty());
  std::string text;
  for (const auto& listener : listeners_) {
    const bool http = listener->protocol == Protocol::kHttp;
    text += (text.empty() ? "" : ", ") +
            std::string(http ? (listener->tls ? "https " : "http ")
                             : (listener->tls ? "tls " : "resp ")) +
            listener->socket.Local();
  }
  return text;
}

void Server::Accept(Listener* listener) {
  for (int i = 0; i < kMostAccepted; ++i) {
    Socket socket = listener->socket.Accept();
    if (socket.is_open()) {
      AddConnection(std::move(socket), *listener);
      continue;
    }
    const int reason = errno;
    if (reason == EAGAIN) return;
    if (reason == ECONNABORTED || reason == EINTR) continue;
    // For example, no file descriptor is left. Retrying at once would spin.
    if (accept_log_rate_.Allows()) {
      Log(LogLevel::kError, std::string("cannot accept: ") + std::strerror(reason));
    }
    listener->retry.Start(kTickPeriod, [this, listener] { Accept(listener); });
    return;
  }
  loop().Again(listener);
}

void Server::AddConnection(Socket socket, const Listener& listener) {
  IoThread* thread = threads_[next_thread_++ % threads_.size()].get();
  const bool http = listener.protocol == Protocol::kHttp;
  network_.counters.connections.fetch_add(1, std::memory_order_relaxed);
  if (connections_.size() >= config_.max_clients) {
    ++network_.counters.rejected;
    if (!listener.tls) socket.Send(http ? kTooManyHttpClients : kTooManyRespClients);
    return;
  }
  auto transport = listener.tls ? MakeTlsTransport(std::move(socket), &thread->events(), tls_.get())
                                : MakePlainTransport(std::move(socket), &thread->events());
  const auto connection = std::make_shared<Connection>(&network_, thread, &connections_,
                                                       std::move(transport), next_client_id_++);
  if (http) {
    connection->Converse(std::make_unique<HttpSession>(&http_, connection.get()));
  } else {
    connection->Converse(std::make_unique<Session>(&resp_, connection.get()));
  }
  connections_.Add(connection);
  thread->events().Post([connection] { connection->Start(); });
}

// Running --------------------------------------------------------------------------------------

void Server::Run(engine::Engine* engine, const std::function<void()>& started) {
  network_.engine = engine;
  signals_ = std::make_unique<SignalWatch>(&loop(), std::vector<int>{SIGTERM, SIGINT, SIGHUP},
                                           [this](int signal) { OnSignal(signal); });
  tick_ = std::make_unique<EventLoop::Timer>(&loop());
  ScheduleTick();
  for (const auto& listener : listeners_) {
    const bool watched = loop().Add(listener->socket.number(), listener.get());
    LAUREL_ASSERT(watched);
  }
  for (std::size_t i = 1; i < threads_.size(); ++i) threads_[i]->Start();
  loop().Post(started);
  threads_[0]->Run();
  for (const auto& thread : threads_) thread->Join();
}

void Server::ScheduleTick() {
  tick_->Start(kTickPeriod, [this] {
    TickEngine();
    if (++ticks_ % kTicksPerSweep == 0) {
      const std::int64_t now = base::MonotonicMicros();
      const std::uint64_t commands = network_.counters.commands;
      commands_per_second_ = commands - std::min(commands_at_sweep_, commands);
      commands_at_sweep_ = commands;
      for (const auto& connection : connections_.All()) connection->CheckTimeouts(now);
    }
    ScheduleTick();
  });
}

void Server::TickEngine() {
  // Each handler runs one slice, so that requests are served in between.
  if (!network_.engine->Tick() || stopping()) return;
  loop().Post([this] { TickEngine(); });
}

// Reading again --------------------------------------------------------------------------------

void Server::OnSignal(int signal) {
  if (stopping()) return;
  if (signal == SIGHUP) return Reload();
  Log(LogLevel::kInfo, std::string("stopping on ") + (signal == SIGINT ? "SIGINT" : "SIGTERM"));
  Stop();
}

void Server::Reload() {
  if (access_log_.is_open()) access_log_.Reopen();
  if (audit_log_.is_open()) audit_log_.Reopen();
  if (!reread_) {
    Log(LogLevel::kInfo, "SIGHUP: there is no configuration file to read; the tokens stay");
    return ReloadCertificates(configured_);
  }
  const Result<Config> reread = reread_();
  if (!reread.ok()) {
    Log(LogLevel::kError, "SIGHUP: nothing is changed: " + reread.error().message);
    return;
  }
  ReloadTokens(*reread);
  ReloadCertificates(*reread);
  std::string later;
  for (const std::string_view name : DifferentOptions(configured_, *reread)) {
    if (IsReread(name)) continue;
    later += (later.empty() ? "" : ", ") + std::string(name);
  }
  if (later.empty()) return;
  Log(LogLevel::kWarn, "SIGHUP: only a restart applies the new values of " + later);
}

void Server::ReloadTokens(const Config& reread) {
  // The listening address is still the one of the start, not the one in the file now.
  Config next = configured_;
  next.tokens = reread.tokens;
  if (const Status allowed = CheckAccess(next); !allowed.ok()) {
    Log(LogLevel::kError, "SIGHUP: the tokens stay: " + allowed.error().message);
    return;
  }
  const bool had_tokens = !tokens_.empty();
  const TokenStore::Change change = tokens_.Replace(reread.tokens);
  Log(LogLevel::kInfo, "SIGHUP: tokens added: " + Listed(change.added) + "; removed: " +
                           Listed(change.removed) + "; changed: " + Listed(change.changed));
  if (had_tokens && tokens_.empty()) {
    Log(LogLevel::kWarn, "SIGHUP: no tokens are left: every client may do everything");
  }
  for (const auto& connection : connections_.All()) connection->CheckToken();
}

void Server::ReloadCertificates(const Config& reread) {
  if (tls_ == nullptr || reread.tls_cert.empty()) return;
  auto tls = LoadCertificates(reread);
  if (!tls.ok()) {
    Log(LogLevel::kError, "SIGHUP: the certificates stay: " + tls.error().message);
    return;
  }
  tls_ = std::move(*tls);  // existing connections keep what they need of the old context
  Log(LogLevel::kInfo, "SIGHUP: certificates are read again");
}

// Stopping -------------------------------------------------------------------------------------

void Server::Stop() {
  if (network_.stopping.exchange(true)) return;
  loop().Post([this] { Drain(); });
}

void Server::Drain() {
  for (const auto& listener : listeners_) {
    // HTTP keeps accepting, so that /readyz can report that the server stops.
    if (listener->protocol == Protocol::kResp) listener->Close();
  }
  for (const auto& connection : connections_.All()) connection->Shut(Connection::When::kWhenIdle);
  drain_deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(config_.drain_ms);
  AwaitDrained();
}

void Server::AwaitDrained() {
  if (connections_.size() == 0 || std::chrono::steady_clock::now() > drain_deadline_) {
    for (const auto& thread : threads_) thread->events().Stop();
    return;
  }
  tick_->Start(std::chrono::milliseconds(5), [this] { AwaitDrained(); });
}

// Called by the engine and by sessions ---------------------------------------------------------

void Server::Notice(NoticeLevel level, const std::string& text) {
  Log(level == NoticeLevel::kError     ? LogLevel::kError
      : level == NoticeLevel::kWarning ? LogLevel::kWarn
                                       : LogLevel::kInfo,
      text);
}

void Server::Shutdown(bool save) {
  if (!save) last_snapshot_ = false;
  Stop();
}

std::string Server::Info(std::span<const std::string_view> arguments, const engine::Access& access,
                         engine::Figures figures) const {
  return InfoText(arguments, access, std::move(figures), Measure());
}

std::string Server::Metrics() const {
  ServerFigures figures = Measure();
  figures.routes = http_.Routes();
  return MetricsText(network_.engine->Measure(), figures);
}

std::string Server::ServerJson(const engine::Access& access) const {
  return FiguresJson(network_.engine->Measure(access), Measure(), access);
}

ServerFigures Server::Measure() const {
  const std::size_t http = http_.connections_open;
  const std::size_t all = connections_.size();
  return {.config = config_,
          .counters = network_.counters,
          .commands = commands(),
          .run_id = run_id_,
          .port = port_,
          .stops = stopping(),
          .threads = threads_.size(),
          .resp_connections = all - std::min(all, http),
          .http_connections = http,
          .streams = http_.streams,
          .buffer_bytes = BufferBytes(),
          .resident_bytes = ResidentBytes(),
          .commands_per_second = commands_per_second_,
          .cpu_us = CpuMicros(),
          .now_us = SystemNow(),
          .started_at_us = started_at_us_};
}

void Server::NoteTime(const engine::Request& request, const engine::Client& client,
                      std::int64_t micros) {
  if (request.command == nullptr || request.command->Has(wire::kSkipSlowLog)) return;
  SlowEntry entry;
  entry.unix_seconds = SystemNow() / 1'000'000;
  entry.micros = micros;
  const std::size_t count = request.arguments.size();
  const std::size_t shown = count > kSlowArguments ? kSlowArguments - 1 : count;
  for (const std::string_view argument : request.arguments.first(shown)) {
    entry.arguments.emplace_back(argument.substr(0, kSlowArgumentBytes));
    if (argument.size() <= kSlowArgumentBytes) continue;
    entry.arguments.back() +=
        "... (" + std::to_string(argument.size() - kSlowArgumentBytes) + " more bytes)";
  }
  if (shown < count) {
    entry.arguments.push_back("... (" + std::to_string(count - shown) + " more arguments)");
  }
  if (entry.arguments.empty()) entry.arguments.push_back(wire::LowerName(*request.command));
  entry.address = client.address;
  entry.client_name = client.name;
  const auto kept =
      static_cast<std::size_t>(std::max<std::int64_t>(settings_.Number("slowlog-max-len"), 0));
  if (micros >= kLoggedSlowMicros && slow_log_rate_.Allows()) {
    // Posted to log it without the engine's lock: the log may be on a disk that hangs.
    loop().Post([line = "slow: " + wire::LowerName(*request.command) + " from " + client.address +
                        " took " + std::to_string(micros) + " us"] { Log(LogLevel::kWarn, line); });
  }
  slow_log_.Add(std::move(entry), kept);
}

}  // namespace laurel::server
