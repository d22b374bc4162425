#include "cli/resp_connection.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/integer.h"

namespace laurel::cli {
namespace {

constexpr std::string_view kDefaultAddress = "127.0.0.1";
constexpr std::string_view kDefaultPort = "7600";
constexpr std::size_t kReceiveBytes = std::size_t{256} << 10;
constexpr std::int64_t kMaxBulkBytes = std::int64_t{16} << 20;
constexpr std::int64_t kMaxElements = 1'000'000;
constexpr std::size_t kMaxLineBytes = std::size_t{64} << 10;
constexpr int kMaxDepth = 8;

struct Endpoint {
  std::string address_text;
  std::string port;
};

Endpoint SplitAddress(std::string_view address) {
  Endpoint endpoint{std::string(kDefaultAddress), std::string(kDefaultPort)};
  std::string_view address_text = address;
  std::string_view port;
  if (address.starts_with('[')) {
    const std::size_t end = address.find(']');
    address_text = address.substr(1, end == std::string_view::npos ? end : end - 1);
    if (end != std::string_view::npos && address.substr(end + 1).starts_with(':')) {
      port = address.substr(end + 2);
    }
  } else if (const std::size_t colon = address.rfind(':');
             colon != std::string_view::npos && address.find(':') == colon) {
    address_text = address.substr(0, colon);
    port = address.substr(colon + 1);
  }
  if (!address_text.empty()) endpoint.address_text = address_text;
  if (!port.empty()) endpoint.port = port;
  return endpoint;
}

}  // namespace

const RespValue* RespValue::Find(std::string_view name) const {
  for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
    if (elements[i].kind == Kind::kText && elements[i].text == name) return &elements[i + 1];
  }
  return nullptr;
}

Result<std::unique_ptr<RespConnection>> RespConnection::Connect(const std::string& address) {
  const Endpoint endpoint = SplitAddress(address);
  const std::string shown = endpoint.address_text + ":" + endpoint.port;
  const auto refuse = [&](const std::string& reason) {
    return Error{ErrorCode::kErr, "cannot connect to " + shown + ": " + reason};
  };
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int looked_up =
      getaddrinfo(endpoint.address_text.c_str(), endpoint.port.c_str(), &hints, &found);
  if (looked_up != 0) return refuse(gai_strerror(looked_up));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  int reason = 0;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const int made = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (made < 0) {
      reason = errno;
      continue;
    }
    if (connect(made, one->ai_addr, one->ai_addrlen) == 0) {
      const int on = 1;
      // For low latency, and to notice a server that is gone. Errors do not matter.
      (void)setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      (void)setsockopt(made, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
      return std::unique_ptr<RespConnection>(new RespConnection(made, shown));
    }
    reason = errno;
    close(made);
  }
  return refuse(std::strerror(reason));
}

RespConnection::~RespConnection() { close(socket_); }

Error RespConnection::Broken(const std::string& what) const {
  return {ErrorCode::kErr, address_ + ": " + what};
}

Status RespConnection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return Broken(std::string("cannot send: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return Ok{};
}

Status RespConnection::Receive() {
  input_.erase(0, std::exchange(read_, 0));
  const std::size_t held = input_.size();
  input_.resize(held + kReceiveBytes);
  ssize_t got = -1;
  do {
    got = recv(socket_, input_.data() + held, kReceiveBytes, 0);
  } while (got < 0 && errno == EINTR);
  const int reason = errno;
  input_.resize(held + static_cast<std::size_t>(got > 0 ? got : 0));
  if (got > 0) return Ok{};
  return Broken(got == 0 ? "the server has closed the connection" : std::strerror(reason));
}

Result<std::string> RespConnection::ReadLine() {
  for (;;) {
    const std::size_t end = input_.find("\r\n", read_);
    if (end != std::string::npos) {
      std::string line = input_.substr(read_, end - read_);
      read_ = end + 2;
      return line;
    }
    if (input_.size() - read_ > kMaxLineBytes) return Broken("it does not speak RESP");
    if (const Status more = Receive(); !more.ok()) return more.error();
  }
}

Result<RespValue> RespConnection::ReadValue(int depth) {
  const Result<std::string> line = ReadLine();
  if (!line.ok()) return line.error();
  const auto strange = [this] { return Broken("it answers what is no reply"); };
  if (line->empty() || depth > kMaxDepth) return strange();
  const std::string rest = line->substr(1);
  RespValue value;
  if ((*line)[0] == '-') return Error{ErrorCode::kErr, rest};
  if ((*line)[0] == '+') {
    value.kind = RespValue::Kind::kText;
    value.text = rest;
    return value;
  }
  std::int64_t number = 0;
  if (!base::ParseInteger(rest, &number)) return strange();
  switch ((*line)[0]) {
    case ':':
      value.kind = RespValue::Kind::kInteger;
      value.integer = number;
      return value;
    case '$': {
      if (number == -1) return value;
      if (number < 0 || number > kMaxBulkBytes) return strange();
      const auto bytes = static_cast<std::size_t>(number);
      while (input_.size() - read_ < bytes + 2) {
        if (const Status more = Receive(); !more.ok()) return more.error();
      }
      value.kind = RespValue::Kind::kText;
      value.text = input_.substr(read_, bytes);
      read_ += bytes + 2;
      return value;
    }
    case '*': {
      if (number == -1) return value;
      if (number < 0 || number > kMaxElements) return strange();
      value.kind = RespValue::Kind::kArray;
      for (std::int64_t i = 0; i < number; ++i) {
        Result<RespValue> element = ReadValue(depth + 1);
        if (!element.ok()) return element.error();
        value.elements.push_back(std::move(*element));
      }
      return value;
    }
    default:
      return strange();
  }
}

Result<RespValue> RespConnection::Ask(const std::vector<std::string>& arguments) {
  std::string request = "*" + std::to_string(arguments.size()) + "\r\n";
  for (const std::string& argument : arguments) {
    request += "$" + std::to_string(argument.size()) + "\r\n" + argument + "\r\n";
  }
  if (const Status sent = Send(request); !sent.ok()) return sent.error();
  return ReadValue(0);
}

}  // namespace laurel::cli
