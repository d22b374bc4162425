// Runs: consecutive requests of one kind on one board, executed together.
//
// Finding a random entry of a large board takes several cache misses, one after the other. For up
// to 32 consecutive requests, from one pipeline or from several connections, the member look-ups
// and the descents through the tree are made together (core::ApplyBatch, core::Ranks,
// Leaderboard::Prepare), so that their misses overlap. Each request is then executed in order, with
// the same result as alone.
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

// A request and the pipeline that it belongs to.
struct Item {
  Pipeline* pipeline;
  const Request* request;
};

class RunExecutor {
 public:
  // All must outlive it. Errors are counted in `counters`; the requests are counted by the caller,
  // who knows their time.
  // `run`: as wire::Subject::run.
  RunExecutor(Keyspace* keys, StampClock* stamps, std::size_t max_reply_bytes, std::string_view run,
              CommandCounters* counters)
      : keys_(keys),
        stamps_(stamps),
        max_reply_bytes_(max_reply_bytes),
        engine_run_(run),
        counters_(counters) {}

  // Executes the run at the front of `items` and returns its length. Returns 0, and does nothing,
  // if the first request does not begin a run.
  std::size_t Execute(std::span<const Item> items, Stamp now);
  // Bit i is set if request i of the last run was answered with an error.
  [[nodiscard]] std::uint64_t failed() const { return failed_; }

 private:
  static constexpr std::size_t kMaxRun = core::EntryStore::kBatch;
  static_assert(kMaxRun <= 64);

  std::size_t ExecuteWrites(std::span<const Item> run, NamedBoard* named, Stamp now);
  std::size_t ExecuteRanks(std::span<const Item> run, const Keyspace::View& view);
  // LB.SUBMIT, LB.SET and LB.INCR with any options.
  std::size_t ExecuteSubmits(std::span<const Item> run, NamedBoard* named, Stamp now);
  // LB.GET and LB.AROUND, without PERIOD.
  std::size_t ExecuteLookups(std::span<const Item> run, const Keyspace::Resolved& place, Stamp now);
  // Call it after the reply to request i.
  void NoteOutcome(const wire::Reply& reply, std::size_t i);
  // Calls operate(answer), which executes an operation on the leaderboard.
  template <typename Operation>
  void Answer(const Item& item, std::size_t i, const NamedBoard& named, const Operation& operate);
  // Parses the requests into parsed_, up to the first that would be refused. Returns how many.
  std::size_t Parse(std::span<const Item> run, const Keyspace::Resolved& place);

  Keyspace* keys_;
  StampClock* stamps_;
  std::size_t max_reply_bytes_;
  std::string_view engine_run_;
  CommandCounters* counters_;
  std::uint64_t failed_ = 0;
  std::array<wire::ParsedOperation, kMaxRun> parsed_;
  std::vector<const leaderboard::Submit*> submits_;
  leaderboard::Prepared prepared_;
  std::vector<Write> writes_;
  std::vector<std::string_view> members_;
  std::vector<std::optional<std::uint64_t>> ranks_;
};

}  // namespace laurel::engine
