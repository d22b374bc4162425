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

#include <openssl/types.h>

#include "server/net/event_loop.h"
#include "server/net/socket.h"

namespace laurel::server {

class Transport {
 public:
  // The object that reads and writes. It stays alive during a callback.
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
  // Sends what can be sent without blocking and returns how many bytes that is. If that is not all,
  // AsyncWrite of the rest must follow, which also reports an error.
  virtual std::size_t TryWrite(std::string_view bytes) = 0;
  // The user is not called back any more.
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

// The loop must outlive the transport.
std::unique_ptr<Transport> MakePlainTransport(Socket socket, EventLoop* loop);
// Keeps a reference to what it needs of the context.
std::unique_ptr<Transport> MakeTlsTransport(Socket socket, EventLoop* loop, SSL_CTX* context);

}  // namespace laurel::server
