// Counts the requests of each command, their outcomes and their times, and the errors by code. For
// INFO commandstats, errorstats and latencystats, and for metrics.
//
// The engine counts what it executes, once per run and with its lock held. The server counts what
// it answers or refuses itself. Counters are relaxed atomics, so they are read without a lock, and
// the figures of one command may be a request apart from each other. They only rise: Reset keeps
// the state of that moment, and FiguresSinceReset subtracts it, so that Prometheus never sees a
// counter fall.
//
// Cost: NoteExecuted is three additions without a locked instruction. Memory: 256 bytes a command,
// and as much again after the first Reset.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/histogram.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "wire/command_id.h"

namespace laurel::engine {

// The figures of one command.
struct CommandFigures {
  std::uint64_t ok = 0;        // executed
  std::uint64_t failed = 0;    // executed, and answered with an error
  std::uint64_t rejected = 0;  // refused before execution: arity, access, memory, disk, loading
  // Times of the executed requests whose time was measured. Requests that were executed together
  // share their time evenly.
  base::Histogram times;

  [[nodiscard]] std::uint64_t calls() const { return ok + failed; }
  void Subtract(const CommandFigures& earlier);
};

// The codes of errors, in order. An error with another code counts as "ERR".
inline constexpr std::array<std::string_view, 21> kCountedErrors = {
    "BADSCORE", "BADTIME",  "CLOSED", "ERR",       "EXECABORT", "EXISTS",    "LIMIT",
    "LOADING",  "MISCONF",  "NOAUTH", "NOBOARD",   "NOMEMBER",  "NOPERM",    "NOPROTO",
    "OOM",      "OVERFLOW", "REUSED", "UNBLOCKED", "UNKNOWN",   "WRONGPASS", "WRONGTYPE"};
static_assert(std::is_sorted(kCountedErrors.begin(), kCountedErrors.end()));
using ErrorFigures = std::array<std::uint64_t, kCountedErrors.size()>;

class CommandCounters {
 public:
  CommandCounters() = default;
  CommandCounters(const CommandCounters&) = delete;
  CommandCounters& operator=(const CommandCounters&) = delete;

  // Counting --------------------------------------------------------------------------------------

  // `ok` + `failed` requests of one command were executed in `micros` together. REQUIRES: one
  // caller at a time for each command.
  void NoteExecuted(wire::CommandId id, std::uint64_t ok, std::uint64_t failed,
                    std::int64_t micros) {
    Row& row = RowOf(id);
    const std::uint64_t count = ok + failed;
    const std::int64_t each = count <= 1 ? micros : micros / static_cast<std::int64_t>(count);
    Raise(&row.ok, ok);
    Raise(&row.total_us, static_cast<std::uint64_t>(micros));
    Raise(&row.times[base::Histogram::BucketOf(each)], count);
    if (failed > 0) row.failed.fetch_add(failed, std::memory_order_relaxed);
  }

  // The functions below may be called from any thread.

  // The server has executed a request itself, in `micros`. REQUIRES: not a command of the engine.
  void NoteAnswered(wire::CommandId id, bool ok, std::int64_t micros);
  // The server has executed `count` requests itself. Their times were not measured, because they
  // are shorter than that takes. REQUIRES: not a command of the engine.
  void NoteQuick(wire::CommandId id, std::uint64_t count) {
    RowOf(id).ok.fetch_add(count, std::memory_order_relaxed);
  }
  // The server has answered a request with an error that belongs to its execution.
  void NoteFailed(wire::CommandId id) { RowOf(id).failed.fetch_add(1, std::memory_order_relaxed); }
  void NoteRejected(wire::CommandId id) {
    RowOf(id).rejected.fetch_add(1, std::memory_order_relaxed);
  }
  // An error was sent `count` times, whatever its requests were. `line`: its text, after the '-'.
  void NoteError(std::string_view line, std::uint64_t count = 1);

  // Reading ---------------------------------------------------------------------------------------

  [[nodiscard]] CommandFigures Figures(wire::CommandId id) const;
  [[nodiscard]] ErrorFigures Errors() const;
  // The times of all requests that the engine executed. EXEC is left out, its requests are not.
  [[nodiscard]] base::Histogram EngineTimes() const;

  // CONFIG RESETSTAT: the functions below count from here on.
  void Reset() LAUREL_EXCLUDES(mutex_);
  [[nodiscard]] CommandFigures FiguresSinceReset(wire::CommandId id) const LAUREL_EXCLUDES(mutex_);
  [[nodiscard]] ErrorFigures ErrorsSinceReset() const LAUREL_EXCLUDES(mutex_);

 private:
  using Counter = std::atomic<std::uint64_t>;

  // What a fast command touches is in the first cache line: times up to 50 µs.
  struct alignas(64) Row {
    Counter ok{0};
    Counter total_us{0};
    std::array<Counter, base::Histogram::kBuckets> times{};
    Counter failed{0};
    Counter rejected{0};
  };
  // The state at the last Reset.
  struct Baseline {
    std::array<CommandFigures, wire::kCommandIds> commands;
    ErrorFigures errors{};
  };

  [[nodiscard]] Row& RowOf(wire::CommandId id) { return rows_[static_cast<std::size_t>(id)]; }
  // For counters with one writer at a time: cheaper than fetch_add.
  static void Raise(Counter* counter, std::uint64_t by) {
    counter->store(counter->load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  std::array<Row, wire::kCommandIds> rows_;
  std::array<Counter, kCountedErrors.size()> errors_{};

  mutable base::Mutex mutex_;
  std::unique_ptr<Baseline> baseline_ LAUREL_GUARDED_BY(mutex_);  // null: never reset
};

}  // namespace laurel::engine
