// The answer to an operation, as a visitor: the leaderboard calls it while it executes the
// operation.
//
// Each operation makes exactly one of the calls below; for a list of entries these are BeginEntries
// and exactly `count` calls of NextEntry. Entries are passed one by one, directly from the board's
// leaves. All views and pointers are valid during the call only.
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

// The name of an instance of the board: "lb@day:2026-11-15".
std::string InstanceName(std::string_view board, const Instance& span);

// One entry of a list. `score` is null for a member of an Among that has no entry.
struct EntryLine {
  std::optional<std::uint64_t> rank{};
  std::string_view member{};
  const Score* score = nullptr;
  Stamp stamp = 0;
  std::string_view meta{};
};

// What is shown of entries.
struct EntryShape {
  const Spec* spec = nullptr;
  bool with_meta = false;
  bool with_place = false;             // of an Among: the place in the list
  std::optional<std::uint64_t> count;  // of a Get: the board's visible entries
};

struct Description {
  const Spec* spec = nullptr;        // of what is described: the board or one of its instances
  const Spec* declared = nullptr;    // the board's own
  std::optional<Instance> instance;  // none: the board itself
  std::uint64_t ids = 0;             // remembered requests
  std::uint64_t size = 0;    // visible entries; with periods: of the first one's present instance
  std::uint64_t hidden = 0;  // hidden members, with or without entries
  std::size_t bytes = 0;
  std::uint64_t feed = 0;  // events that the host keeps in the board; 0 is not shown
};

// One line of LB.PERIODS.
struct PeriodLine {
  Instance span;
  bool present = false;
  std::uint64_t size = 0;
  bool closed = false;
  std::string_view close_note{};  // what the host passed when the instance was closed
};

// The verdicts of a write: for each member one per period, in the order of Spec::periods.
struct VerdictList {
  const Spec* spec = nullptr;
  std::span<const Verdict> verdicts;
  bool single = true;      // a Submit; false: a SubmitMany, whose verdicts are shown as a list
  bool duplicate = false;  // the write is a retry; these are the verdicts of the first attempt
  [[nodiscard]] std::size_t boards() const {
    return spec->periods.empty() ? 1 : spec->periods.size();
  }
};

// What was asked for and is absent.
enum class Missing : std::uint8_t { kEntry, kEntries, kRank, kScore, kPercentile };

// What a read of entries is about to read.
struct Scope {
  const Instance* span = nullptr;  // the instance; null: the board has no periods
  std::uint32_t instance = 0;      // its number; 0: the board itself, or one not created yet
  // How often the instance's entries have changed: equal counts, equal entries. None where
  // `instance` is 0.
  std::optional<std::uint64_t> changes{};
  std::uint64_t size = 0;  // visible entries
};

// What an answer asks of the host while it is written.
class AnswerHost {
 public:
  virtual ~AnswerHost() = default;
  // See Answer::Admit.
  [[nodiscard]] virtual Status Admit(std::uint64_t returned) = 0;
  // The cursor of a close in the host's change feed, computed from line.close_note; none is shown
  // as nil.
  [[nodiscard]] virtual std::optional<std::string> CloseCursor(const PeriodLine& line) = 0;
};

class Answer {
 public:
  virtual ~Answer() = default;

  // Called before anything is read, by all reads but descriptions and lists of periods. Returns
  // false if the caller has what would be read: then no other call follows.
  [[nodiscard]] virtual bool Wants(const Scope& /*scope*/) { return true; }

  virtual void Refused(const Error& error) = 0;
  virtual void Done() = 0;
  virtual void Absent(Missing what) = 0;
  virtual void Number(std::uint64_t number) = 0;  // a count or a rank
  virtual void Verdicts(const VerdictList& list) = 0;

  // The maximum size of the answer, and the maximum size of one entry without its member and meta.
  // The leaderboard checks the size of a list before BeginEntries, because an answer that has begun
  // cannot be withdrawn.
  [[nodiscard]] virtual std::size_t MaxBytes() const { return SIZE_MAX; }
  [[nodiscard]] virtual std::size_t EntryBytes(const EntryShape& /*shape*/) const { return 0; }

  // Returns an error if the host refuses a read that returns that many entries, buckets, members
  // asked for or instances. Called before BeginEntries, ShowHistogram, ShowPeriods and
  // ShowDescription.
  [[nodiscard]] virtual Status Admit(std::uint64_t /*returned*/) { return Ok{}; }

  // A single entry (Get), and a list of entries.
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
