// A live reader that applies the differences it takes, and compares the result with replies.
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

// For one thread, except OnReady, which the engine calls.
class TestLiveReader : public engine::LiveReader {
 public:
  // REQUIRES: the engine accepts the query. `engine` must outlive the reader.
  TestLiveReader(engine::Engine* engine, const engine::LiveQuery& query);
  ~TestLiveReader() override;
  TestLiveReader(const TestLiveReader&) = delete;
  TestLiveReader& operator=(const TestLiveReader&) = delete;

  void OnReady() override;

  // Takes the update that is ready. Returns false, and changes nothing, if there is none.
  bool Take();
  // Waits for OnReady, then takes the update. Returns false, and fails the test, if none arrives.
  bool TakeNext();
  // Takes updates until `done` returns true. Returns false, and fails the test, if none arrives.
  bool TakeUntil(const std::function<bool()>& done);
  // Takes updates until the top, the places and, with a top, the size equal the replies of LB.TOP,
  // LB.GET and LB.SIZE. Returns false as TakeUntil does. REQUIRES: no other thread writes.
  bool CatchUp(EngineRig* rig);

  // The top in the form of a reply to LB.TOP board n WITHMETA; "gone" if there is no board.
  [[nodiscard]] std::string Top() const;
  // The place of a member in the form of a reply to LB.GET board member WITHMETA.
  [[nodiscard]] std::string Place(const std::string& member, std::uint64_t size) const;

  [[nodiscard]] const std::optional<engine::LiveUpdate>& last() const { return last_; }
  [[nodiscard]] const std::map<std::string, std::optional<Entry>>& places() const {
    return places_;
  }
  [[nodiscard]] std::uint64_t notified() const;
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
  std::uint64_t notified_ = 0;
};

}  // namespace laurel::testing
