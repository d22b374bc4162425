#include "server/net/transport.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "server/logs/server_log.h"
#include "server/net/certificates.h"

namespace laurel::server {
namespace {

// What a call that moves bytes has done.
struct Moved {
  enum class State : std::uint8_t { kDone, kLater, kFailed };  // kLater: wait for an event
  State state = State::kFailed;
  std::size_t bytes = 0;  // of kDone: at least 1
  bool more = false;      // of a read: more may be available without another event
};

// Moves bytes when the loop reports the socket as ready, and at once where that is possible.
class SocketTransport : public Transport, private EventLoop::Watcher {
 public:
  SocketTransport(Socket socket, EventLoop* loop)
      : Transport(socket.Remote(), socket.Local()), loop_(loop), socket_(std::move(socket)) {
    socket_.SetClientOptions();
  }
  ~SocketTransport() override { SocketTransport::Close(); }

  void AsyncRead(char* to, std::size_t bytes) override {
    read_to_ = to;
    read_bytes_ = bytes;
    if (readable_) loop_->Again(this);
  }

  std::size_t TryWrite(std::string_view bytes) override {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const Moved moved = Send(bytes.substr(sent));
      write_failed_ = moved.state == Moved::State::kFailed;
      if (moved.state != Moved::State::kDone) break;
      sent += moved.bytes;
    }
    return sent;
  }

  void AsyncWrite(std::string_view bytes) override {
    unsent_ = bytes;
    if (write_failed_) loop_->Again(this);
  }

  void Close() override {
    if (!socket_.is_open()) return;
    loop_->Remove(socket_.number(), this);
    BeforeClose();
    socket_.Shut();
  }

 protected:
  [[nodiscard]] int number() const { return socket_.number(); }

  // Continues the handshake. kDone: it is complete; `more`: input may be available already.
  virtual Moved Greet() { return {.state = Moved::State::kDone}; }
  virtual Moved Receive(char* to, std::size_t bytes) = 0;
  virtual Moved Send(std::string_view bytes) = 0;
  virtual void BeforeClose() {}

 private:
  void Handshake() override {
    if (!socket_.is_open() || !loop_->Add(socket_.number(), this)) return user()->OnRead(false, 0);
    ContinueHandshake();
  }

  void ContinueHandshake() {
    const Moved greeted = Greet();
    if (greeted.state == Moved::State::kLater) return;
    greeted_ = true;
    if (greeted.state == Moved::State::kFailed) return user()->OnRead(false, 0);
    readable_ = greeted.more;
    user()->OnReady();
  }

  void OnEvents(std::uint32_t events) override {
    const std::shared_ptr<User> alive = user()->shared_from_this();
    if (!greeted_) return ContinueHandshake();
    if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) readable_ = true;
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) ending_ = true;
    if (!unsent_.empty() && ((events & EPOLLOUT) != 0 || write_failed_)) {
      const std::size_t sent = write_failed_ ? 0 : TryWrite(unsent_);
      const bool failed = write_failed_;
      if (sent > 0 || failed) {
        unsent_ = {};
        user()->OnWritten(!failed, sent);
      }
    }
    if (readable_ && read_to_ != nullptr && socket_.is_open()) {
      Read();
    } else if (ending_) {
      user()->OnPeerEnded();
    }
  }

  void Read() {
    const Moved moved = Receive(read_to_, read_bytes_);
    // The end of the stream may have been reported together with its last bytes, so the socket
    // stays readable once the end was reported.
    readable_ = moved.more || ending_;
    if (moved.state == Moved::State::kLater) return;
    read_to_ = nullptr;
    user()->OnRead(moved.state == Moved::State::kDone, moved.bytes);
  }

  EventLoop* loop_;
  Socket socket_;
  bool greeted_ = false;  // the handshake is over
  bool readable_ = false;
  bool ending_ = false;      // the client has closed
  char* read_to_ = nullptr;  // null: no read is in progress
  std::size_t read_bytes_ = 0;
  std::string_view unsent_;  // waits for room in the socket
  bool write_failed_ = false;
};

