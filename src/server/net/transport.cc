// The two transports of a connection: plain TCP and TLS.
#include <cerrno>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "server/net/connection.h"
#include "server/net/io_thread.h"
#include "server/net/poller.h"
#include "server/state/log.h"

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

// Reads and writes by itself when the poller says so.
class PlainConnection final : public Connection, private Poller::Watcher {
 public:
  PlainConnection(Server* server, IoThread* thread, Socket socket, std::uint64_t id)
      : Connection(server, thread, id, RemoteOf(socket), LocalOf(socket)) {
    Prepare(&socket);
    error_code ignored;
    socket_ = socket.release(ignored);  // from Asio's reactor
  }
  ~PlainConnection() override { CloseSocket(); }

 private:
  void Handshake() override {
    if (socket_ < 0 || !thread().poller().Add(socket_, this)) return OnRead(false, 0);
    OnReady();
  }

  void AsyncRead(char* to, std::size_t bytes) override {
    read_to_ = to;
    read_bytes_ = bytes;
    if (readable_) thread().poller().Again(this);
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
    if (write_failed_) thread().poller().Again(this);
  }

  void OnEvents(std::uint32_t events) override {
    const std::shared_ptr<Connection> alive = shared_from_this();
    if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) readable_ = true;
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) ending_ = true;
    if (!unsent_.empty() && ((events & EPOLLOUT) != 0 || write_failed_)) {
      const std::size_t sent = write_failed_ ? 0 : TryWrite(unsent_);
      const bool failed = write_failed_;
      if (sent > 0 || failed) {
        unsent_ = {};
        OnWritten(!failed, sent);
      }
    }
    if (readable_ && read_to_ != nullptr && socket_ >= 0) {
      Read();
    } else if (ending_) {
      OnPeerEnded();
    }
  }

  void Read() {
    const ssize_t count = ::recv(socket_, read_to_, read_bytes_, MSG_DONTWAIT);
    // A read that does not fill the buffer has taken all there was: what comes later is news. But
    // not the end: it may have been told together with the last bytes.
    readable_ = count == static_cast<ssize_t>(read_bytes_) || ending_;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    read_to_ = nullptr;
    OnRead(count > 0, count > 0 ? static_cast<std::size_t>(count) : 0);
  }

  void CloseSocket() override {
    if (socket_ < 0) return;
    thread().poller().Remove(socket_, this);
    ::shutdown(socket_, SHUT_RDWR);
    ::close(socket_);
    socket_ = -1;
  }

  int socket_ = -1;
  bool readable_ = false;
  bool ending_ = false;      // the other side has closed
  char* read_to_ = nullptr;  // null: nobody wants to read
  std::size_t read_bytes_ = 0;
  std::string_view unsent_;  // waits for room
  bool write_failed_ = false;
};

class TlsConnection final : public Connection {
 public:
  TlsConnection(Server* server, IoThread* thread, Socket socket, asio::ssl::context* context,
                std::uint64_t id)
      : Connection(server, thread, id, RemoteOf(socket), LocalOf(socket)),
        stream_(std::move(socket), *context) {
    Prepare(&stream_.next_layer());
  }

 private:
  [[nodiscard]] std::shared_ptr<TlsConnection> Self() {
    return std::static_pointer_cast<TlsConnection>(shared_from_this());
  }
  void Handshake() override {
    stream_.async_handshake(
        asio::ssl::stream_base::server, [self = Self()](const error_code& error) {
          if (!error) return self->OnReady();
          Log(LogLevel::kWarn, "TLS with " + self->session().remote() + ": " + error.message());
          self->OnRead(false, 0);
        });
  }
  void AsyncRead(char* to, std::size_t bytes) override {
    stream_.async_read_some(asio::buffer(to, bytes),
                            [self = Self()](const error_code& error, std::size_t count) {
                              self->OnRead(!error, count);
                            });
  }
  std::size_t TryWrite(std::string_view) override { return 0; }
  void AsyncWrite(std::string_view bytes) override {
    stream_.async_write_some(asio::buffer(bytes.data(), bytes.size()),
                             [self = Self()](const error_code& error, std::size_t count) {
                               self->OnWritten(!error, count);
                             });
  }
  void CloseSocket() override {
    error_code ignored;
    stream_.next_layer().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.next_layer().close(ignored);
  }

  asio::ssl::stream<Socket> stream_;
};

}  // namespace

std::string EndpointText(const boost::asio::ip::tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" +
         std::to_string(endpoint.port());
}

std::shared_ptr<Connection> Connection::Plain(Server* server, IoThread* thread, Socket socket,
                                              std::uint64_t id) {
  return std::make_shared<PlainConnection>(server, thread, std::move(socket), id);
}

std::shared_ptr<Connection> Connection::Tls(Server* server, IoThread* thread, Socket socket,
                                            boost::asio::ssl::context* context, std::uint64_t id) {
  return std::make_shared<TlsConnection>(server, thread, std::move(socket), context, id);
}

}  // namespace laurel::server
