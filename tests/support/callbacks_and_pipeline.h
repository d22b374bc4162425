// The server's side of an engine, for tests: server callbacks, clients and pipelines. Tests, fuzz
// targets and benchmarks use engine::ServerCallbacks and engine::Pipeline through this header only.
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

// Server callbacks that keep the engine's notices.
class TestCallbacks : public engine::ServerCallbacks {
 public:
  void NoteTime(const engine::Request& request, const engine::Client& client,
                std::int64_t micros) override;
  [[nodiscard]] std::size_t BufferBytes() const override { return 0; }
  void Notice(NoticeLevel level, const std::string& text) override;

  // The notices of the engine for the administrative log, one per line. Warnings begin with "! ".
  [[nodiscard]] std::string notices() const;
  // Removes and returns the notices.
  std::vector<std::string> TakeNotices();

 private:
  std::size_t noted_bytes_ = 0;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<std::string> notices_;
};

// A connection. Must outlive its questions, and the engine if it watches boards.
struct TestClient : engine::Client {
  TestClient() = default;
  explicit TestClient(wire::Protocol spoken) : protocol(spoken) {}

  wire::Protocol protocol = wire::Protocol::kResp2;
};

// A pipeline of one client and its replies: one or more requests, or transactions. The test adds
// requests, executes it once (EngineRig::Execute), and waits for the replies, which may depend on
// the disk or on another client's write. The engine may call Done on any thread; everything else is
// for one thread.
class TestPipeline : public engine::Pipeline {
 public:
  // With a client of its own, which is destroyed with the question.
  explicit TestPipeline(wire::Protocol protocol);
  explicit TestPipeline(TestClient* client);

  // Throws std::runtime_error if the command table has no such command, or refuses the words.
  void Add(Words command);
  // Adds an EXEC of these commands.
  void AddTransaction(const std::vector<Words>& commands);

  // Store arguments for requests that Add cannot build. The returned views are valid until Reset or
  // ForgetRequests.
  std::span<const std::string_view> Keep(Words words);
  std::string_view Keep(std::string text);
  void AddTransaction(std::vector<engine::Request> queued, std::string_view abort = {});

  // Clears the question for reuse by the same client.
  void Reset();
  // Destroys the requests and their arguments, which the engine must not read after Execute.
  void ForgetRequests();
  // Clears the replies so far, as if the client had read them. Another Execute continues with the
  // remaining requests.
  void TakeReplies();

  void Done() override;
  void Blocked(std::int64_t deadline_ms) override { deadline_ms_ = deadline_ms; }

  [[nodiscard]] int times_done() const;
  [[nodiscard]] bool answered() const { return times_done() > 0; }
  // Whether the last request blocked, and its deadline. 0: no deadline, -1: it did not block.
  [[nodiscard]] bool blocked() const { return deadline_ms_ >= 0; }
  [[nodiscard]] std::int64_t deadline_ms() const { return deadline_ms_; }

  // These wait for the replies.
  void Await();
  const std::string& Bytes();
  // Throws std::runtime_error if the bytes are not one reply to each request.
  std::vector<Value> Answers();
  // The reply to the first request.
  Value Answer() { return Answers().at(0); }

 private:
  [[nodiscard]] engine::Request RequestOf(Words command);

  TestClient own_client_;
  TestClient* asker_;
  std::int64_t deadline_ms_ = -1;
  // The data that the requests point to.
  std::list<std::string> texts_;
  std::list<Words> words_;
  std::list<std::vector<std::string_view>> arguments_;
  std::list<std::vector<engine::Request>> queues_;
  std::list<engine::Transaction> transactions_;

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  int times_done_ = 0;
};

}  // namespace laurel::testing
