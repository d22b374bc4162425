// Live readers of one board, as in a server: the engine's thread notifies them, and a separate
// thread takes each update and writes it out as text.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "engine/live.h"

namespace laurel::bench {

class Crowd {
 public:
  // Half of the readers follow the top 10, the others one member each, spread over `members`
  // members (MemberName). Returns when all have their first update. Throws Failure if the engine
  // refuses a reader.
  Crowd(engine::Engine* engine, const std::string& board, std::size_t count, std::uint64_t members);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  [[nodiscard]] std::uint64_t updates() const { return updates_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  class Reader : public engine::LiveReader {
   public:
    explicit Reader(Crowd* crowd) : crowd_(crowd) {}
    void OnReady() override { crowd_->Enqueue(this); }
    engine::LiveHandle handle = 0;

   private:
    Crowd* crowd_;
  };

  void Enqueue(Reader* reader);
  void Serve();

  engine::Engine* engine_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::atomic<std::uint64_t> updates_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;

  std::mutex mutex_;  // guards the members below, up to queue_
  std::condition_variable changed_;
  bool subscribed_ = false;
  bool stops_ = false;
  std::vector<Reader*> queue_;

  std::thread thread_;
};

}  // namespace laurel::bench
