#include "server/process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/resp_client.h"

namespace laurel::black_box {
namespace {

constexpr std::chrono::seconds kPongTimeout{30};
constexpr int kPollIntervalMs = 5;
constexpr int kPortAttempts = 5;

}  // namespace

int FreePort() {
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound = socket_fd >= 0 && bind(socket_fd, generic, length) == 0 &&
                     getsockname(socket_fd, generic, &length) == 0;
  const int error = errno;
  if (socket_fd >= 0) close(socket_fd);
  if (!bound) throw std::system_error(error, std::generic_category(), "no free port");
  return ntohs(address.sin_port);
}

ServerProcess ServerProcess::Laurel(const std::vector<std::string>& extra_arguments) {
  ServerProcess server;
  std::vector<std::string> command = ServeArguments(extra_arguments);
  if (!UsesMemoryOnly(extra_arguments)) {
    command.insert(command.begin() + 1, {"--data", server.directory() / "data"});
  }
  command.insert(command.begin(), LaurelBinary());
  server.process_.Start(command);
  server.port_ = server.process_.AwaitReady();
  return server;
}

std::string RedisProgram() {
  const char* program = std::getenv("LAUREL_TEST_REDIS");
  return program != nullptr && *program != '\0' ? program : "redis-server";
}

ServerProcess ServerProcess::Redis(const std::vector<std::string>& extra_arguments) {
  std::string output;
  for (int attempt = 0; attempt < kPortAttempts; ++attempt) {
    ServerProcess server;
    server.port_ = FreePort();
    std::vector<std::string> command = {RedisProgram(),
                                        "--port",
                                        std::to_string(server.port_),
                                        "--bind",
                                        "127.0.0.1",
                                        "--save",
                                        "",
                                        "--appendonly",
                                        "no",
                                        "--daemonize",
                                        "no",
                                        "--dir",
                                        server.directory(),
                                        "--loglevel",
                                        "warning"};
    // By default the bus has the port 10000 above the other, which may not exist.
    const auto cluster =
        std::find(extra_arguments.begin(), extra_arguments.end(), "--cluster-enabled");
    if (cluster != extra_arguments.end()) {
      command.insert(command.end(), {"--cluster-port", std::to_string(FreePort())});
    }
    command.insert(command.end(), extra_arguments.begin(), extra_arguments.end());
    server.process_.Start(command);
    if (server.WaitForPong()) return server;
    output = server.Output();
  }
  throw std::runtime_error("redis-server did not start; it printed:\n" + output);
}

bool ServerProcess::WaitForPong() {
  const auto end = std::chrono::steady_clock::now() + kPongTimeout;
  while (std::chrono::steady_clock::now() < end) {
    if (!Running()) return false;
    try {
      RespClient client(port_);
      if (client.Command({"PING"}).text == "PONG") return true;
    } catch (const std::runtime_error&) {
      // The server does not listen yet.
    }
    poll(nullptr, 0, kPollIntervalMs);
  }
  throw std::runtime_error("no answer to PING on port " + std::to_string(port_) + "\n" + Output());
}

void ServerProcess::Kill() {
  if (pid() < 0) throw std::runtime_error("the server does not run\n" + Output());
  process_.Kill();
}

std::size_t ServerProcess::ResidentBytes() const {
  std::ifstream file("/proc/" + std::to_string(pid()) + "/statm");
  std::size_t total_pages = 0;
  std::size_t resident_pages = 0;
  if (!(file >> total_pages >> resident_pages)) {
    throw std::runtime_error("no memory figures of process " + std::to_string(pid()));
  }
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace laurel::black_box
