// A server for tests of clients: it answers with texts that the test gives.
#pragma once

#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/redis_connection.h"

namespace laurel::testing {

// Serves one connection after another on a free port of 127.0.0.1. Answers each request, of clients
// that send one at a time, with a text; an empty one is no answer.
class FakeServer {
 public:
  // `answer` gets the number of the request, from 0, over all connections.
  explicit FakeServer(std::function<std::string(int request)> answer)
      : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(at);
    auto* generic = reinterpret_cast<sockaddr*>(&at);
    if (bind(listener_, generic, bytes) != 0 || listen(listener_, 16) != 0 ||
        getsockname(listener_, generic, &bytes) != 0) {
      std::abort();
    }
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  // REQUIRES: the clients have closed their connections.
  ~FakeServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  [[nodiscard]] client::ConnectOptions Options() const {
    client::ConnectOptions options;
    options.address.port = std::to_string(port_);
    return options;
  }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void Serve() {
    for (int request = 0;;) {
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      ++connections_;
      char buffer[4096];
      while (recv(client, buffer, sizeof(buffer), 0) > 0) {
        const std::string reply = answer_(request++);
        (void)!send(client, reply.data(), reply.size(), MSG_NOSIGNAL);
      }
      close(client);
    }
  }

  std::function<std::string(int)> answer_;
  int listener_;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

}  // namespace laurel::testing
