// The operations of a leaderboard: one plain struct each, in the variants ReadOperation and
// WriteOperation.
//
// An operation holds views of the caller's bytes and owns nothing. It does not name the board,
// which the host has found already. On a board with periods an InstanceSelector selects the
// instance. Scores are either text, as sent by a client, or already scaled to the board's fields,
// as in the C++ library. The leaderboard parses the text, because it has the spec.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "laurel/entry.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"

namespace laurel::leaderboard {

// Selects one instance of a board with periods: the present one, the n-th before it, or the one
// with a label. As text: "day", "day:-1", "day:2026-11-15".
struct InstanceSelector {
  enum class Which : std::uint8_t { kPresent, kBefore, kLabel, kNone };

  Period period = Period::kAll;
  Which which = Which::kNone;  // kNone: the text names no period
  std::uint64_t back = 0;      // kBefore: how many instances before the present one
  std::string_view label{};    // kLabel
  std::string_view text{};     // the original text, for messages
};

// Never fails: text that names no period gives Which::kNone, and the operation answers NOBOARD.
InstanceSelector ParseSelector(std::string_view text);
// How long finding the instance takes, in entries that a read could return in that time: the
// calendar is asked for instances other than the present one, and for the oldest that KEEP covers.
std::uint64_t StepsOf(const InstanceSelector& selector, const Spec& spec);

// The values of one score. Exactly one of the two members is set.
struct Values {
  std::span<const std::string_view> texts{};
  const Score* score = nullptr;
};

// Writes ------------------------------------------------------------------------------------------

struct Submit {
  WriteMode mode = WriteMode::kSubmit;
  std::string_view member{};
  Values values{};
  Write::If condition = Write::If::kAlways;
  Write::Only only = Write::Only::kAnyValue;
  std::optional<Stamp> at{};
  std::optional<std::string_view> id{};
  std::optional<std::string_view> meta{};
  bool ranks = true;  // whether the verdict shows ranks; finding them is a third of the work
};

// Several writes, all or nothing. Exactly one of the two lists is set.
struct SubmitMany {
  std::span<const std::string_view> texts{};  // (member, one text per field) for each write
  std::span<const Write> writes{};            // scaled; with periods, all of the same `at`
  std::optional<Stamp> at{};                  // of all writes that come as words
  std::optional<std::string_view> id{};
  // A hash of the writes that the same request makes on other boards; part of its identity.
  std::uint64_t other_boards_hash = 0;
  bool ranks = true;
};

// Stores the entries of another board as they are: a chunk (load.h) of entries and of the instances
// that they are in, all or nothing. Cap, marks and KEEP are this board's; its window does not
// count.
struct Restore {
  std::string_view chunk{};
  bool with_meta = false;  // an entry's meta becomes the chunk's, which may be empty
};

struct SetMeta {
  std::string_view member{};
  std::string_view meta{};  // empty: removes the member's meta
  std::optional<InstanceSelector> instance{};
};

struct Remove {
  std::span<const std::string_view> members{};
  std::optional<InstanceSelector> instance{};
};

// Removes the entries at [first, first + count) in board order.
struct RemoveRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::optional<InstanceSelector> instance{};
};

struct Hide {
  std::span<const std::string_view> members{};
};

struct Show {
  std::span<const std::string_view> members{};
};

struct Pop {
  std::uint64_t count = 0;
  bool worst = false;
  bool with_meta = false;
  std::optional<InstanceSelector> instance{};
};

struct Trim {
  std::uint64_t kept = 0;  // the best entries that stay
  std::optional<InstanceSelector> instance{};
};

struct Clear {
  std::optional<InstanceSelector> instance{};
};

struct Alter {
  const Spec* spec = nullptr;  // the whole new spec: the present one with the changes made
};

// Reads -------------------------------------------------------------------------------------------

struct ReadOptions {
  RankKind kind = RankKind::kOrdinal;
  bool with_meta = false;
  std::optional<InstanceSelector> instance{};
};

struct Get {
  std::string_view member{};
  ReadOptions options{};
};

struct Top {
  std::uint64_t count = 0;
  ReadOptions options{};
};

// The entries from rank `first` to rank `last`, both inclusive; negative ranks count from the end.
struct Range {
  std::int64_t first = 1;
  std::int64_t last = -1;
  ReadOptions options{};
};

struct Around {
  std::string_view member{};
  std::uint64_t radius = 0;
  ReadOptions options{};
};

struct Among {
  std::span<const std::string_view> members{};
  ReadOptions options{};
};

struct RankOf {
  Values values{};
  ReadOptions options{};
};

// The bounds of LB.COUNT and LB.BETWEEN.
struct ScoreBounds {
  ScoreBound min;
  ScoreBound max;
};

// Bounds on field 1 as text: "10", "(10", "-inf".
struct Bounds {
  std::string_view min = "-inf";
  std::string_view max = "+inf";
  const ScoreBounds* read = nullptr;  // if set, the texts are read already
};
// Reads the text of one bound. `what` names it in the error, which is ERR.
Result<ScoreBound> ReadBound(const Spec& spec, std::string_view what, std::string_view text,
                             BoundSide side);

struct Count {
  Bounds bounds{};
  ReadOptions options{};
};

struct Between {
  Bounds bounds{};
  std::uint64_t offset = 0;
  std::uint64_t limit = UINT64_MAX;
  ReadOptions options{};
};

struct Size {
  ReadOptions options{};
};

struct PercentileOf {
  std::string_view member{};
  ReadOptions options{};
};

struct Quantile {
  std::int64_t percent = 0;  // with nine decimals: 50 % is 50'000'000'000
  ReadOptions options{};
};

struct Histogram {
  std::uint64_t buckets = 1;
  ReadOptions options{};
};

struct Describe {
  std::optional<InstanceSelector> instance{};
};

struct ListPeriods {};

using ReadOperation = std::variant<Get, Top, Range, Around, Among, RankOf, Count, Between, Size,
                                   PercentileOf, Quantile, Histogram, Describe, ListPeriods>;
// The instance that the read names; none if it names none.
const std::optional<InstanceSelector>& SelectorOf(const ReadOperation& operation);
using WriteOperation = std::variant<Submit, SubmitMany, Restore, SetMeta, Remove, RemoveRange, Hide,
                                    Show, Pop, Trim, Clear, Alter>;
using Operation = std::variant<ReadOperation, WriteOperation>;

// The number of stamps that the host must take for the operation: one per entry that the operation
// may stamp.
std::uint64_t StampsFor(const WriteOperation& operation, const Spec& spec);

}  // namespace laurel::leaderboard
