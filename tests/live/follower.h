// A live reader that puts the differences together, and compares with what the engine replies.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/live.h"
#include "laurel/entry.h"
#include "laurel/spec.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {

// From one thread, but for OnReady.
class Follower : public engine::LiveReader {
 public:
  // REQUIRES: the query is not refused. `engine` outlives it.
  Follower(engine::Engine* engine, const engine::LiveQuery& query);
  ~Follower() override;
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void OnReady() override;

  // Takes what there is; false, and nothing changes, if there is nothing.
  bool Take();
  // Waits to be told, then takes. False if that does not happen: the test has failed then.
  bool TakeNext();
  // Takes until `done` says so. False as above.
  bool TakeUntil(const std::function<bool()>& done);
  // Takes until it shows what LB.TOP and LB.GET do now. REQUIRES: nobody writes.
  bool CatchUp(EngineRig* rig);

  // The top as LB.TOP board n WITHMETA replies it; "gone" if there is no board.
  [[nodiscard]] std::string Top() const;
  // The place of a member as LB.GET board member WITHMETA replies it.
  [[nodiscard]] std::string Place(const std::string& member, std::uint64_t size) const;

  [[nodiscard]] const std::optional<engine::LiveUpdate>& last() const { return last_; }
  [[nodiscard]] const std::map<std::string, std::optional<Entry>>& places() const {
    return places_;
  }
  [[nodiscard]] std::uint64_t told() const;
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  void Apply(const engine::LiveUpdate& update);

  engine::Engine* engine_;
  engine::LiveQuery query_;
  engine::LiveHandle handle_ = 0;
  std::optional<engine::LiveUpdate> last_;
  std::vector<Entry> top_;
  std::map<std::string, std::optional<Entry>> places_;
  std::uint64_t taken_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;
  std::uint64_t told_ = 0;
};

}  // namespace laurel::testing
