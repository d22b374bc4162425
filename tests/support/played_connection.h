// The surroundings of a connection, played by a test: a transport, an engine and a loop.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "server/net/connection.h"
#include "server/net/transport.h"

namespace laurel::server {

// Sends at most `room` bytes.
class PlayedTransport final : public Transport {
 public:
  PlayedTransport() : Transport("1.2.3.4:5", "6.7.8.9:10") {}

  // Simulates input from the client. REQUIRES: a read is in progress.
  void Receive(std::string_view text) {
    ASSERT_NE(read_to_, nullptr);
    ASSERT_LE(text.size(), read_bytes_);
    std::memcpy(std::exchange(read_to_, nullptr), text.data(), text.size());
    user()->OnRead(true, text.size());
  }
  void End() { user()->OnRead(false, 0); }
  // Simulates a client that reads `bytes` bytes.
  void MakeRoom(std::size_t bytes) {
    room += bytes;
    if (unsent_.empty()) return;
    const std::string_view rest = std::exchange(unsent_, {});
    user()->OnWritten(true, TryWrite(rest));
  }
  [[nodiscard]] bool reads() const { return read_to_ != nullptr; }

  std::string sent;
  std::size_t room = 1 << 20;
  bool closed = false;

  void AsyncRead(char* to, std::size_t bytes) override {
    read_to_ = to;
    read_bytes_ = bytes;
  }
  void AsyncWrite(std::string_view bytes) override { unsent_ = bytes; }
  std::size_t TryWrite(std::string_view bytes) override {
    const std::size_t count = std::min(room, bytes.size());
    sent += bytes.substr(0, count);
    room -= count;
    return count;
  }
  void Close() override { closed = true; }

 private:
  void Handshake() override { user()->OnReady(); }

  char* read_to_ = nullptr;
  std::size_t read_bytes_ = 0;
  std::string_view unsent_;
};

// Answers requests with their literals. With `keeps`, the test calls Done itself.
class PlayedEngine final : public engine::Engine {
 public:
  void Execute(std::span<engine::Pipeline* const> pipelines) override {
    for (engine::Pipeline* pipeline : pipelines) {
      while (pipeline->executed < pipeline->requests.size()) {
        const engine::Request& request = pipeline->requests[pipeline->executed++];
        pipeline->replies += request.literal;
        answer = request.answer;
        if (pauses) break;
      }
      keeps ? kept = pipeline, void() : pipeline->Done();
      if (blocks) pipeline->Blocked(0);
    }
  }
  bool Cancel(engine::Pipeline* /*pipeline*/, engine::Wakeup /*wakeup*/) override { return false; }
  void Forget(engine::Client* /*client*/) override { ++forgotten; }
  bool Tick() override { return false; }
  Status Open() override { return Ok{}; }
  Result<engine::LoadReport> Load(const engine::LoadProgress& /*progress*/) override {
    return engine::LoadReport{};
  }
  void Close(bool /*snapshot*/) override {}
  Result<engine::LiveHandle> Subscribe(const engine::LiveQuery& /*query*/,
                                       engine::LiveReader* /*reader*/) override {
    return engine::LiveHandle{0};
  }
  void Unsubscribe(engine::LiveHandle /*handle*/) override {}
  std::optional<engine::LiveUpdate> Take(engine::LiveHandle /*handle*/) override { return {}; }
  engine::Figures Measure(const engine::Access& /*access*/) override { return {}; }
  [[nodiscard]] std::int64_t SavedAt() const override { return 0; }

  bool pauses = false;  // after each request
  bool blocks = false;  // REQUIRES: keeps
  bool keeps = false;
  engine::Pipeline* kept = nullptr;
  wire::Answer* answer = nullptr;  // of the last request
  int forgotten = 0;
};

class PlayedLoop final : public Connection::Loop {
 public:
  EventLoop& events() override { return events_; }
  void Enqueue(std::shared_ptr<Connection> connection) override {
    ready.push_back(std::move(connection));
  }
  void Wake(std::shared_ptr<Connection> connection) override {
    events_.Post([connection] { connection->OnWoken(); });
  }
  // Executes the batch, as an I/O thread does.
  void ExecuteBatch(PlayedEngine* engine) {
    const auto executing = std::exchange(ready, {});
    for (const auto& connection : executing) {
      if (!connection->BeginExecution()) continue;
      engine::Pipeline* pipelines[] = {connection.get()};
      engine->Execute(pipelines);
      connection->EndExecution();
    }
  }
  // Runs what was posted, and what that posts.
  void RunPosted() {
    for (int i = 0; i < 3; ++i) events_.RunRound(EventLoop::Wait::kNo);
  }
  // Waits for the next timer and runs it.
  void RunTimer() { events_.RunRound(EventLoop::Wait::kForAnEvent); }

  std::vector<std::shared_ptr<Connection>> ready;

 private:
  EventLoop events_{[] { return false; }};
};

}  // namespace laurel::server
