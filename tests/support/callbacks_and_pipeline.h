// What a server is to an engine, for tests: a host, clients, and the pipelines in which they ask.
// All that tests, fuzz targets and benchmarks know of engine::ServerCallbacks and engine::Pipeline is here.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "tests/support/resp.h"

namespace laurel::testing {

using resp::Split;
using resp::Value;
using resp::Words;

// Keeps the notices that the engine gives it.
class TestCallbacks : public engine::ServerCallbacks {
 public:
  void NoteTime(const engine::Request& request, const engine::Client& client,
                std::int64_t micros) override;
  [[nodiscard]] std::size_t BufferBytes() const override { return 0; }
  void Notice(NoticeLevel level, const std::string& text) override;

  // What the engine had to say to the administrative log, one a line.
  [[nodiscard]] std::string notices() const;
  // The same since the last call; warnings begin with "! ".
  std::vector<std::string> TakeNotices();

 private:
  std::size_t noted_bytes_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> notices_;
};

// A connection. Outlives its questions, and the engine if it watches boards.
struct TestClient : engine::Client {
  TestClient() = default;
  explicit TestClient(wire::Protocol spoken) : protocol(spoken) {}

  wire::Protocol protocol = wire::Protocol::kResp2;
};

// What a client asks in one go, and the replies: one request, a pipeline, transactions. It is
// filled, executed once (EngineRig::Execute), and may then wait for the disk or for a push. The
// engine may be done with it on any thread; everything else is for one thread.
class Question : public engine::Pipeline {
 public:
  // Of a connection that is gone with it.
  explicit Question(wire::Protocol protocol);
  explicit Question(TestClient* client);

  // Throws std::runtime_error if the command table has no such command, or refuses the words.
  void Add(Words command);
  // EXEC of these.
  void AddTransaction(const std::vector<Words>& commands);

  // For requests that Add does not make. What is kept is good until Reset or ForgetRequests.
  std::span<const std::string_view> Keep(Words words);
  std::string_view Keep(std::string text);
  void AddTransaction(std::vector<engine::Request> queued, std::string_view abort = {});

  // Empties it for another use by the same client.
  void Reset();
  // The engine must not look at them any more once Execute has returned.
  void ForgetRequests();
  // The client has taken the replies so far; the rest of the requests is for another Execute.
  void TakeReplies();

  void Done() override;
  void Blocked(std::int64_t deadline_ms) override { deadline_ms_ = deadline_ms; }

  [[nodiscard]] int times_done() const;
  [[nodiscard]] bool answered() const { return times_done() > 0; }
  // Whether the last request had to wait, and until when; 0: for ever, -1: it had not.
  [[nodiscard]] bool blocked() const { return deadline_ms_ >= 0; }
  [[nodiscard]] std::int64_t deadline_ms() const { return deadline_ms_; }

  // All of these wait for the replies.
  void Await();
  const std::string& Bytes();
  // Throws std::runtime_error if the bytes are not one reply to each request.
  std::vector<Value> Answers();
  // To the first request.
  Value Answer() { return Answers().at(0); }

 private:
  [[nodiscard]] engine::Request RequestOf(Words command);

  TestClient own_client_;
  TestClient* asker_;
  std::int64_t deadline_ms_ = -1;
  // What the requests point to.
  std::list<std::string> texts_;
  std::list<Words> words_;
  std::list<std::vector<std::string_view>> arguments_;
  std::list<std::vector<engine::Request>> queues_;
  std::list<engine::Transaction> transactions_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int times_done_ = 0;
};

}  // namespace laurel::testing
