#include "server/net/socket.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace laurel::server {
namespace {

constexpr int kBacklog = 4096;

using GetName = int (*)(int, sockaddr*, socklen_t*);

std::string EndpointText(int socket, GetName get_name) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof(address);
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  auto* named = reinterpret_cast<sockaddr*>(&address);
  if (socket < 0 || get_name(socket, named, &bytes) != 0 ||
      getnameinfo(named, bytes, host, sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?:0";
  }
  const std::string text(host);
  return (address.ss_family == AF_INET6 ? "[" + text + "]" : text) + ":" + port;
}

Error SystemError(int reason) { return {ErrorCode::kErr, std::strerror(reason)}; }

}  // namespace

Result<Socket> Socket::Listen(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    return SystemError(EINVAL);
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  Socket made(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (!made.is_open() || setsockopt(made.number_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      bind(made.number_, found->ai_addr, found->ai_addrlen) != 0 ||
      listen(made.number_, kBacklog) != 0) {
    return SystemError(errno);
  }
  return made;
}

Socket Socket::Accept() const {
  return Socket(accept4(number_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

std::string Socket::Local() const { return EndpointText(number_, getsockname); }
std::string Socket::Remote() const { return EndpointText(number_, getpeername); }

std::uint16_t Socket::LocalPort() const {
  sockaddr_storage address{};
  socklen_t bytes = sizeof(address);
  if (getsockname(number_, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return 0;
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

void Socket::SetClientOptions() const {
  const int on = 1;
  (void)setsockopt(number_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  (void)setsockopt(number_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

void Socket::Send(std::string_view bytes) const {
  (void)::send(number_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Socket::Shut() {
  // If input were left unread, the system would reset the connection, and replies that the client
  // has not received yet would be lost.
  constexpr std::size_t kDroppedBytes = std::size_t{1} << 20;
  constexpr int kMostTimes = 8;  // a client that keeps sending is reset
  for (int i = 0; i < kMostTimes; ++i) {
    if (::recv(number_, nullptr, kDroppedBytes, MSG_DONTWAIT | MSG_TRUNC) <= 0) break;
  }
  ::shutdown(number_, SHUT_RDWR);
  Close();
}

void Socket::Close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

}  // namespace laurel::server
