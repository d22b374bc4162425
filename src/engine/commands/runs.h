// Runs: neighbouring requests of one kind on one board, executed together.
//
// A random entry of a large board is a handful of cache misses away, one after the other. Up to 32
// requests that stand next to each other, from one pipeline or from many connections, look up
// their members together and find their ways through the tree together (core::ApplyBatch,
// core::Ranks, Leaderboard::Prepare), so that the misses overlap. Each is then executed in order,
// as if alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/store/entry_store.h"
#include "engine/engine.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/entry.h"
#include "laurel/stamp_clock.h"
#include "leaderboard/leaderboard.h"
#include "wire/leaderboard_words.h"

namespace laurel::engine {

struct Item {
  Pipeline* pipeline;
  const Request* request;
};

class RunExecutor {
 public:
  RunExecutor(Keyspace* keys, StampClock* stamps, std::size_t max_reply_bytes)
      : keys_(keys), stamps_(stamps), max_reply_bytes_(max_reply_bytes) {}

  // Executes the run that items begin with and returns its length; 0 if there is none, and then
  // nothing was done.
  std::size_t Execute(std::span<const Item> items, Stamp now);

 private:
  static constexpr std::size_t kMaxRun = core::EntryStore::kBatch;

  std::size_t ExecuteWrites(std::span<const Item> run, NamedBoard* named, Stamp now);
  std::size_t ExecuteRanks(std::span<const Item> run, const Keyspace::View& view);
  // LB.SUBMIT, LB.SET and LB.INCR with any options.
  std::size_t ExecuteSubmits(std::span<const Item> run, NamedBoard* named, Stamp now);
  // LB.GET and LB.AROUND, without PERIOD.
  std::size_t ExecuteLookups(std::span<const Item> run, const Keyspace::Place& place, Stamp now);
  // Parses the requests, up to the first that would be refused; returns how many.
  std::size_t Parse(std::span<const Item> run, const Keyspace::Place& place);

  Keyspace* keys_;
  StampClock* stamps_;
  std::size_t max_reply_bytes_;
  std::array<wire::ParsedOperation, kMaxRun> parsed_;
  std::vector<const leaderboard::Submit*> submits_;
  leaderboard::Prepared prepared_;
  std::vector<Write> writes_;
  std::vector<std::string_view> members_;
  std::vector<std::optional<std::uint64_t>> ranks_;
};

}  // namespace laurel::engine
