// An engine on a simulated disk and those who follow its boards: what LB.CHANGES says, as values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {

// 2026-11-15 12:00:00 UTC, a Sunday.
inline constexpr Stamp kNoon = 1'794'744'000'000'000;
inline constexpr Stamp kHour = Stamp{3600} * 1'000'000;
inline constexpr Stamp kDay = 24 * kHour;

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

// An engine and those who follow its boards. Every question is asked by a client of its own, in
// RESP3, so that any thread may ask.
class FeedEngine {
 public:
  // Small segments and files; a log that is kept.
  static EngineRig::Options Keeping();

  // Loads what is there. Folder and clock outlive it.
  FeedEngine(base::Folder* folder, const base::Clock* clock,
             const EngineRig::Options& options = Keeping());

  // A transaction if there are several commands.
  Value Ask(const std::vector<Words>& commands, wire::Protocol protocol = wire::Protocol::kResp3);
  Value Ask(const std::string& line) { return Ask(std::vector<Words>{Split(line)}); }
  // Executes and does not wait for the reply.
  std::unique_ptr<Question> Begin(const std::string& line, const engine::Access& access = {});
  // What is due by time. It is on disk when this returns, if replies wait for that.
  void Tick();

  FeedPage Changes(const std::string& board, const std::string& from, std::size_t count = 100);
  // Page by page to the end. A gap or an error is a failure of the test.
  std::vector<FeedEvent> All(const std::string& board, std::string from = "0",
                             std::size_t count = 100);
  // The cursor of now.
  std::string End(const std::string& board) { return Changes(board, "$").next; }

  [[nodiscard]] EngineRig& rig() { return rig_; }
  [[nodiscard]] engine::EmbeddedEngine& engine() { return rig_.engine(); }

 private:
  EngineRig rig_;
};

}  // namespace laurel::testing
