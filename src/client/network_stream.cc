#include "client/network_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

namespace laurel::client {
namespace {

constexpr int kKeepAliveSeconds = 30;
constexpr std::int64_t kStopCheckMs = 50;  // upper bound of the delay of a stop

Error Closed() { return Err("the server has closed the connection"); }

// A socket; the destructor closes it.
class Socket {
 public:
  explicit Socket(int number) : number_(number) {}
  ~Socket() { close(number_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[nodiscard]] int number() const { return number_; }

  // Waits for one of `events`. False if none comes in time. ERR if the wait is stopped.
  [[nodiscard]] Result<bool> Await(short events, const WaitLimits& waits) const {
    const std::int64_t deadline_us =
        base::MonotonicMicros() + std::int64_t{waits.timeout_ms} * 1000;
    for (;;) {
      if (waits.stop != nullptr && waits.stop->load()) return Err("stopped by a signal");
      std::int64_t left_ms = (deadline_us - base::MonotonicMicros() + 999) / 1000;
      if (left_ms <= 0) return false;
      // Polls in steps, because a signal between the check and poll() would not interrupt a long
      // wait.
      if (waits.stop != nullptr) left_ms = std::min(left_ms, kStopCheckMs);
      pollfd waiting{number_, events, 0};
      const int ready = poll(&waiting, 1, static_cast<int>(left_ms));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return Err(std::strerror(errno));
    }
  }

  // Like Await, but ERR if no event comes in time.
  [[nodiscard]] Status Need(short events, const WaitLimits& waits) const {
    const Result<bool> ready = Await(events, waits);
    if (!ready.ok()) return ready.error();
    if (*ready) return Ok{};
    return Err("no answer for " + std::to_string(waits.timeout_ms / 1000) + " s");
  }

 private:
  int number_;
};

Status ConnectSocket(const Socket& made, const addrinfo& to, const WaitLimits& waits) {
  if (connect(made.number(), to.ai_addr, to.ai_addrlen) == 0) return Ok{};
  if (errno != EINPROGRESS && errno != EINTR) return Err(std::strerror(errno));
  if (const Status ready = made.Need(POLLOUT, waits); !ready.ok()) return ready;
  int reason = 0;
  socklen_t bytes = sizeof(reason);
  if (getsockopt(made.number(), SOL_SOCKET, SO_ERROR, &reason, &bytes) != 0) reason = errno;
  if (reason != 0) return Err(std::strerror(reason));
  return Ok{};
}

// Sets low latency and keepalive, to detect a dead server. Errors do not matter.
void SetOptions(int socket) {
  const int on = 1;
  const int seconds = kKeepAliveSeconds;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  (void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
}

Result<std::unique_ptr<Socket>> OpenSocket(const ServerAddress& address, const WaitLimits& waits) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int looked_up = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (looked_up != 0) return Err(gai_strerror(looked_up));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  Error last = Err("no address");
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const int number =
        socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol);
    if (number < 0) {
      last = Err(std::strerror(errno));
      continue;
    }
    auto made = std::make_unique<Socket>(number);
    const Status connected = ConnectSocket(*made, *one, waits);
    if (connected.ok()) {
      SetOptions(number);
      return made;
    }
    last = connected.error();
  }
  return last;
}

class PlainStream final : public NetworkStream {
 public:
  PlainStream(std::unique_ptr<Socket> socket, const WaitLimits& waits)
      : NetworkStream(waits), socket_(std::move(socket)) {}

  Result<Moved> Exchange(std::string_view output, std::span<char> room) override {
    for (;;) {
      Moved moved;
      if (!output.empty()) {
        const ssize_t sent = send(socket_->number(), output.data(), output.size(), MSG_NOSIGNAL);
        if (sent > 0) moved.sent = static_cast<std::size_t>(sent);
        if (sent < 0 && !MayTryAgain()) return Err(std::strerror(errno));
      }
      if (!room.empty()) {
        const ssize_t got = recv(socket_->number(), room.data(), room.size(), 0);
        if (got > 0) moved.received = static_cast<std::size_t>(got);
        if (got == 0) return Closed();
        if (got < 0 && !MayTryAgain()) return Err(std::strerror(errno));
      }
      if (moved.sent > 0 || moved.received > 0) return moved;
      const int events = (output.empty() ? 0 : POLLOUT) | (room.empty() ? 0 : POLLIN);
      const Result<bool> ready = socket_->Await(static_cast<short>(events), waits());
      if (!ready.ok()) return ready.error();
      if (!*ready) return moved;
    }
  }

 private:
  static bool MayTryAgain() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;  // NOLINT: same on Linux
  }

  std::unique_ptr<Socket> socket_;
};

// Returns the last error of OpenSSL as one line.
Error TlsError(const std::string& what) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return Err(what + (reason != nullptr ? std::string(": ") + reason : ""));
}

