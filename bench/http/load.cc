#include "bench/http/load.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <ctime>
#include <numeric>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace laurel::bench {
namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double OwnCpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Returns the bytes of the first answer in `input`; 0 if it is incomplete. Sets *ok to whether it
// is a success.
std::size_t HttpAnswer(std::string_view input, bool* ok) {
  const std::size_t head = input.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  *ok = input.size() > 9 && input[9] == '2';
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t at = input.find(kLength);
  std::size_t body = 0;
  if (at != std::string_view::npos && at < head) {
    std::from_chars(input.data() + at + kLength.size(), input.data() + head, body);
  }
  const std::size_t bytes = head + 4 + body;
  return input.size() >= bytes ? bytes : 0;
}

// Returns the end of the RESP reply that begins at `at`; 0 if the reply is incomplete.
std::size_t RespEnd(std::string_view input, std::size_t at) {
  const std::size_t line = input.find("\r\n", at);
  if (line == std::string_view::npos) return 0;
  const char type = input[at];
  long number = 0;
  std::from_chars(input.data() + at + 1, input.data() + line, number);
  if (type == '$') {
    if (number < 0) return line + 2;
    const std::size_t end = line + 2 + static_cast<std::size_t>(number) + 2;
    return input.size() >= end ? end : 0;
  }
  if (type != '*') return line + 2;
  std::size_t end = line + 2;
  for (long i = 0; i < number && end != 0; ++i) end = end < input.size() ? RespEnd(input, end) : 0;
  return end;
}

struct Client {
  int socket = -1;
  double sent = 0;
  std::string input;
  std::string request;
};

}  // namespace

double LoopResult::At(double share) const {
  if (latencies_us.empty()) return 0;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(latencies_us.size() - 1));
  return static_cast<double>(latencies_us[index]);
}

double LoopResult::Mean() const {
  return std::accumulate(latencies_us.begin(), latencies_us.end(), 0.0) /
         std::max<double>(1, static_cast<double>(latencies_us.size()));
}

int ConnectTo(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    close(descriptor);
    throw Failure("cannot connect to port " + std::to_string(port) + ": " + std::strerror(errno));
  }
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return descriptor;
}

std::string GetRequest(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
}

std::string PostRequest(const std::string& target, const std::string& body) {
  return "POST " + target +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

namespace {

// The loop itself: sockets, and the requests in flight.
class Loop {
 public:
  explicit Loop(const LoopLoad& load)
      : load_(load), clients_(static_cast<std::size_t>(load.clients)) {
    const std::uint16_t port = load.port != 0             ? load.port
                               : load.wire == Wire::kHttp ? load.target.http_port
                                                          : load.target.port;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      clients_[i].socket = ConnectTo(port);
      epoll_event event{EPOLLIN, {.u64 = i}};
      epoll_ctl(poll_, EPOLL_CTL_ADD, clients_[i].socket, &event);
    }
  }
  ~Loop() {
    for (const Client& client : clients_) close(client.socket);
    close(poll_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  LoopResult Run() {
    const double began = Now();
    const double cpu = CpuSeconds(load_.target.pid);
    const double own_cpu = OwnCpuSeconds();
    const double end = began + load_.seconds;
    for (Client& client : clients_) SendNext(client);
    std::size_t under_way = clients_.size();
    std::array<epoll_event, 256> events;
    while (under_way > 0) {
      const int count = epoll_wait(poll_, events.data(), events.size(), 1000);
      for (int i = 0; i < count; ++i) {
        Client& client = clients_[events[static_cast<std::size_t>(i)].data.u64];
        if (!Receive(client)) continue;
        Now() < end ? SendNext(client) : static_cast<void>(--under_way);
      }
    }
    result_.seconds = Now() - began;
    result_.server_cpu_seconds = CpuSeconds(load_.target.pid) - cpu;
    result_.client_cpu_seconds = OwnCpuSeconds() - own_cpu;
    std::sort(result_.latencies_us.begin(), result_.latencies_us.end());
    return std::move(result_);
  }

 private:
  void SendNext(Client& client) {
    client.request.clear();
    load_.next(sent_++, &client.request);
    client.sent = Now();
    if (send(client.socket, client.request.data(), client.request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(client.request.size())) {
      throw Failure("a request was not taken whole");
    }
  }

  // Reads the bytes that have arrived. Returns whether the client has its answer.
  bool Receive(Client& client) {
    const ssize_t bytes = recv(client.socket, buffer_.data(), buffer_.size(), 0);
    if (bytes < 0 && errno == EAGAIN) return false;
    if (bytes <= 0) throw Failure("the server has closed a connection");
    client.input.append(buffer_.data(), static_cast<std::size_t>(bytes));
    bool ok = client.input[0] != '-';
    const std::size_t answer =
        load_.wire == Wire::kHttp ? HttpAnswer(client.input, &ok) : RespEnd(client.input, 0);
    if (answer == 0) return false;
    result_.latencies_us.push_back(static_cast<float>((Now() - client.sent) * 1e6));
    ++result_.requests;
    if (!ok && ++result_.errors == 1) result_.first_error = client.input.substr(0, answer);
    client.input.erase(0, answer);
    return true;
  }

  const LoopLoad& load_;
  std::vector<Client> clients_;
  int poll_ = epoll_create1(EPOLL_CLOEXEC);
  std::uint64_t sent_ = 0;
  LoopResult result_;
  std::array<char, 65536> buffer_;
};

}  // namespace

LoopResult RunLoop(const LoopLoad& load) { return Loop(load).Run(); }

}  // namespace laurel::bench
