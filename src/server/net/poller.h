// Readiness of plain sockets, gathered in rounds.
//
// An epoll instance of our own, which the thread's io_context watches as one descriptor. When it
// becomes readable, a round takes all sockets that are ready, lets each read, and then executes
// what they brought, so a batch is exactly what was there. Asio's own sockets cost a second recv
// for every request (it tries once more right after each read, to learn that there is nothing) and
// a trip through its queue.
//
// Sockets are registered once, edge-triggered: no system call to wait again. Not synchronised:
// lives on its thread.
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
    // The socket's epoll events, as far as they are news; none if it asked for another round.
    virtual void OnEvents(std::uint32_t events) = 0;
  };

  // `after_round` runs at the end of each round.
  Poller(boost::asio::io_context* io, std::function<void()> after_round);

  // Begins to watch for rounds.
  void Start();
  // The watcher outlives its registration. False if the system refuses.
  bool Add(int socket, Watcher* watcher);
  void Remove(int socket, Watcher* watcher);
  // Calls OnEvents(0) in the next round, which comes at once.
  void Again(Watcher* watcher);
  // Whether `after_round` is still to come.
  [[nodiscard]] bool in_round() const { return in_round_; }

 private:
  static constexpr int kMostEvents = 256;
  static constexpr int kMostRounds = 16;  // before Asio has its pipeline

  void Await();
  // False if no socket was ready.
  bool Round();

  boost::asio::io_context* io_;
  std::function<void()> after_round_;
  boost::asio::posix::stream_descriptor epoll_;
  std::array<epoll_event, kMostEvents> events_{};
  int ready_ = 0;
  std::vector<Watcher*> again_;
  std::vector<Watcher*> taken_;  // of again_, in the round under way
  bool posted_ = false;
  bool in_round_ = false;
};

}  // namespace laurel::server
