#include "bench/server/constant_server.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace laurel::bench {
namespace {

constexpr std::size_t kInputBytes = 16384;
constexpr std::size_t kRepliesPerSend = 1024;
constexpr std::string_view kConfigRequest = "*3\r\n$6\r\nCONFIG";
constexpr std::string_view kConfigReply = "*2\r\n$4\r\nnone\r\n$0\r\n\r\n";

int Listen(std::uint16_t* port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(fd, 512) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw Failure("the constant-reply server found no port");
  }
  *port = ntohs(address.sin_port);
  return fd;
}

class Loop {
 public:
  Loop(int listener, std::size_t request_bytes, std::string_view reply)
      : listener_(listener),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        request_bytes_(request_bytes),
        reply_bytes_(reply.size()) {
    for (std::size_t i = 0; i < kRepliesPerSend; ++i) replies_ += reply;
    Watch(listener_);
  }

  [[noreturn]] void Run() {
    std::array<epoll_event, 256> events;
    while (true) {
      const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener_) {
          Accept();
        } else {
          Serve(fd);
        }
      }
    }
  }

 private:
  void Watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  void Accept() {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const auto index = static_cast<std::size_t>(fd);
    if (index >= begun_bytes_.size()) begun_bytes_.resize(index + 1);
    begun_bytes_[index] = 0;
    Watch(fd);
  }

  // Sockets are blocking: redis-benchmark reads all replies before it sends more, and they fit.
  void Serve(int fd) {
    const ssize_t got = recv(fd, input_.data(), input_.size(), 0);
    if (got <= 0) {
      close(fd);
      return;
    }
    const std::string_view input(input_.data(), static_cast<std::size_t>(got));
    if (input.starts_with(kConfigRequest)) {
      for (auto count = std::count(input.begin(), input.end(), '*'); count > 0; --count) {
        SendAll(fd, kConfigReply);
      }
      return;
    }
    std::size_t& begun = begun_bytes_[static_cast<std::size_t>(fd)];
    begun += input.size();
    std::size_t count = begun / request_bytes_;
    begun %= request_bytes_;
    while (count > 0) {
      const std::size_t now = std::min(count, kRepliesPerSend);
      SendAll(fd, std::string_view(replies_).substr(0, now * reply_bytes_));
      count -= now;
    }
  }

  static void SendAll(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the next recv detects that the client is gone
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  int listener_;
  int epoll_;
  std::size_t request_bytes_;
  std::size_t reply_bytes_;
  std::string replies_;
  std::array<char, kInputBytes> input_{};
  std::vector<std::size_t> begun_bytes_;  // bytes of an incomplete request, by descriptor
};

}  // namespace

ConstantServer::ConstantServer(std::size_t request_bytes, const std::string& reply) {
  const int listener = Listen(&target_.port);
  const pid_t parent = getpid();
  target_.pid = fork();
  if (target_.pid == 0) {
    EndWithParent(parent);
    Loop(listener, request_bytes, reply).Run();
  }
  close(listener);
  if (target_.pid < 0) throw Failure("cannot fork the constant-reply server");
}

ConstantServer::~ConstantServer() {
  kill(target_.pid, SIGKILL);
  waitpid(target_.pid, nullptr, 0);
}

}  // namespace laurel::bench
