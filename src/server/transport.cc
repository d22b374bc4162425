// The two transports of a connection: plain TCP and TLS.
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "server/connection.h"
#include "server/io_thread.h"
#include "server/log.h"

namespace laurel::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::string TextOf(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" +
         std::to_string(endpoint.port());
}

std::string RemoteOf(const Socket& socket) {
  error_code error;
  const tcp::endpoint endpoint = socket.remote_endpoint(error);
  return error ? "?:0" : TextOf(endpoint);
}

std::string LocalOf(const Socket& socket) {
  error_code error;
  const tcp::endpoint endpoint = socket.local_endpoint(error);
  return error ? "?:0" : TextOf(endpoint);
}

void Prepare(Socket* socket) {
  error_code ignored;
  socket->set_option(tcp::no_delay(true), ignored);
  socket->set_option(asio::socket_base::keep_alive(true), ignored);
  socket->non_blocking(true, ignored);
}

class PlainConnection final : public Connection {
 public:
  PlainConnection(Server* server, IoThread* thread, Socket socket, std::uint64_t id)
      : Connection(server, thread, id, RemoteOf(socket), LocalOf(socket)),
        socket_(std::move(socket)) {
    Prepare(&socket_);
  }

 private:
  [[nodiscard]] std::shared_ptr<PlainConnection> Self() {
    return std::static_pointer_cast<PlainConnection>(shared_from_this());
  }
  void Handshake() override { OnReady(); }
  void AsyncRead(char* to, std::size_t bytes) override {
    socket_.async_read_some(asio::buffer(to, bytes),
                            [self = Self()](const error_code& error, std::size_t count) {
                              self->OnRead(!error, count);
                            });
  }
  std::size_t TryWrite(std::string_view bytes) override {
    std::size_t sent = 0;
    error_code error;
    while (sent < bytes.size() && !error) {
      sent += socket_.write_some(asio::buffer(bytes.data() + sent, bytes.size() - sent), error);
    }
    return sent;  // what is wrong, if anything, comes up in AsyncWrite again
  }
  void AsyncWrite(std::string_view bytes) override {
    socket_.async_write_some(asio::buffer(bytes.data(), bytes.size()),
                             [self = Self()](const error_code& error, std::size_t count) {
                               self->OnWritten(!error, count);
                             });
  }
  void CloseSocket() override {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
  }

  Socket socket_;
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

std::shared_ptr<Connection> Connection::Plain(Server* server, IoThread* thread, Socket socket,
                                              std::uint64_t id) {
  return std::make_shared<PlainConnection>(server, thread, std::move(socket), id);
}

std::shared_ptr<Connection> Connection::Tls(Server* server, IoThread* thread, Socket socket,
                                            boost::asio::ssl::context* context, std::uint64_t id) {
  return std::make_shared<TlsConnection>(server, thread, std::move(socket), context, id);
}

}  // namespace laurel::server
