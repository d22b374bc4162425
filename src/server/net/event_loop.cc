#include "server/net/event_loop.h"

#include <algorithm>
#include <utility>

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"

namespace laurel::server {
namespace {

void Watch(int epoll, int descriptor, std::uint32_t events, const void* tag) {
  LAUREL_ASSERT(epoll >= 0 && descriptor >= 0);
  epoll_event event{};
  event.events = events | EPOLLET;
  event.data.ptr = const_cast<void*>(tag);
  const int added = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
  LAUREL_ASSERT(added == 0);
}

}  // namespace

// Timers ---------------------------------------------------------------------------------------

void EventLoop::Timer::Start(std::chrono::milliseconds delay, Task task) {
  Cancel();
  task_ = std::move(task);
  const std::int64_t delay_us = std::max<std::int64_t>(delay.count(), 0) * 1000;
  at_ = loop_->timers_.emplace(base::MonotonicMicros() + delay_us, this);
}

void EventLoop::Timer::Cancel() {
  if (!task_) return;
  loop_->timers_.erase(at_);
  const Task dropped = std::exchange(task_, nullptr);  // may own this timer
}

void EventLoop::RunTimers() {
  armed_us_ = INT64_MAX;
  const std::int64_t now_us = base::MonotonicMicros();
  while (!timers_.empty() && timers_.begin()->first <= now_us) {
    Timer* timer = timers_.begin()->second;
    timers_.erase(timers_.begin());
    const Task task = std::exchange(timer->task_, nullptr);  // may own the timer
    task();
  }
}

void EventLoop::ArmTimer() {
  if (timers_.empty() || timers_.begin()->first >= armed_us_) return;
  armed_us_ = timers_.begin()->first;
  itimerspec at{};
  at.it_value.tv_sec = armed_us_ / 1'000'000;
  at.it_value.tv_nsec = armed_us_ % 1'000'000 * 1000;
  const int set = timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr);
  LAUREL_ASSERT(set == 0);
}

// Rounds ---------------------------------------------------------------------------------------

EventLoop::EventLoop(std::function<bool()> after_round)
    : after_round_(std::move(after_round)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  // Edge-triggered: each write and each expiry is one event, and nothing needs to be read.
  Watch(epoll_, wake_, EPOLLIN, &wake_);
  Watch(epoll_, timer_, EPOLLIN, &timer_);
}

EventLoop::~EventLoop() {
  // Tasks own connections, which own timers.
  std::vector<Task> posted;
  {
    const base::MutexLock lock(mutex_);
    posted.swap(posted_);
  }
  posted.clear();
  while (!timers_.empty()) timers_.begin()->second->Cancel();
  close(timer_);
  close(wake_);
  close(epoll_);
}

void EventLoop::Run() {
  while (!stopped_) RunRound(Wait::kForAnEvent);
}

void EventLoop::Stop() {
  stopped_ = true;
  Wake();
}

void EventLoop::RunRound(Wait wait) {
  const bool at_once = wait == Wait::kNo || more_ || !again_.empty() || !FallsAsleep();
  ArmTimer();
  ready_ = std::max(epoll_wait(epoll_, events_.data(), kMostEvents, at_once ? 0 : -1), 0);
  taken_.swap(again_);
  {
    const base::MutexLock lock(mutex_);
    asleep_ = false;
    running_.swap(posted_);
  }
  DispatchEvents();
  for (Task& task : running_) std::exchange(task, nullptr)();
  running_.clear();
  more_ = after_round_();
}

void EventLoop::DispatchEvents() {
  bool timer_fired = false;
  for (int i = 0; i < ready_; ++i) {
    const epoll_event& event = events_[static_cast<std::size_t>(i)];
    if (event.data.ptr == &timer_) {
      timer_fired = true;
    } else if (event.data.ptr != nullptr && event.data.ptr != &wake_) {
      static_cast<Watcher*>(event.data.ptr)->OnEvents(event.events);
    }
  }
  ready_ = 0;
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i] != nullptr) taken_[i]->OnEvents(0);
  }
  taken_.clear();
  if (timer_fired) RunTimers();
}

bool EventLoop::Add(int descriptor, Watcher* watcher) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = watcher;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void EventLoop::Remove(int descriptor, Watcher* watcher) {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
  // Drops the events of the current round that are not delivered yet.
  for (int i = 0; i < ready_; ++i) {
    epoll_event& event = events_[static_cast<std::size_t>(i)];
    if (event.data.ptr == watcher) event.data.ptr = nullptr;
  }
  std::erase(again_, watcher);
  std::replace(taken_.begin(), taken_.end(), watcher, static_cast<Watcher*>(nullptr));
}

void EventLoop::Again(Watcher* watcher) { again_.push_back(watcher); }

// Tasks ----------------------------------------------------------------------------------------

void EventLoop::Wake() const {
  const std::uint64_t one = 1;
  // It fails only if the counter is full; then the loop is awake.
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
}

void EventLoop::Post(Task task) {
  bool was_asleep = false;
  {
    const base::MutexLock lock(mutex_);
    posted_.push_back(std::move(task));
    was_asleep = std::exchange(asleep_, false);
  }
  if (was_asleep) Wake();
}

bool EventLoop::FallsAsleep() {
  const base::MutexLock lock(mutex_);
  asleep_ = posted_.empty();
  return asleep_;
}

}  // namespace laurel::server
