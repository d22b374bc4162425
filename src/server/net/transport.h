// A transport moves bytes between a connection and its client: plain TCP or TLS.
//
// At most one read and one write are in progress. The user owns the transport. All methods are
// called on the user's I/O thread; each operation ends with a callback to the user there.
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

// Uses the executor's concrete type: the type-erased one costs extra allocations.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// Returns a text such as "127.0.0.1:7600" or "[::1]:7600".
std::string EndpointText(const boost::asio::ip::tcp::endpoint& endpoint);

class Transport {
 public:
  // The object that reads and writes. It stays alive during a callback and, with TLS, while an
  // operation is in progress.
  class User : public std::enable_shared_from_this<User> {
   public:
    virtual ~User() = default;
    // The handshake is done; reads and writes may begin.
    virtual void OnReady() = 0;
    // `ok` is false if the client has closed, or the handshake or the read has failed.
    virtual void OnRead(bool ok, std::size_t bytes) = 0;
    virtual void OnWritten(bool ok, std::size_t bytes) = 0;
    // The client has closed while no read was in progress.
    virtual void OnPeerEnded() = 0;
  };

  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Starts the handshake, which ends with OnReady, or with OnRead and `ok` false.
  void Start(User* user) {
    user_ = user;
    Handshake();
  }
  // Reads what is available, at least a byte. The memory must stay valid until OnRead.
  virtual void AsyncRead(char* to, std::size_t bytes) = 0;
  // Writes at least a byte. The bytes must stay valid until OnWritten.
  virtual void AsyncWrite(std::string_view bytes) = 0;
  // Sends what can be sent without blocking and returns how many bytes that is: 0 if nothing can be
  // sent, or if the transport does not support it. The next AsyncWrite reports an error.
  virtual std::size_t TryWrite(std::string_view bytes) = 0;
  // The user may still be called back for operations in progress.
  virtual void Close() = 0;

  // "address:port" of both ends; "?:0" if unknown.
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

// Reads and writes directly when the poller reports the socket as ready. The poller must outlive
// it.
std::unique_ptr<Transport> MakePlainTransport(Socket socket, Poller* poller);
// Uses Asio's streams. Keeps a reference to what it needs of the context.
std::unique_ptr<Transport> MakeTlsTransport(Socket socket, boost::asio::ssl::context* context);

}  // namespace laurel::server
