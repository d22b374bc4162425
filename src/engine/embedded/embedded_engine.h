// The engine in this process: boards in memory, one lock, many threads that take turns.
//
// A thread brings what its connections have asked for since the last time; the requests of all of
// them are executed in one hold of the lock, so that locking costs a fraction of a request, and so
// that neighbouring requests on one board can fetch memory for each other (runs.h). A hold ends
// after kMaxHoldRequests or about kMaxHoldMicros if others wait, never inside an EXEC.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/fair_lock.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/embedded/handlers.h"
#include "engine/embedded/keyspace.h"
#include "engine/embedded/runs.h"
#include "engine/embedded/waiting.h"
#include "engine/engine.h"
#include "laurel/stamp_clock.h"

namespace laurel::engine {

inline constexpr std::size_t kMaxHoldRequests = 128;
inline constexpr std::int64_t kMaxHoldMicros = 100;

struct EmbeddedOptions {
  std::size_t max_reply_bytes = std::size_t{256} << 20;
  std::size_t max_memory_bytes = 0;  // 0: no limit
  std::vector<Template> templates;
  std::uint64_t hash_seed = 0;         // 0: from the system
  const base::Clock* clock = nullptr;  // null: the system's
};

class EmbeddedEngine : public Engine {
 public:
  // `host` outlives the engine.
  EmbeddedEngine(const EmbeddedOptions& options, Host* host);
  ~EmbeddedEngine() override;

  void Execute(std::span<Turn* const> turns) override;
  bool Cancel(Turn* turn, Wakeup wakeup) override;
  void Forget(Client* client) override;
  bool Tick() override;
  [[nodiscard]] Figures Measure() override;

 private:
  // A hold of the lock in which the clock stands still.
  class Hold;

  // True if the request waits and has no reply yet.
  bool ExecuteOne(Turn* turn, const Request& request, bool in_transaction);
  void ExecuteTransaction(Turn* turn, const Request& request);
  void ServeWaiting();
  void NoteTimes(std::span<const Item> items, std::int64_t micros);
  [[nodiscard]] bool RefusesForMemory(const wire::CommandInfo& command) const;
  [[nodiscard]] std::size_t UsedBytes() const;
  [[nodiscard]] Figures MeasureLocked() const;

  EmbeddedOptions options_;
  Host* host_;
  std::unique_ptr<base::Clock> system_clock_;
  const base::Clock* clock_;

  base::FairLock lock_;  // guards everything below
  base::CountingMemory memory_;
  Keyspace keys_;
  Waiting waiting_;
  StampClock stamps_;
  base::Random random_;
  HandlerTable handlers_{};
  RunExecutor runs_;
  Stamp now_ = 0;
  std::vector<Turn*> served_;  // by the request under way
};

}  // namespace laurel::engine
