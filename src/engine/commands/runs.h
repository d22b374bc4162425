// Runs: neighbouring requests of one kind on one board, executed together.
//
// A random entry of a large board is a handful of cache misses away, one after the other. Up to 32
// requests that stand next to each other, from one pipeline or from many connections, look up
// their members together and find their ways through the tree together (core::ApplyBatch,
// core::Ranks), so that the misses overlap. Each is then executed in order, as if alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/entry_store.h"
#include "engine/engine.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/entry.h"
#include "laurel/stamp_clock.h"

namespace laurel::engine {

struct Item {
  Turn* turn;
  const Request* request;
};

class RunExecutor {
 public:
  RunExecutor(Keyspace* keys, StampClock* stamps) : keys_(keys), stamps_(stamps) {}

  // Executes the run that items begin with and returns its length; 0 if there is none, and then
  // nothing was done.
  std::size_t Execute(std::span<const Item> items, Stamp now);
  // Has memory on its way that the request will look at, while the one before it is executed: where
  // its id may be known.
  void Foresee(const Request& next) const;

 private:
  static constexpr std::size_t kMaxRun = core::EntryStore::kBatch;

  std::size_t ExecuteWrites(std::span<const Item> run, Key* key, Stamp now);
  std::size_t ExecuteRanks(std::span<const Item> run, const Keyspace::View& view);

  Keyspace* keys_;
  StampClock* stamps_;
  std::vector<Write> writes_;
  std::vector<std::string_view> members_;
  std::vector<std::optional<std::uint64_t>> ranks_;
};

}  // namespace laurel::engine