class PlainTransport final : public SocketTransport {
 public:
  using SocketTransport::SocketTransport;

 private:
  Moved Receive(char* to, std::size_t bytes) override {
    const ssize_t count = ::recv(number(), to, bytes, MSG_DONTWAIT);
    if (count <= 0) return Failed(count);
    // A read that does not fill the buffer has emptied the socket: later bytes cause a new event.
    const auto received = static_cast<std::size_t>(count);
    return {.state = Moved::State::kDone, .bytes = received, .more = received == bytes};
  }

  Moved Send(std::string_view bytes) override {
    const ssize_t count = ::send(number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) return Failed(count);
    return {.state = Moved::State::kDone, .bytes = static_cast<std::size_t>(count)};
  }

  static Moved Failed(ssize_t count) {
    const bool waits = count < 0 && (errno == EAGAIN || errno == EINTR);
    return {.state = waits ? Moved::State::kLater : Moved::State::kFailed};
  }
};

class TlsTransport final : public SocketTransport {
 public:
  TlsTransport(Socket socket, EventLoop* loop, SSL_CTX* context)
      : SocketTransport(std::move(socket), loop), tls_(SSL_new(context), SSL_free) {
    if (tls_ != nullptr) SSL_set_fd(tls_.get(), number());
  }
  // Before tls_ goes, which Close uses.
  ~TlsTransport() override { Close(); }

 private:
  Moved Greet() override {
    if (tls_ == nullptr) return {.state = Moved::State::kFailed};
    ERR_clear_error();
    Moved moved = Judge(SSL_accept(tls_.get()), 0);
    moved.more = true;  // OpenSSL may have read more than the handshake
    if (moved.state == Moved::State::kFailed) {
      Log(LogLevel::kWarn, "TLS with " + remote() + ": " + failure_);
    }
    return moved;
  }

  Moved Receive(char* to, std::size_t bytes) override {
    ERR_clear_error();
    std::size_t count = 0;
    const int done = SSL_read_ex(tls_.get(), to, bytes, &count);
    Moved moved = Judge(done, count);
    // OpenSSL may hold more, and only a read that finds nothing shows that it does not.
    moved.more = moved.state == Moved::State::kDone;
    return moved;
  }

  // OpenSSL cannot pass MSG_NOSIGNAL; the program ignores SIGPIPE (cli/main.cc).
  Moved Send(std::string_view bytes) override {
    ERR_clear_error();
    std::size_t count = 0;
    const int done = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &count);
    return Judge(done, count);
  }

  void BeforeClose() override {
    // Tells the client that the stream is complete, as far as the socket has room.
    if (tls_ != nullptr && !broken_ && SSL_is_init_finished(tls_.get()) == 1) {
      (void)SSL_shutdown(tls_.get());
    }
    ERR_clear_error();
  }

  // What a call of OpenSSL has done that returned `done`.
  Moved Judge(int done, std::size_t bytes) {
    if (done == 1) return {.state = Moved::State::kDone, .bytes = bytes};
    const int reason = errno;
    switch (SSL_get_error(tls_.get(), done)) {
      case SSL_ERROR_WANT_READ:
      case SSL_ERROR_WANT_WRITE:
        return {.state = Moved::State::kLater};
      case SSL_ERROR_ZERO_RETURN:
        failure_ = "the client has closed";
        break;
      case SSL_ERROR_SYSCALL:
        failure_ = reason == 0 ? "the client has closed" : std::strerror(reason);
        break;
      default:
        failure_ = TlsErrorText();
        break;
    }
    broken_ = true;
    return {.state = Moved::State::kFailed};
  }

  std::unique_ptr<SSL, void (*)(SSL*)> tls_;
  bool broken_ = false;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Transport> MakePlainTransport(Socket socket, EventLoop* loop) {
  return std::make_unique<PlainTransport>(std::move(socket), loop);
}

std::unique_ptr<Transport> MakeTlsTransport(Socket socket, EventLoop* loop, SSL_CTX* context) {
  return std::make_unique<TlsTransport>(std::move(socket), loop, context);
}

}  // namespace laurel::server
