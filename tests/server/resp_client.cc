#include "server/resp_client.h"

#include <cerrno>
#include <charconv>
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
// What is given out is dropped from the buffer once there is so much of it.
constexpr std::size_t kCompactBytes = 1024 * 1024;

[[noreturn]] void ThrowErrno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

[[noreturn]] void Malformed(std::string_view bytes, std::size_t position) {
  throw std::runtime_error("no RESP reply: " + Quoted(bytes.substr(position, 120)) + " after " +
                           std::to_string(position) + " bytes");
}

// The number behind a type byte: -1 and above.
std::int64_t LengthOf(std::string_view line) {
  std::int64_t length = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), length);
  if (error != std::errc() || end != line.data() + line.size() || length < -1) Malformed(line, 0);
  return length;
}

// Reads one reply from the front of bytes that may end too early.
class ReplyParser {
 public:
  explicit ReplyParser(std::string_view bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }

  // False if the bytes end before the reply does.
  bool Parse(Value* value) {
    std::string_view line;
    if (!Line(&line)) return false;
    if (line.empty()) Malformed(bytes_, position_);
    const char type = line[0];
    line.remove_prefix(1);
    value->type = type;
    switch (type) {
      case '+':
      case '-':
      case ':':
      case ',':
      case '(':
      case '#':
        value->text = line;
        return true;
      case '_':
        value->null = true;
        return true;
      case '$':
      case '!':
      case '=':
        return String(LengthOf(line), value);
      case '*':
      case '~':
      case '>':
        return Elements(LengthOf(line), 1, value);
      case '%':
        return Elements(LengthOf(line), 2, value);
      case '|': {
        Value attributes;
        if (!Elements(LengthOf(line), 2, &attributes)) return false;
        return Parse(value);
      }
      default:
        Malformed(bytes_, position_);
    }
  }

 private:
  bool Line(std::string_view* line) {
    const std::size_t end = bytes_.find("\r\n", position_);
    if (end == std::string_view::npos) return false;
    *line = bytes_.substr(position_, end - position_);
    position_ = end + 2;
    return true;
  }

  bool String(std::int64_t length, Value* value) {
    value->null = length < 0;
    if (length < 0) return true;
    const auto count = static_cast<std::size_t>(length);
    if (bytes_.size() - position_ < count + 2) return false;
    value->text = bytes_.substr(position_, count);
    position_ += count;
    if (bytes_.substr(position_, 2) != "\r\n") Malformed(bytes_, position_);
    position_ += 2;
    return true;
  }

  bool Elements(std::int64_t length, std::int64_t per_item, Value* value) {
    value->null = length < 0;
    for (std::int64_t i = 0; i < length * per_item; ++i) {
      if (!Parse(&value->elements.emplace_back())) return false;
    }
    return true;
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
};

std::string Listed(const std::vector<Value>& elements) {
  std::string text;
  for (const Value& element : elements) {
    if (!text.empty()) text += ", ";
    text += element.ToString();
  }
  return text;
}

std::string Paired(const std::vector<Value>& elements) {
  std::string text;
  for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
    text += (text.empty() ? "" : ", ") + elements[i].ToString() + ": " + elements[i + 1].ToString();
  }
  return text;
}

}  // namespace

std::int64_t Value::Integer() const {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (type != ':' || error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("not an integer reply: " + ToString());
  }
  return number;
}

const Value* Value::Find(std::string_view name) const {
  for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
    if (elements[i].text == name) return &elements[i + 1];
  }
  return nullptr;
}

std::string Value::ToString() const {
  if (null) return type == '*' ? "nil-array" : "nil";
  switch (type) {
    case ':':
      return text;
    case '$':
      return Quoted(text);
    case '=':
    case '!':
      return type + Quoted(text);
    case '*':
      return "[" + Listed(elements) + "]";
    case '~':
    case '>':
      return type + ("[" + Listed(elements) + "]");
    case '%':
      return "{" + Paired(elements) + "}";
    default:
      return type + text;
  }
}

