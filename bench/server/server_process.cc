#include "bench/server/server_process.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <regex>
#include <thread>

#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/server/connection.h"

namespace laurel::bench {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

// The server may have ten million members to load or to save.
constexpr auto kStartLimit = 120s;
constexpr auto kStopLimit = 120s;
constexpr std::size_t kLastWords = 1000;  // printed bytes of the log

}  // namespace

std::uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  const bool found = bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  close(fd);
  if (!found) throw Failure("no free port on 127.0.0.1");
  return ntohs(address.sin_port);
}

namespace {

std::vector<std::string> CommandLine(ServerKind kind, const std::string& binary, std::uint16_t port,
                                     const std::vector<std::string>& arguments) {
  std::vector<std::string> line = {binary};
  if (kind == ServerKind::kLaurel) {
    line.insert(line.end(), {"serve", "--port", "0", "--http-port", "0"});
  } else {
    line.insert(line.end(), {"--port", std::to_string(port), "--bind", "127.0.0.1"});
  }
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

}  // namespace

std::vector<std::string> InMemory(ServerKind kind) {
  if (kind == ServerKind::kLaurel) return {"--in-memory"};
  return {"--save", "", "--appendonly", "no"};
}

ServerProcess::ServerProcess(const std::string& name, ServerKind kind, const std::string& binary,
                             const std::vector<std::string>& arguments) {
  target_.name = name;
  if (kind == ServerKind::kRedis) target_.port = FreePort();
  log_ = memfd_create("log", MFD_CLOEXEC);
  if (log_ < 0) throw Failure("cannot make a log in memory");
  target_.pid = Spawn(CommandLine(kind, binary, target_.port, arguments), log_);
  const auto limit = steady_clock::now() + kStartLimit;
  while (!TryReady(kind)) {
    const bool ended = HasEnded(target_.pid);
    if (ended || steady_clock::now() > limit) {
      Stop();
      throw Failure(name + " (" + binary + ") " +
                    (ended ? "ended before it was ready" : "was not ready in time"));
    }
    std::this_thread::sleep_for(20ms);
  }
}

ServerProcess::~ServerProcess() { Stop(); }

bool ServerProcess::TryReady(ServerKind kind) {
  if (kind == ServerKind::kLaurel) {
    const std::string log = Log();
    std::smatch match;
    if (!std::regex_search(log, match, std::regex("resp [^ ]*:([0-9]+)[^0-9]"))) return false;
    target_.port = static_cast<std::uint16_t>(std::stoul(match[1]));
    if (std::regex_search(log, match, std::regex("http [^ ]*:([0-9]+)[^0-9]"))) {
      target_.http_port = static_cast<std::uint16_t>(std::stoul(match[1]));
    }
  }
  try {
    return !HasEnded(target_.pid) && Connection(target_).Ask({"PING"}) == "+PONG\r\n";
  } catch (const Failure&) {
    return false;
  }
}

void ServerProcess::Stop() {
  kill(target_.pid, SIGTERM);
  const auto limit = steady_clock::now() + kStopLimit;
  while (!HasEnded(target_.pid) && steady_clock::now() < limit) std::this_thread::sleep_for(10ms);
  kill(target_.pid, SIGKILL);
  int status = 0;
  waitpid(target_.pid, &status, 0);
  const std::string log = Log();
  if (status != 0) {
    std::fprintf(stderr, "bench: %s ended with %s; its last lines:\n%s\n", target_.name.c_str(),
                 DescribeEnd(status).c_str(),
                 log.substr(log.size() > kLastWords ? log.size() - kLastWords : 0).c_str());
  }
  close(log_);
}

std::string ServerProcess::Log() const {
  std::string log;
  char buffer[4096];
  for (ssize_t got = 0;
       (got = pread(log_, buffer, sizeof(buffer), static_cast<off_t>(log.size()))) > 0;) {
    log.append(buffer, static_cast<std::size_t>(got));
  }
  return log;
}

}  // namespace laurel::bench
