// A transport moves bytes between a connection and its client: plain TCP or TLS.
//
// At most one read and one write are under way. A transport belongs to its user and lives on the
// user's I/O thread; each operation ends with a call of the user there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include "server/net/poller.h"

namespace laurel::server {

// With the executor's own type: a type-erased one costs an allocation here and there.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// "127.0.0.1:7600", "[::1]:7600".
std::string EndpointText(const boost::asio::ip::tcp::endpoint& endpoint);

class Transport {
 public:
  // The object that reads and writes. Operations under way keep it alive.
  class User : public std::enable_shared_from_this<User> {
   public:
    virtual ~User() = default;
    // The handshake is over; reads and writes may begin.
    virtual void OnReady() = 0;
    // Not ok: the client has closed, or the handshake or the read has failed.
    virtual void OnRead(bool ok, std::size_t bytes) = 0;
    virtual void OnWritten(bool ok, std::size_t bytes) = 0;
    // The client has closed, and no read is under way.
    virtual void OnPeerEnded() = 0;
  };

  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Begins. Ends with OnReady, or with OnRead and not ok.
  void Start(User* user) {
    user_ = user;
    Handshake();
  }
  // Reads what is there, at least a byte. The memory stays until OnRead.
  virtual void AsyncRead(char* to, std::size_t bytes) = 0;
  // Writes at least a byte. The bytes stay where they are until OnWritten.
  virtual void AsyncWrite(std::string_view bytes) = 0;
  // Sends what can be sent without waiting, and returns how much that is: 0 if nothing can be sent
  // or the transport cannot tell. An error is reported by the AsyncWrite that follows.
  virtual std::size_t TryWrite(std::string_view bytes) = 0;
  // The user may still be called for operations under way.
  virtual void Close() = 0;

  // "address:port" of both ends; "?:0" if the system does not know.
  [[nodiscard]] const std::string& remote() const { return remote_; }
  [[nodiscard]] const std::string& local() const { return local_; }

 protected:
  Transport(std::string remote, std::string local)
      : remote_(std::move(remote)), local_(std::move(local)) {}

  virtual void Handshake() = 0;
  [[nodiscard]] User* user() const { return user_; }

 private:
  User* user_ = nullptr;
  std::string remote_;
  std::string local_;
};

// Reads and writes by itself when the poller reports the socket as ready. The poller outlives it.
std::unique_ptr<Transport> MakePlainTransport(Socket socket, Poller* poller);
// Goes through Asio's streams. The context outlives it.
std::unique_ptr<Transport> MakeTlsTransport(Socket socket, boost::asio::ssl::context* context);

}  // namespace laurel::server
