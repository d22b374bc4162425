#include "server/net/transport.h"

#include <cerrno>
#include <cstdint>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "server/logs/server_log.h"

namespace laurel::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string RemoteOf(const Socket& socket) {
  error_code error;
  const tcp::endpoint endpoint = socket.remote_endpoint(error);
  return error ? "?:0" : EndpointText(endpoint);
}

std::string LocalOf(const Socket& socket) {
  error_code error;
  const tcp::endpoint endpoint = socket.local_endpoint(error);
  return error ? "?:0" : EndpointText(endpoint);
}

void Prepare(Socket* socket) {
  error_code ignored;
  socket->set_option(tcp::no_delay(true), ignored);
  socket->set_option(asio::socket_base::keep_alive(true), ignored);
  socket->non_blocking(true, ignored);
}

class PlainTransport final : public Transport, private Poller::Watcher {
 public:
  PlainTransport(Socket socket, Poller* poller)
      : Transport(RemoteOf(socket), LocalOf(socket)), poller_(poller) {
    Prepare(&socket);
    error_code ignored;
    socket_ = socket.release(ignored);  // from Asio's reactor
  }
  ~PlainTransport() override { PlainTransport::Close(); }

  void AsyncRead(char* to, std::size_t bytes) override {
    read_to_ = to;
    read_bytes_ = bytes;
    if (readable_) poller_->Again(this);
  }

  std::size_t TryWrite(std::string_view bytes) override {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count =
          ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0) {
        write_failed_ = errno != EAGAIN && errno != EWOULDBLOCK;
        break;
      }
      sent += static_cast<std::size_t>(count);
    }
    return sent;
  }

  void AsyncWrite(std::string_view bytes) override {
    unsent_ = bytes;
    if (write_failed_) poller_->Again(this);
  }

  void Close() override {
    if (socket_ < 0) return;
    poller_->Remove(socket_, this);
    DropInput();
    ::shutdown(socket_, SHUT_RDWR);
    ::close(socket_);
    socket_ = -1;
  }

 private:
  void Handshake() override {
    if (socket_ < 0 || !poller_->Add(socket_, this)) return user()->OnRead(false, 0);
    user()->OnReady();
  }

  void OnEvents(std::uint32_t events) override {
    const std::shared_ptr<User> alive = user()->shared_from_this();
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
    if (readable_ && read_to_ != nullptr && socket_ >= 0) {
      Read();
    } else if (ending_) {
      user()->OnPeerEnded();
    }
  }

  // If input were left unread, the system would reset the connection, and replies that the client
  // has not received yet would be lost.
  void DropInput() {
    constexpr std::size_t kDroppedBytes = std::size_t{1} << 20;
    constexpr int kMostTimes = 8;  // a client that keeps sending is reset
    for (int i = 0; i < kMostTimes; ++i) {
      if (::recv(socket_, nullptr, kDroppedBytes, MSG_DONTWAIT | MSG_TRUNC) <= 0) return;
    }
  }

  void Read() {
    const ssize_t count = ::recv(socket_, read_to_, read_bytes_, MSG_DONTWAIT);
    // A read that does not fill the buffer has emptied the socket: later bytes cause a new event.
    // The end of the stream may not, since it may have been reported together with the last bytes;
    // so the socket stays readable once the end was reported.
    readable_ = count == static_cast<ssize_t>(read_bytes_) || ending_;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    read_to_ = nullptr;
    user()->OnRead(count > 0, count > 0 ? static_cast<std::size_t>(count) : 0);
  }

  Poller* poller_;
  int socket_ = -1;
  bool readable_ = false;
  bool ending_ = false;      // the client has closed
  char* read_to_ = nullptr;  // null: no read is in progress
  std::size_t read_bytes_ = 0;
  std::string_view unsent_;  // waits for room in the socket
  bool write_failed_ = false;
};

// Asio's handlers keep the user alive, and with it the transport.
class TlsTransport final : public Transport {
 public:
  TlsTransport(Socket socket, asio::ssl::context* context)
      : Transport(RemoteOf(socket), LocalOf(socket)), stream_(std::move(socket), *context) {
    Prepare(&stream_.next_layer());
  }

  void AsyncRead(char* to, std::size_t bytes) override {
    stream_.async_read_some(
        asio::buffer(to, bytes),
        [alive = user()->shared_from_this()](const error_code& error, std::size_t count) {
          alive->OnRead(!error, count);
        });
  }
  std::size_t TryWrite(std::string_view) override { return 0; }
  void AsyncWrite(std::string_view bytes) override {
    stream_.async_write_some(
        asio::buffer(bytes.data(), bytes.size()),
        [alive = user()->shared_from_this()](const error_code& error, std::size_t count) {
          alive->OnWritten(!error, count);
        });
  }
  void Close() override {
    error_code ignored;
    stream_.next_layer().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.next_layer().close(ignored);
  }

 private:
  void Handshake() override {
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [this, alive = user()->shared_from_this()](const error_code& error) {
                              if (!error) return alive->OnReady();
                              Log(LogLevel::kWarn, "TLS with " + remote() + ": " + error.message());
                              alive->OnRead(false, 0);
                            });
  }

  asio::ssl::stream<Socket> stream_;
};

}  // namespace

std::string EndpointText(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" +
         std::to_string(endpoint.port());
}

std::unique_ptr<Transport> MakePlainTransport(Socket socket, Poller* poller) {
  return std::make_unique<PlainTransport>(std::move(socket), poller);
}

std::unique_ptr<Transport> MakeTlsTransport(Socket socket, asio::ssl::context* context) {
  return std::make_unique<TlsTransport>(std::move(socket), context);
}

}  // namespace laurel::server
