// What an operation is answered: a visitor that the execution speaks to.
//
// Entries come one by one, straight out of the leaves, and refer to memory of the board: they are
// valid during the call. An execution speaks exactly one of the answers below; an answer that
// announces several parts (entries, lines) is followed by exactly as many calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "laurel/entry.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::leaderboard {

// "lb@day:2026-11-15": how an instance of the board is called.
std::string InstanceName(std::string_view board, const Instance& span);

// One entry of a page. `score` is null for a member of an `among` that has no entry.
struct EntryLine {
  std::optional<std::uint64_t> rank{};
  std::string_view member{};
  const Score* score = nullptr;
  Stamp stamp = 0;
  std::string_view meta{};
};

// How entries are shown.
struct EntryShape {
  const Spec* spec = nullptr;
  bool with_meta = false;
  bool with_place = false;             // of an `among`
  std::optional<std::uint64_t> count;  // of a `get`: the board's visible entries, shown beside it
};

struct Description {
  const Spec* spec = nullptr;        // what is described: the board, or one instance of it
  const Spec* declared = nullptr;    // the board
  std::optional<Instance> instance;  // none: the board itself
  std::uint64_t ids = 0;             // remembered requests
  std::uint64_t size = 0;            // visible entries; of a board with periods, of the first one's
  std::uint64_t hidden = 0;          // marked members
  std::size_t bytes = 0;
};

// One line of LB.PERIODS.
struct PeriodLine {
  Instance span;
  bool present = false;
  std::uint64_t size = 0;
  bool closed = false;
  std::string_view close_note{};  // what the host kept with the close
};

// The verdicts of a write: for each member one per period, the first period's first.
struct VerdictList {
  const Spec* spec = nullptr;
  std::span<const Verdict> verdicts;
  bool single = true;      // of a Submit; of a SubmitMany the verdicts are a list
  bool duplicate = false;  // this is a retry, and these are the first verdicts
  [[nodiscard]] std::size_t boards() const {
    return spec->periods.empty() ? 1 : spec->periods.size();
  }
};

// What is not there.
enum class Missing : std::uint8_t { kEntry, kEntries, kRank, kScore, kPercentile };

class Answer {
 public:
  virtual ~Answer() = default;

  virtual void Refused(const Error& error) = 0;
  virtual void Done() = 0;
  virtual void Absent(Missing what) = 0;
  virtual void Number(std::uint64_t number) = 0;  // a count or a rank
  virtual void Verdicts(const VerdictList& list) = 0;

  // The most bytes that the answer may have, and what an entry takes of them at the most besides
  // its member and meta. Asked before the first entry: an answer that has begun is not taken back.
  [[nodiscard]] virtual std::size_t MostBytes() const { return SIZE_MAX; }
  [[nodiscard]] virtual std::size_t EntryBytes(const EntryShape& /*shape*/) const { return 0; }

  // One entry by itself (`get`), and a list of them.
  virtual void OneEntry(const EntryShape& shape, const EntryLine& entry) = 0;
  virtual void BeginEntries(const EntryShape& shape, std::uint64_t count) = 0;
  virtual void NextEntry(const EntryShape& shape, const EntryLine& entry,
                         std::optional<std::uint64_t> place) = 0;

  virtual void ShowPercentile(const Percentile& percentile) = 0;
  virtual void ShowScore(const Spec& spec, const Score& score) = 0;
  virtual void ShowHistogram(const Spec& spec, std::span<const HistogramBucket> buckets) = 0;
  virtual void ShowDescription(const Description& description) = 0;
  virtual void ShowPeriods(std::span<const PeriodLine> lines) = 0;
};

}  // namespace laurel::leaderboard
