// Waits for readiness of plain sockets, and handles it in rounds.
//
// The poller has an epoll instance of its own, which the thread's io_context watches as one
// descriptor. When it becomes readable, a round collects all sockets that are ready, lets each one
// read, and then calls `after_round`, which executes the requests. So a batch is exactly what was
// available. Asio's own sockets cost a second recv per request (Asio tries again right after each
// read, only to find nothing) and a trip through its queue.
//
// Sockets are registered once, edge-triggered, so waiting again needs no system call. Not
// synchronised: all methods are called on the thread of the io_context.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <sys/epoll.h>

namespace laurel::server {

class Poller {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    // `events` are the socket's new epoll events; 0 after a call of Again.
    virtual void OnEvents(std::uint32_t events) = 0;
  };

  // `after_round` runs at the end of each round.
  Poller(boost::asio::io_context* io, std::function<void()> after_round);

  // Starts to poll.
  void Start();
  // The watcher must outlive its registration. False if epoll refuses.
  bool Add(int socket, Watcher* watcher);
  void Remove(int socket, Watcher* watcher);
  // Schedules a round at once, and calls OnEvents(0) in it.
  void Again(Watcher* watcher);
  // Whether a round is in progress: `after_round` is still to come.
  [[nodiscard]] bool in_round() const { return in_round_; }

 private:
  static constexpr int kMostEvents = 256;
  static constexpr int kMostRounds = 16;  // before other handlers of Asio run

  void Await();
  // False if no socket was ready.
  bool Round();

  boost::asio::io_context* io_;
  std::function<void()> after_round_;
  boost::asio::posix::stream_descriptor epoll_;
  std::array<epoll_event, kMostEvents> events_{};
  int ready_ = 0;
  std::vector<Watcher*> again_;
  std::vector<Watcher*> taken_;  // from again_, in the current round
  bool posted_ = false;
  bool in_round_ = false;
};

}  // namespace laurel::server
