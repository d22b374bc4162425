#include "bench/server/connection.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/random.h"
#include "bench/member_name.h"

namespace laurel::bench {
namespace {

constexpr timeval kReplyLimit = {60, 0};
constexpr std::uint64_t kPairsPerCommand = 64;
constexpr std::uint64_t kCommandsPerSend = 16;
// A prime: i * kMixer % members visits every number below `members` once, unless `members` is a
// multiple of it.
constexpr std::uint64_t kMixer = 7'368'787;

// Finds the end of the reply at the front of the bytes. Each call continues where the last one
// stopped, since a reply of millions of elements arrives in thousands of pieces.
class ReplyEnd {
 public:
  // None while the reply is incomplete.
  std::optional<std::size_t> FindIn(const std::string& bytes) {
    while (elements_ > 0) {
      const std::size_t line_end = bytes.find("\r\n", at_);
      if (line_end == std::string::npos) return std::nullopt;
      std::size_t end = line_end + 2;
      const long long count = std::strtoll(bytes.c_str() + at_ + 1, nullptr, 10);
      switch (bytes[at_]) {
        case '$':
        case '=':
          if (count >= 0) end += static_cast<std::size_t>(count) + 2;
          if (end > bytes.size()) return std::nullopt;
          break;
        case '*':
        case '~':
        case '>':
          elements_ += std::max(count, 0LL);
          break;
        case '%':
          elements_ += 2 * count;
          break;
        default:
          break;
      }
      --elements_;
      at_ = end;
    }
    return at_;
  }

 private:
  std::size_t at_ = 0;      // begin of the next element
  long long elements_ = 1;  // elements not yet found
};

}  // namespace

std::string Encode(const Command& command) {
  std::string bytes = "*" + std::to_string(command.size()) + "\r\n";
  for (const std::string& argument : command) {
    bytes += "$" + std::to_string(argument.size()) + "\r\n" + argument + "\r\n";
  }
  return bytes;
}

Connection::Connection(const Target& target)
    : name_(target.name), socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(target.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    close(socket_);
    throw Failure("cannot connect to " + name_);
  }
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kReplyLimit, sizeof(kReplyLimit));
}

Connection::~Connection() { close(socket_); }

void Connection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw Failure(name_ + " closed the connection");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string Connection::ReadReply() {
  std::optional<std::size_t> end;
  ReplyEnd reply_end;
  while (!(end = reply_end.FindIn(input_))) {
    char buffer[16384];
    const ssize_t got = recv(socket_, buffer, sizeof(buffer), 0);
    if (got < 0 && errno == EAGAIN) throw Failure(name_ + " does not answer");
    if (got <= 0) throw Failure(name_ + " closed the connection");
    input_.append(buffer, static_cast<std::size_t>(got));
  }
  std::string reply = input_.substr(0, *end);
  input_.erase(0, *end);
  if (reply.starts_with('-')) {
    throw Failure(name_ + " answered: " + reply.substr(1, reply.find('\r') - 1));
  }
  return reply;
}

std::string Connection::Ask(const Command& command) {
  Send(Encode(command));
  return ReadReply();
}

void FillBoard(const Target& target, const std::string& board, std::uint64_t members) {
  std::printf("  filling '%s' of %s with %llu members\n", board.c_str(), target.name.c_str(),
              static_cast<unsigned long long>(members));
  std::fflush(stdout);
  Connection connection(target);
  connection.Ask({"DEL", board});
  base::Random random(1);
  for (std::uint64_t next = 0; next < members;) {
    std::string commands;
    std::uint64_t sent = 0;
    for (; sent < kCommandsPerSend && next < members; ++sent) {
      Command command = {"ZADD", board};
      const std::uint64_t end = std::min(members, next + kPairsPerCommand);
      for (; next < end; ++next) {
        command.push_back(std::to_string(random.Below(members)));
        command.push_back(MemberName(next * kMixer % members));
      }
      commands += Encode(command);
    }
    connection.Send(commands);
    for (; sent > 0; --sent) connection.ReadReply();
  }
  const std::string count = connection.Ask({"ZCARD", board});
  if (count != ":" + std::to_string(members) + "\r\n") {
    throw Failure(target.name + " holds " + count.substr(1, count.find('\r') - 1) + " of " +
                  std::to_string(members) + " members");
  }
}

}  // namespace laurel::bench
