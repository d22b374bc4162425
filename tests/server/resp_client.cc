#include "server/resp_client.h"

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace laurel::black_box {
namespace {

constexpr std::size_t kReceiveBytes = 64 * 1024;
// Consumed bytes are erased from the buffer once there are this many.
constexpr std::size_t kCompactBytes = 1024 * 1024;

[[noreturn]] void ThrowErrno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

RespClient::RespClient(int port, int timeout_ms) : RespClient("127.0.0.1", port, timeout_ms) {}

RespClient::RespClient(const std::string& host, int port, int timeout_ms)
    : timeout_ms_(timeout_ms) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    throw std::runtime_error("not an IPv4 address: " + host);
  }
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd_ < 0) ThrowErrno("socket");
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(std::exchange(fd_, -1));
    throw std::system_error(error, std::generic_category(),
                            "connect " + host + ":" + std::to_string(port));
  }
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
}

RespClient::RespClient(RespClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      timeout_ms_(other.timeout_ms_),
      input_(std::move(other.input_)),
      consumed_(std::exchange(other.consumed_, 0)),
      parser_(std::move(other.parser_)),
      ended_(other.ended_) {}

RespClient& RespClient::operator=(RespClient&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(timeout_ms_, other.timeout_ms_);
  std::swap(input_, other.input_);
  std::swap(consumed_, other.consumed_);
  std::swap(parser_, other.parser_);
  std::swap(ended_, other.ended_);
  return *this;
}

RespClient::~RespClient() {
  if (fd_ >= 0) close(fd_);
}

void RespClient::SendRaw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) ThrowErrno("send");
    pollfd wait{fd_, POLLIN | POLLOUT, 0};
    const int ready = poll(&wait, 1, timeout_ms_);
    if (ready < 0 && errno != EINTR) ThrowErrno("poll");
    if (ready == 0) throw std::runtime_error("the server takes no more bytes");
    if (wait.revents & POLLIN) ReceiveAvailable();
  }
}

void RespClient::FinishSending() { shutdown(fd_, SHUT_WR); }

void RespClient::ReceiveAvailable() {
  char buffer[kReceiveBytes];
  const ssize_t received = recv(fd_, buffer, sizeof buffer, 0);
  if (received > 0) {
    input_.append(buffer, static_cast<std::size_t>(received));
  } else if (received == 0 || errno == ECONNRESET) {
    ended_ = true;
  } else if (errno != EAGAIN && errno != EINTR) {
    ThrowErrno("recv");
  }
}

RespClient::Filled RespClient::Fill(int timeout_ms) {
  const std::size_t before = input_.size();
  while (!ended_) {
    pollfd wait{fd_, POLLIN, 0};
    const int ready = poll(&wait, 1, timeout_ms);
    if (ready < 0 && errno != EINTR) ThrowErrno("poll");
    if (ready == 0) return Filled::kTimeout;
    if (ready > 0) ReceiveAvailable();
    if (input_.size() > before) return Filled::kBytes;
  }
  return Filled::kEnd;
}

void RespClient::Consume(std::size_t count) {
  consumed_ += count;
  if (consumed_ == input_.size()) {
    input_.clear();
    consumed_ = 0;
  } else if (consumed_ >= kCompactBytes) {
    input_.erase(0, consumed_);
    consumed_ = 0;
  }
}

std::string_view RespClient::NextReply() {
  while (!parser_.ParseOrThrow(Unread())) {
    switch (Fill(timeout_ms_)) {
      case Filled::kBytes:
        break;
      case Filled::kEnd:
        throw std::runtime_error("the server closed the connection; before that it sent " +
                                 Quoted(Unread().substr(0, 200)));
      case Filled::kTimeout:
        throw std::runtime_error("no reply within " + std::to_string(timeout_ms_) +
                                 " ms; so far came " + Quoted(Unread().substr(0, 200)));
    }
  }
  return Unread().substr(0, parser_.position());
}

Value RespClient::ReadReply() {
  const std::size_t length = NextReply().size();
  Value value = parser_.Take();
  Consume(length);
  return value;
}

std::string RespClient::ReadRawReply() {
  std::string raw(NextReply());
  parser_.Take();
  Consume(raw.size());
  return raw;
}

bool RespClient::ReplyWithin(int timeout_ms) {
  while (!parser_.ParseOrThrow(Unread())) {
    if (Fill(timeout_ms) != Filled::kBytes) return false;
  }
  return true;
}

bool RespClient::ReadEnd() {
  if (!Unread().empty()) return false;
  return Fill(timeout_ms_) == Filled::kEnd;
}

std::string RespClient::ReadToEnd() {
  Filled filled = Filled::kBytes;
  while (filled == Filled::kBytes) filled = Fill(timeout_ms_);
  if (filled == Filled::kTimeout) throw std::runtime_error("the connection stays open");
  std::string rest(Unread());
  Consume(rest.size());
  return rest;
}

}  // namespace laurel::black_box
