// What reads and writes answer.
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

// Which number a read shows as rank; never which entries it holds.
enum class RankKind : std::uint8_t {
  kOrdinal,      // 1234: the place in the order
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

// One line of an `among` read: the entry of a member that was asked for.
struct AmongEntry {
  std::string member;
  std::optional<std::uint64_t> place;  // 1-based place in the list; none if absent or hidden
  std::optional<Entry> entry;          // none if absent

  bool operator==(const AmongEntry&) const = default;
};

enum class WriteMode : std::uint8_t {
  kSubmit,     // by policy or operators
  kSet,        // replace, whatever the policy
  kIncrement,  // add, whatever the policy; a new member starts from 0
};

enum class WriteStatus : std::uint8_t {
  kAccepted,   // the entry changed
  kUnchanged,  // the score is what it was; so is the stamp
  kNotBest,    // policy `best`, and the old score ranks ahead
  kNotRanked,  // kept out by the cap; see Verdict::needs
  kSkipped,    // NX, XX, GT or LT said no
};

std::string_view StatusName(WriteStatus status);  // "accepted", "not-best", …

// One write of one member.
struct Write {
  enum class If : std::uint8_t { kAlways, kAbsent, kPresent };    // NX, XX
  enum class Only : std::uint8_t { kAnyValue, kGreater, kLess };  // GT, LT, by field 1's number

  std::string_view member;
  Score score;
  WriteMode mode = WriteMode::kSubmit;
  If condition = If::kAlways;
  Only only = Only::kAnyValue;
  std::optional<Stamp> at{};               // event time; the write's own stamp otherwise
  std::optional<std::string_view> meta{};  // stored if the write changes the score
};

// When a command happens: the caller's clock and the first of the stamps the caller has taken for
// it, one per write in the order given (StampClock::Take).
struct Moment {
  Stamp now = 0;
  Stamp stamp = 0;
};

// What became of a write in one order of entries: a board's, or an instance's.
struct Verdict {
  WriteStatus status = WriteStatus::kAccepted;
  std::optional<std::uint64_t> rank;           // after the whole command
  std::optional<std::uint64_t> previous_rank;  // before the whole command
  std::optional<Score> score;
  std::optional<Score> previous_score;
  std::optional<Stamp> stamp;
  std::optional<Score> needs;  // not-ranked: the least score with which this write would enter
  bool hidden = false;

  bool operator==(const Verdict&) const = default;
};

struct PeriodVerdict {
  Period period = Period::kAll;
  Verdict verdict;

  bool operator==(const PeriodVerdict&) const = default;
};

// What became of a write on a board. Of a board with periods it is the verdict of the first one.
struct WriteVerdict : Verdict {
  std::vector<PeriodVerdict> periods;  // of all periods, in the order of Spec::periods
  bool duplicate = false;  // the id was carried out before, and this is what it was answered then

  bool operator==(const WriteVerdict&) const = default;
};

struct WriteOptions {
  // Makes the call exactly-once: a retry with the same id changes nothing and is answered the same.
  // A board remembers its last Spec::dedup ids, for at most 24 hours. 1 to 128 bytes.
  std::optional<std::string_view> id{};
  bool ranks = true;  // whether verdicts have ranks; finding them is a third of the work
};

// One instance of a board with periods, as Board::Periods lists it.
struct PeriodInfo {
  Instance instance;
  bool present = false;    // the one that writes without AT go to
  bool closed = false;     // takes no more writes
  std::uint64_t size = 0;  // visible entries

  bool operator==(const PeriodInfo&) const = default;
};

struct BoardInfo {
  std::string name;
  Spec spec;
  std::uint64_t size = 0;    // visible entries; with periods, of the first one's present instance
  std::uint64_t hidden = 0;  // hidden members, present or not
  std::uint64_t ids = 0;     // remembered requests
  std::size_t bytes = 0;     // all instances included
};

struct Percentile {
  std::uint64_t ten_thousandths = 0;  // 1,000,000 is 100 %: 100 × worse / (count − 1), rounded down
  std::uint64_t worse = 0;            // visible entries with a strictly worse score
  std::uint64_t equal = 0;            // others with the same score
  std::uint64_t count = 0;            // visible entries

  bool operator==(const Percentile&) const = default;
};

// The values [from, to) of field 1, in its smallest unit. 128 bits: the buckets of a board that
// spans all of int64 reach beyond it.
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

// A step of a cursor scan. Every entry that is on the board throughout the scan is returned exactly
// once, whatever is written meanwhile.
struct ScanPage {
  std::uint64_t cursor = 0;  // where to go on; 0 when the scan is complete
  std::vector<Entry> entries;
};

}  // namespace laurel
