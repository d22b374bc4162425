#include "bench/pauses/unread_streams.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/http/load.h"

namespace laurel::bench {
namespace {

constexpr int kHeadBytes = 1000;  // more than the head of an answer

bool HasEvent(int socket) {
  int bytes = 0;
  return ioctl(socket, FIONREAD, &bytes) == 0 && bytes > kHeadBytes;
}

}  // namespace

UnreadStreams::UnreadStreams(const Target& target, const std::string& path, std::size_t count) {
  const std::string request = GetRequest(path);
  for (std::size_t i = 0; i < count; ++i) {
    sockets_.push_back(ConnectTo(target.http_port));
    send(sockets_.back(), request.data(), request.size(), MSG_NOSIGNAL);
  }
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!std::all_of(sockets_.begin(), sockets_.end(), HasEvent)) {
    if (std::chrono::steady_clock::now() > limit) throw Failure("not all streams have begun");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

UnreadStreams::~UnreadStreams() {
  for (const int socket : sockets_) close(socket);
}

}  // namespace laurel::bench
