#include "server/http_client.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace laurel::black_box {
namespace {

constexpr std::size_t kReceiveBytes = 64 * 1024;
constexpr std::string_view kLineEnd = "\r\n";

[[noreturn]] void ThrowErrno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

bool IsSameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

// Throws if the text is not a number as a whole.
std::size_t NumberOf(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("not a number: " + std::string(text));
  }
  return number;
}

HttpResponse ParseHead(std::string_view head) {
  HttpResponse response;
  std::size_t end = head.find(kLineEnd);
  const std::string_view first = head.substr(0, end);
  if (!first.starts_with("HTTP/1.1 ") || first.size() < 13 || first[12] != ' ') {
    throw std::runtime_error("not an answer of HTTP/1.1: " + std::string(first));
  }
  response.status = static_cast<int>(NumberOf(first.substr(9, 3)));
  while (end != std::string_view::npos) {
    head.remove_prefix(end + kLineEnd.size());
    end = head.find(kLineEnd);
    const std::string_view line = head.substr(0, end);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) {
      throw std::runtime_error("not a header: " + std::string(line));
    }
    response.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }
  return response;
}

}  // namespace

std::optional<std::string> HttpResponse::Header(std::string_view name) const {
  for (const auto& [given, value] : headers) {
    if (IsSameName(given, name)) return value;
  }
  return std::nullopt;
}

HttpClient::HttpClient(int port, int timeout_ms) : port_(port), timeout_ms_(timeout_ms) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd_ < 0) ThrowErrno("socket");
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(std::exchange(fd_, -1));
    throw std::system_error(error, std::generic_category(), "connect " + std::to_string(port));
  }
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

HttpClient::HttpClient(HttpClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      port_(other.port_),
      timeout_ms_(other.timeout_ms_),
      input_(std::move(other.input_)) {}

HttpClient& HttpClient::operator=(HttpClient&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(port_, other.port_);
  std::swap(timeout_ms_, other.timeout_ms_);
  std::swap(input_, other.input_);
  return *this;
}

HttpClient::~HttpClient() {
  if (fd_ >= 0) close(fd_);
}

HttpResponse HttpClient::Send(const HttpRequest& request) {
  std::string bytes = request.method + " " + request.target +
                      " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n";
  for (const auto& [name, value] : request.headers) bytes += name + ": " + value + "\r\n";
  if (!request.body.empty()) {
    bytes += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  SendAll(bytes + "\r\n" + request.body);
  HttpResponse response = ReadHead();
  if (request.method == "HEAD" || response.status == 204 || response.status == 304) {
    return response;
  }
  const std::optional<std::string> length = response.Header("Content-Length");
  if (!length) throw std::runtime_error("the answer to " + request.target + " has no length");
  const std::size_t count = NumberOf(*length);
  while (input_.size() < count) Receive();
  response.body = input_.substr(0, count);
  input_.erase(0, count);
  return response;
}

HttpResponse HttpClient::ReadHead() {
  constexpr std::string_view kHeadEnd = "\r\n\r\n";
  std::size_t end = 0;
  while ((end = input_.find(kHeadEnd)) == std::string::npos) Receive();
  HttpResponse response = ParseHead(std::string_view(input_).substr(0, end));
  input_.erase(0, end + kHeadEnd.size());
  return response;
}

void HttpClient::SendAll(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) ThrowErrno("send");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void HttpClient::Receive() {
  pollfd wait{fd_, POLLIN, 0};
  const int ready = poll(&wait, 1, timeout_ms_);
  if (ready < 0 && errno == EINTR) return;
  if (ready < 0) ThrowErrno("poll");
  if (ready == 0) throw std::runtime_error("the server does not answer");
  std::array<char, kReceiveBytes> buffer;
  const ssize_t received = recv(fd_, buffer.data(), buffer.size(), 0);
  if (received < 0 && errno == EINTR) return;
  if (received < 0) ThrowErrno("recv");
  if (received == 0) throw std::runtime_error("the server has closed the connection");
  input_.append(buffer.data(), static_cast<std::size_t>(received));
}

std::string PercentEncoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

}  // namespace laurel::black_box
