// An engine on a simulated disk and those who follow its boards: what LB.CHANGES says, as values.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "engine/embedded/embedded_engine.h"
#include "tests/server/resp_client.h"
#include "tests/storage/engine_rig.h"
#include "tests/storage/one_client.h"

namespace laurel::testing {

using black_box::Value;

// 2026-11-15 12:00:00 UTC, a Sunday.
inline constexpr Stamp kNoon = 1'794'744'000'000'000;
inline constexpr Stamp kHour = Stamp{3600} * 1'000'000;
inline constexpr Stamp kDay = 24 * kHour;

// The words of a line, which are separated by spaces.
Words Split(const std::string& line);

struct FeedEvent {
  std::string cursor;
  std::string cause;
  std::string board;  // the instance
  std::string member;
  std::string score;  // "5", "5,-2"
  Stamp stamp = 0;
  std::string name;  // of a rename
  Value value;       // all of it

  // All but the cursor: "put a 5 @10", "closed lb@day:2026-11-15 count=1 top=[1 a 5 @10]". Stamps
  // count from kNoon.
  [[nodiscard]] std::string Text() const;
};

struct FeedPage {
  std::vector<FeedEvent> events;
  std::string next;
  bool gap = false;
  std::string error;  // instead of everything else
};

// Throws std::runtime_error if it is neither an error nor a page.
FeedPage ToPage(const Value& reply);
std::vector<std::string> Texts(const std::vector<FeedEvent>& events);

// What one client has asked for in one go. May be done on any thread.
class FeedTurn : public engine::Turn {
 public:
  FeedTurn() : Turn(&client_) {}
  // One command, or a transaction of several.
  FeedTurn(const std::vector<Words>& commands, wire::Protocol protocol);

  void Done() override;
  void Blocked(std::int64_t deadline_ms) override { deadline_ms_ = deadline_ms; }

  void Await();
  [[nodiscard]] int times_done();
  [[nodiscard]] std::int64_t deadline_ms() const { return deadline_ms_; }  // -1: did not wait
  // Waits for the reply.
  Value Reply();

 private:
  engine::Client client_;
  std::vector<Words> commands_;
  std::vector<std::vector<std::string_view>> arguments_;
  std::vector<engine::Request> queued_;
  engine::Transaction transaction_;
  std::vector<std::string_view> exec_{"EXEC"};
  std::int64_t deadline_ms_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  int times_done_ = 0;
};

class FeedEngine {
 public:
  // Small segments and files; a log that is kept.
  static EngineRig::Options Keeping();

  // Loads what is there. Folder and clock outlive it.
  FeedEngine(base::Folder* folder, const base::Clock* clock,
             const EngineRig::Options& options = Keeping());
  // Writes no snapshot.
  ~FeedEngine();

  Value Ask(const std::vector<Words>& commands, wire::Protocol protocol = wire::Protocol::kResp3);
  Value Ask(const std::string& line) { return Ask(std::vector<Words>{Split(line)}); }
  // Executes and does not wait for the reply.
  std::unique_ptr<FeedTurn> Begin(const std::string& line, const engine::Access& access = {});
  // What is due by time. It is on disk when this returns, if replies wait for that.
  void Tick();

  FeedPage Changes(const std::string& board, const std::string& from, std::size_t count = 100);
  // Page by page to the end. A gap or an error is a failure of the test.
  std::vector<FeedEvent> All(const std::string& board, std::string from = "0",
                             std::size_t count = 100);
  // The cursor of now.
  std::string End(const std::string& board) { return Changes(board, "$").next; }

  [[nodiscard]] engine::EmbeddedEngine& engine() { return *engine_; }
  [[nodiscard]] const QuietHost& host() const { return host_; }

 private:
  QuietHost host_;
  std::unique_ptr<engine::EmbeddedEngine> engine_;
};

}  // namespace laurel::testing
