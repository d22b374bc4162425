#include "bench/http/streams.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/http/load.h"

namespace laurel::bench {
namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Streams::Streams(const Target& target, const std::string& path, std::size_t count)
    : poll_(epoll_create1(EPOLL_CLOEXEC)), last_(count), gaps_(count) {
  const std::string request = GetRequest(path);
  for (std::size_t i = 0; i < count; ++i) {
    const int descriptor = ConnectTo(target.http_port);
    sockets_.push_back(descriptor);
    epoll_event event{EPOLLIN, {.u64 = i}};
    epoll_ctl(poll_, EPOLL_CTL_ADD, descriptor, &event);
    send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
  }
  thread_ = std::thread([this] { Read(); });
  const double limit = Now() + 60;
  while (begun_ < count && !broken_ && Now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (begun_ < count) {
    stops_ = true;
    thread_.join();
    throw Failure("only " + std::to_string(begun_) + " of the streams have begun");
  }
}

Streams::~Streams() {
  stops_ = true;
  if (thread_.joinable()) thread_.join();
  for (const int descriptor : sockets_) close(descriptor);
  close(poll_);
}

void Streams::Read() {
  std::array<epoll_event, 256> events;
  std::array<char, 65536> buffer;
  while (!stops_) {
    const int count = epoll_wait(poll_, events.data(), events.size(), 50);
    for (int i = 0; i < count; ++i) {
      const std::size_t index = events[static_cast<std::size_t>(i)].data.u64;
      const ssize_t bytes = recv(sockets_[index], buffer.data(), buffer.size(), 0);
      if (bytes <= 0) {
        broken_ = true;
        epoll_ctl(poll_, EPOLL_CTL_DEL, sockets_[index], nullptr);
        continue;
      }
      const std::string_view text(buffer.data(), static_cast<std::size_t>(bytes));
      if (text.find("data: ") == std::string_view::npos) continue;
      const double now = Now();
      const double before = last_[index].exchange(now);
      if (before == 0) {
        ++begun_;
      } else {
        gaps_[index] = std::max(gaps_[index].load(), now - before);
      }
      ++events_;
    }
  }
}

void Streams::RestartGaps() {
  const double now = Now();
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    last_[i] = now;
    gaps_[i] = 0;
  }
}

double Streams::LongestGapSeconds() const {
  const double now = Now();
  double longest = 0;
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    longest = std::max({longest, gaps_[i].load(), now - last_[i].load()});
  }
  return longest;
}

}  // namespace laurel::bench