std::string Encoded(const Arguments& arguments) {
  std::string bytes = "*" + std::to_string(arguments.size()) + "\r\n";
  for (const std::string& argument : arguments) {
    bytes += "$" + std::to_string(argument.size()) + "\r\n";
    bytes += argument;
    bytes += "\r\n";
  }
  return bytes;
}

std::string Quoted(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\r') {
      text += "\\r";
    } else if (byte < 0x20 || byte > 0x7e) {
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string Quoted(const Arguments& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    bool plain = !argument.empty();
    for (const char c : argument) plain = plain && c > ' ' && c <= '~' && c != '"' && c != '\\';
    text += (text.empty() ? "" : " ") + (plain ? argument : Quoted(std::string_view(argument)));
  }
  return text;
}

std::optional<Value> ParseReply(std::string_view bytes, std::size_t* consumed) {
  ReplyParser parser(bytes);
  Value value;
  if (!parser.Parse(&value)) return std::nullopt;
  *consumed = parser.position();
  return value;
}

bool ReplyScanner::Step(std::string_view bytes) {
  const std::size_t line_end = bytes.find("\r\n", position_);
  if (line_end == std::string_view::npos) return false;
  if (line_end == position_) Malformed(bytes, position_);
  const std::string_view line = bytes.substr(position_ + 1, line_end - position_ - 1);
  std::size_t end = line_end + 2;
  switch (bytes[position_]) {
    case '$':
    case '!':
    case '=':
      if (const std::int64_t length = LengthOf(line); length >= 0) {
        end += static_cast<std::size_t>(length) + 2;
      }
      if (bytes.size() < end) return false;
      break;
    case '*':
    case '~':
    case '>':
      if (const std::int64_t count = LengthOf(line); count > 0) {
        wanted_ += static_cast<std::uint64_t>(count);
      }
      break;
    case '%':
      wanted_ += 2 * static_cast<std::uint64_t>(LengthOf(line));
      break;
    case '|':  // stands in front of a value, and is none itself
      wanted_ += 2 * static_cast<std::uint64_t>(LengthOf(line)) + 1;
      break;
    default:
      break;
  }
  --wanted_;
  position_ = end;
  return true;
}

std::optional<std::size_t> ReplyScanner::Scan(std::string_view bytes) {
  while (wanted_ > 0) {
    if (!Step(bytes)) return std::nullopt;
  }
  wanted_ = 1;
  return std::exchange(position_, 0);
}

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
      scanner_(other.scanner_),
      scanned_(other.scanned_),
      ended_(other.ended_) {}

RespClient& RespClient::operator=(RespClient&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(timeout_ms_, other.timeout_ms_);
  std::swap(input_, other.input_);
  std::swap(consumed_, other.consumed_);
  std::swap(scanner_, other.scanner_);
  std::swap(scanned_, other.scanned_);
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
  scanned_.reset();
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
  while (!scanned_) {
    scanned_ = scanner_.Scan(Unread());
    if (scanned_) break;
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
  return Unread().substr(0, *scanned_);
}

Value RespClient::ReadReply() {
  const std::string_view raw = NextReply();
  std::size_t length = 0;
  Value value = ParseReply(raw, &length).value();
  Consume(length);
  return value;
}

std::string RespClient::ReadRawReply() {
  std::string raw(NextReply());
  Consume(raw.size());
  return raw;
}

bool RespClient::ReplyWithin(int timeout_ms) {
  while (!scanned_) {
    scanned_ = scanner_.Scan(Unread());
    if (!scanned_ && Fill(timeout_ms) != Filled::kBytes) return false;
  }
  return true;
}

bool RespClient::ReadEnd() {
  if (!Unread().empty()) return false;
  return Fill(timeout_ms_) == Filled::kEnd;
}

}  // namespace laurel::black_box
