// One I/O thread: an event loop, its connections, and the batch they fill.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/engine.h"
#include "server/net/connection.h"
#include "server/net/event_loop.h"
#include "server/net/network.h"

namespace laurel::server {

class IoThread final : public Connection::Loop {
 public:
  // The network must outlive it.
  explicit IoThread(Network* network);
  ~IoThread() override;

  void Start();
  // Stops the loop and waits for the thread.
  void Join();
  // Runs the loop on the calling thread.
  void Run();

  [[nodiscard]] EventLoop& events() override { return events_; }
  // Enqueue is called from this thread only.
  void Enqueue(std::shared_ptr<Connection> connection) override;
  void Wake(std::shared_ptr<Connection> connection) override;

 private:
  // Calls OnWoken of some woken connections. Other handlers run before the rest is served.
  void ServeWoken();
  // Returns whether connections are left for another batch.
  bool ExecuteBatch();
  // Moves the pipelines that CLIENT PAUSE holds back out of the batch, and retries them later.
  void HoldBackPaused();

  Network* network_;
  EventLoop events_;
  EventLoop::Timer pause_timer_;
  std::thread thread_;
  std::vector<std::shared_ptr<Connection>> ready_;
  std::vector<std::shared_ptr<Connection>> executing_;
  std::vector<std::shared_ptr<Connection>> held_back_;
  std::vector<engine::Pipeline*> pipelines_;

  base::Mutex woken_mutex_;
  // While it is not empty, a ServeWoken is posted or runs.
  std::deque<std::shared_ptr<Connection>> woken_ LAUREL_GUARDED_BY(woken_mutex_);
};

}  // namespace laurel::server
