// The event loop of one thread: sockets, tasks from any thread, and timers.
//
// The loop works in rounds. A round collects all sockets that are ready, lets each one read, runs
// the tasks and the timers, and then calls `after_round`, which executes the requests. So a batch
// is exactly what was available. The thread sleeps only in epoll_wait.
//
// Sockets are registered once, edge-triggered, so waiting again needs no system call. All methods
// are called on the loop's thread, except those that say otherwise.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include <sys/epoll.h>

#include "base/mutex.h"
#include "base/thread_annotations.h"

namespace laurel::server {

class EventLoop {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    // `events` are the socket's new epoll events; 0 after a call of Again.
    virtual void OnEvents(std::uint32_t events) = 0;
  };
  using Task = std::function<void()>;

  class Timer {
   public:
    // The loop must outlive it.
    explicit Timer(EventLoop* loop) : loop_(loop) {}
    ~Timer() { Cancel(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    // Runs the task once, after the delay. Cancels what was started before.
    void Start(std::chrono::milliseconds delay, Task task);
    void Cancel();

   private:
    friend class EventLoop;

    EventLoop* loop_;
    Task task_;                                         // empty: the timer is not started
    std::multimap<std::int64_t, Timer*>::iterator at_;  // valid while it is started
  };

  // `after_round` returns whether another round must follow at once.
  explicit EventLoop(std::function<bool()> after_round);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs rounds on the calling thread until Stop.
  void Run();
  // Ends Run after the present round. May be called from any thread.
  void Stop();
  enum class Wait : std::uint8_t { kNo, kForAnEvent };
  void RunRound(Wait wait);

  // Runs the task in the next round. May be called from any thread.
  void Post(Task task);
  // The watcher must outlive its registration. False if epoll refuses.
  bool Add(int descriptor, Watcher* watcher);
  void Remove(int descriptor, Watcher* watcher);
  // Calls OnEvents(0) in the next round, which follows at once.
  void Again(Watcher* watcher);

 private:
  static constexpr int kMostEvents = 256;

  void Wake() const;
  void DispatchEvents();
  void RunTimers();
  // Sets the timer descriptor if a timer is due earlier than it is set to.
  void ArmTimer();
  // Whether a round may wait for an event; if so, the next Post wakes the loop.
  [[nodiscard]] bool FallsAsleep();

  std::function<bool()> after_round_;
  const int epoll_;
  const int wake_;   // an eventfd: a task has come
  const int timer_;  // a timerfd
  std::atomic<bool> stopped_{false};
  bool more_ = false;  // another round must follow at once
  std::array<epoll_event, kMostEvents> events_{};
  int ready_ = 0;
  std::vector<Watcher*> again_;
  std::vector<Watcher*> taken_;  // from again_, in the current round

  std::multimap<std::int64_t, Timer*> timers_;  // by monotonic time, in µs
  std::int64_t armed_us_ = INT64_MAX;           // when timer_ will fire

  base::Mutex mutex_;
  std::vector<Task> posted_ LAUREL_GUARDED_BY(mutex_);
  bool asleep_ LAUREL_GUARDED_BY(mutex_) = false;
  std::vector<Task> running_;  // in the current round
};

}  // namespace laurel::server
