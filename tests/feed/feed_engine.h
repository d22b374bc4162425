// An engine on a simulated disk, and the replies of LB.CHANGES as values.
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
  std::string board;  // the instance, if the event is about one
  std::string member;
  std::string score;  // "5", "5,-2"
  Stamp stamp = 0;
  std::string name;  // of a rename
  Value value;       // the whole event

  // Everything but the cursor: "put a 5 @10", "closed lb@day:2026-11-15 count=1 top=[1 a 5 @10]".
  // Stamps are relative to kNoon.
  [[nodiscard]] std::string Text() const;
};

struct FeedPage {
  std::vector<FeedEvent> events;
  std::string next;
  bool gap = false;
  std::string error;  // if not empty, all other members are empty
};

// Throws std::runtime_error if the reply is neither an error nor a page.
FeedPage ToPage(const Value& reply);
std::vector<std::string> Texts(const std::vector<FeedEvent>& events);

// An engine whose change feeds are read. Every call uses its own client, RESP3 by default, so any
// thread may call.
class FeedEngine {
 public:
  // Small segments and files, and a log of which no segment is deleted.
  static EngineRig::Options Keeping();

  // Loads the folder. `folder` and `clock` must outlive the engine.
  FeedEngine(base::Folder* folder, const base::Clock* clock,
             const EngineRig::Options& options = Keeping());

  // Executes the commands, as a transaction if there are several, and returns the reply.
  Value Ask(const std::vector<Words>& commands, wire::Protocol protocol = wire::Protocol::kResp3);
  Value Ask(const std::string& line) { return Ask(std::vector<Words>{Split(line)}); }
  // Executes the command without waiting for the reply.
  std::unique_ptr<TestPipeline> Begin(const std::string& line, const engine::Access& access = {});
  // Does the work that is due by the clock. With SyncMode::kAlways it is durable on return.
  void Tick();

  FeedPage Changes(const std::string& board, const std::string& from, std::size_t count = 100);
  // All events from `from` on, read in pages of `count`. A gap or an error fails the test.
  std::vector<FeedEvent> All(const std::string& board, std::string from = "0",
                             std::size_t count = 100);
  // The cursor of the present end of the feed.
  std::string End(const std::string& board) { return Changes(board, "$").next; }

  [[nodiscard]] EngineRig& rig() { return rig_; }
  [[nodiscard]] engine::EmbeddedEngine& engine() { return rig_.engine(); }

 private:
  EngineRig rig_;
};

}  // namespace laurel::testing