class TlsStream final : public NetworkStream {
 public:
  static Result<std::unique_ptr<NetworkStream>> Open(std::unique_ptr<Socket> socket,
                                                     const ServerAddress& address,
                                                     const TlsOptions& options,
                                                     const WaitLimits& waits) {
    std::unique_ptr<TlsStream> stream(new TlsStream(std::move(socket), waits));
    if (const Status set = stream->SetUp(address, options); !set.ok()) return set.error();
    if (const Status made = stream->Handshake(); !made.ok()) return made.error();
    return std::unique_ptr<NetworkStream>(std::move(stream));
  }

  Result<Moved> Exchange(std::string_view output, std::span<char> room) override {
    for (;;) {
      Moved moved;
      int events = 0;
      ERR_clear_error();
      if (!output.empty()) {
        const int done = SSL_write_ex(tls_.get(), output.data(), output.size(), &moved.sent);
        if (const Status sent = Judge(done, &events); !sent.ok()) return sent.error();
      }
      if (!room.empty()) {
        const int done = SSL_read_ex(tls_.get(), room.data(), room.size(), &moved.received);
        if (const Status got = Judge(done, &events); !got.ok()) return got.error();
      }
      if (moved.sent > 0 || moved.received > 0) return moved;
      const Result<bool> ready = socket_->Await(static_cast<short>(events), waits());
      if (!ready.ok()) return ready.error();
      if (!*ready) return moved;
    }
  }

 private:
  TlsStream(std::unique_ptr<Socket> socket, const WaitLimits& waits)
      : NetworkStream(waits),
        socket_(std::move(socket)),
        context_(nullptr, SSL_CTX_free),
        tls_(nullptr, SSL_free) {}

  Status SetUp(const ServerAddress& address, const TlsOptions& options) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    if (context_ == nullptr) return TlsError("TLS");
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    SSL_CTX_set_mode(context_.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_verify(context_.get(), options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    const int trusted = options.ca_file.empty()
                            ? SSL_CTX_set_default_verify_paths(context_.get())
                            : SSL_CTX_load_verify_file(context_.get(), options.ca_file.c_str());
    if (trusted != 1) return TlsError("cannot read certificates from '" + options.ca_file + "'");
    tls_.reset(SSL_new(context_.get()));
    if (tls_ == nullptr) return TlsError("TLS");
    SSL_set_fd(tls_.get(), socket_->number());
    // A certificate names either IP addresses or hosts.
    X509_VERIFY_PARAM* wanted = SSL_get0_param(tls_.get());
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, address.host.c_str()) == 1) return Ok{};
    ERR_clear_error();
    // SSL_set_tlsext_host_name is a macro with a C cast.
    if (X509_VERIFY_PARAM_set1_host(wanted, address.host.c_str(), 0) != 1 ||
        SSL_ctrl(tls_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 const_cast<char*>(address.host.c_str())) != 1) {
      return TlsError("TLS");
    }
    return Ok{};
  }

  Status Handshake() {
    for (;;) {
      ERR_clear_error();
      const int done = SSL_connect(tls_.get());
      if (done == 1) return Ok{};
      const long verified = SSL_get_verify_result(tls_.get());
      if (verified != X509_V_OK && SSL_get_verify_mode(tls_.get()) != SSL_VERIFY_NONE) {
        return Err(std::string("its certificate is refused: ") +
                   X509_verify_cert_error_string(verified));
      }
      int events = 0;
      if (const Status judged = Judge(done, &events); !judged.ok()) return judged;
      const Status ready = socket_->Need(static_cast<short>(events), waits());
      if (!ready.ok()) return ready;
    }
  }

  // Adds the events that a call of OpenSSL without progress waits for. ERR if the stream has ended.
  Status Judge(int done, int* events) {
    if (done == 1) return Ok{};
    const int reason = errno;
    switch (SSL_get_error(tls_.get(), done)) {
      case SSL_ERROR_WANT_READ:
        *events |= POLLIN;
        return Ok{};
      case SSL_ERROR_WANT_WRITE:
        *events |= POLLOUT;
        return Ok{};
      case SSL_ERROR_ZERO_RETURN:
        return Closed();
      case SSL_ERROR_SYSCALL:
        return reason == 0 ? Closed() : Err(std::strerror(reason));
      default:
        return TlsError("TLS");
    }
  }

  std::unique_ptr<Socket> socket_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_;  // freed before context_ and socket_
};

}  // namespace

Result<std::unique_ptr<NetworkStream>> NetworkStream::Open(const ServerAddress& address,
                                                           const TlsOptions& tls,
                                                           const WaitLimits& waits) {
  const auto refuse = [&](const Error& error) {
    return Err("cannot connect to " + address.Text() + ": " + error.message);
  };
  Result<std::unique_ptr<Socket>> socket = OpenSocket(address, waits);
  if (!socket.ok()) return refuse(socket.error());
  if (!address.tls) {
    return std::unique_ptr<NetworkStream>(std::make_unique<PlainStream>(std::move(*socket), waits));
  }
  Result<std::unique_ptr<NetworkStream>> stream =
      TlsStream::Open(std::move(*socket), address, tls, waits);
  if (!stream.ok()) return refuse(stream.error());
  return stream;
}

}  // namespace laurel::client
