// The arguments of writes and the results of reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/limits.h"
#include "laurel/period.h"
#include "laurel/score.h"

namespace laurel {

// The number that a read shows as rank. It does not affect which entries the read returns.
enum class RankKind : std::uint8_t {
  kOrdinal,      // 1234: the position in the order
  kCompetition,  // 1224: 1 + entries with a better score
  kDense,        // 1223: 1 + distinct better scores
};

struct Entry {
  std::optional<std::uint64_t> rank;  // 1-based, best first; none for a hidden member
  std::string member;
  Score score;
  Stamp stamp = 0;  // 0 on a sorted set
  std::string meta;

  bool operator==(const Entry&) const = default;
};

// One line of the result of Ranking::Among: a requested member and its entry.
struct AmongEntry {
  std::string member;
  std::optional<std::uint64_t> place;  // 1-based rank within the list; none if absent or hidden
  std::optional<Entry> entry;          // none if absent

  bool operator==(const AmongEntry&) const = default;
};

enum class WriteMode : std::uint8_t {
  kSubmit,     // by policy or operators
  kSet,        // replace, regardless of the policy
  kIncrement,  // add, regardless of the policy; a new member starts from 0
  kRestore,  // the entry gets exactly the written score, AT and, if given, meta, even if the score
             // stays the same. The window does not apply. Needs AT
  kFold,  // one of several rows of a member, in any order of their times: the entry gets the result
          // of the policy or the operators over all rows in the order of their times. The window
          // does not apply. Needs AT
};

enum class WriteStatus : std::uint8_t {
  kAccepted,   // the entry changed
  kUnchanged,  // score and stamp stay as they were
  kNotBest,    // policy `best`, and the old score ranks ahead
  kNotRanked,  // the cap keeps the member out; see Verdict::needs
  kSkipped,    // the condition NX, XX, GT or LT does not hold
};

std::string_view StatusName(WriteStatus status);  // "accepted", "not-best", …

// One write of one member.
struct Write {
  enum class If : std::uint8_t { kAlways, kAbsent, kPresent };    // NX, XX
  enum class Only : std::uint8_t { kAnyValue, kGreater, kLess };  // GT, LT: compares field 1

  std::string_view member;
  Score score;
  WriteMode mode = WriteMode::kSubmit;
  If condition = If::kAlways;
  Only only = Only::kAnyValue;
  std::optional<Stamp> at{};               // event time (AT); none: the stamp of the Moment
  std::optional<std::string_view> meta{};  // stored if the write changes the score
};

// The time of a call that writes. The caller takes one stamp per write from a StampClock; the
// writes use them in the order given.
struct Moment {
  Stamp now = 0;    // the caller's clock
  Stamp stamp = 0;  // the first of the stamps taken for the call (StampClock::Take)
};

// The result of a write on a board without periods or on one instance.
struct Verdict {
  WriteStatus status = WriteStatus::kAccepted;
  std::optional<std::uint64_t> rank;           // ordinal, after the whole call
  std::optional<std::uint64_t> previous_rank;  // ordinal, before the whole call
  std::optional<Score> score;                  // after the write
  std::optional<Score> previous_score;         // before the write
  std::optional<Stamp> stamp;                  // of the entry after the write
  std::optional<Score> needs;  // kNotRanked: the least score with which this write would enter
  bool hidden = false;

  bool operator==(const Verdict&) const = default;
};

struct PeriodVerdict {
  Period period = Period::kAll;
  Verdict verdict;

  bool operator==(const PeriodVerdict&) const = default;
};

// The result of a write on a board. On a board with periods the base is the verdict of the first
// period.
struct WriteVerdict : Verdict {
  std::vector<PeriodVerdict> periods;  // of all periods, in the order of Spec::periods
  bool duplicate = false;              // a retry: this is the first verdict of the id

  bool operator==(const WriteVerdict&) const = default;
};

struct WriteOptions {
  // Makes the call exactly-once: a retry with the same id changes nothing and gets the first
  // verdict again. A board remembers its last Spec::dedup ids, for at most 24 hours. 1 to 128
  // bytes.
  std::optional<std::string_view> id{};
  bool ranks = true;  // whether verdicts hold ranks; finding them is a third of the work
};

// One instance of a board with periods, as Board::Periods lists it.
struct PeriodInfo {
  Instance instance;
  bool present = false;    // the current instance: writes without AT go to it
  bool closed = false;     // it takes no more writes
  std::uint64_t size = 0;  // visible entries

  bool operator==(const PeriodInfo&) const = default;
};

struct BoardInfo {
  std::string name;
  Spec spec;
  std::uint64_t size = 0;    // visible entries; with periods those of Board::Present
  std::uint64_t hidden = 0;  // hidden members, with or without an entry
  std::uint64_t ids = 0;     // remembered request ids
  std::size_t bytes = 0;     // all instances included
};

struct Percentile {
  std::uint64_t ten_thousandths = 0;  // 1,000,000 is 100 %: 100 × worse / (count − 1), rounded down
  std::uint64_t worse = 0;            // visible entries with a strictly worse score
  std::uint64_t equal = 0;            // other visible entries with the same score
  std::uint64_t count = 0;            // visible entries

  bool operator==(const Percentile&) const = default;
};

// The number of entries whose field 1 lies in [from, to), in the field's smallest unit. 128 bits,
// because the buckets of a board whose scores span all of int64 reach beyond int64.
struct HistogramBucket {
  Int128 from = 0;
  Int128 to = 0;
  std::uint64_t count = 0;

  bool operator==(const HistogramBucket&) const = default;
};

// One end of a lexicographic range over a sorted set whose scores are all equal.
struct LexBound {
  enum class Reach : std::uint8_t { kInclusive, kExclusive, kLowest, kHighest };
  Reach reach = Reach::kInclusive;
  std::string member;
};

// One step of a cursor scan. Every entry that is on the board during the whole scan is returned
// exactly once, whatever is written meanwhile.
struct ScanPage {
  std::uint64_t cursor = 0;  // for the next step; 0 when the scan is complete
  std::vector<Entry> entries;
};

}  // namespace laurel
