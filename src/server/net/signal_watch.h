// Signals of the process as tasks of an event loop.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "server/net/event_loop.h"

namespace laurel::server {

// While it exists, the signals do nothing but call `handler` on the loop's thread. Only one may
// exist at a time. The loop must outlive it.
class SignalWatch final : private EventLoop::Watcher {
 public:
  SignalWatch(EventLoop* loop, std::vector<int> signals, std::function<void(int)> handler);
  ~SignalWatch() override;
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void OnEvents(std::uint32_t events) override;

  EventLoop* loop_;
  std::vector<int> signals_;
  std::function<void(int)> handler_;
};

}  // namespace laurel::server
