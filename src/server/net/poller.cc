#include "server/net/poller.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/assert.h"

namespace laurel::server {
namespace {

int MakeEpoll() {
  const int descriptor = epoll_create1(EPOLL_CLOEXEC);
  LAUREL_ASSERT(descriptor >= 0);
  return descriptor;
}

}  // namespace

Poller::Poller(boost::asio::io_context* io, std::function<void()> after_round)
    : io_(io), after_round_(std::move(after_round)), epoll_(*io, MakeEpoll()) {}

void Poller::Start() { Await(); }

bool Poller::Add(int socket, Watcher* watcher) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = watcher;
  return epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, socket, &event) == 0;
}

void Poller::Remove(int socket, Watcher* watcher) {
  epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, socket, nullptr);
  // Drops the socket's events of the current round that are not delivered yet.
  for (int i = 0; i < ready_; ++i) {
    epoll_event& event = events_[static_cast<std::size_t>(i)];
    if (event.data.ptr == watcher) event.data.ptr = nullptr;
  }
  std::erase(again_, watcher);
  std::replace(taken_.begin(), taken_.end(), watcher, static_cast<Watcher*>(nullptr));
}

void Poller::Again(Watcher* watcher) {
  again_.push_back(watcher);
  if (posted_) return;
  posted_ = true;
  boost::asio::post(*io_, [this] {
    posted_ = false;
    Round();
  });
}

void Poller::Await() {
  epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this](const boost::system::error_code& error) {
                      if (error) return;
                      // More events have often come meanwhile: another epoll_wait is cheaper than
                      // another async_wait.
                      for (int i = 0; i < kMostRounds && Round(); ++i) {
                      }
                      Await();
                    });
}

bool Poller::Round() {
  in_round_ = true;
  ready_ = std::max(epoll_wait(epoll_.native_handle(), events_.data(), kMostEvents, 0), 0);
  const bool found = ready_ > 0;
  taken_.swap(again_);
  for (int i = 0; i < ready_; ++i) {
    const epoll_event& event = events_[static_cast<std::size_t>(i)];
    if (event.data.ptr != nullptr) static_cast<Watcher*>(event.data.ptr)->OnEvents(event.events);
  }
  ready_ = 0;
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i] != nullptr) taken_[i]->OnEvents(0);
  }
  taken_.clear();
  in_round_ = false;
  after_round_();
  return found;
}

}  // namespace laurel::server
