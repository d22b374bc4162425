// Spec, the declaration of a board: its fields, how writes combine with existing scores, how ties
// are broken, its cap, window and periods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/limits.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel {

enum class BoardKind : std::uint8_t {
  kLeaderboard,  // declared; exact numbers, stamps, policies
  kSortedSet,    // as in Redis: one double, ascending, ties by member bytes, no stamps
};

// The values of a field that rank ahead.
enum class Direction : std::uint8_t {
  kDesc,  // more is better
  kAsc,   // less is better
};

// How a submit changes one field of an existing entry.
enum class Operator : std::uint8_t { kSet, kSum, kMax, kMin };

// How a submit changes the whole score of an existing entry.
enum class Policy : std::uint8_t {
  kSet,   // apply each field's operator; by default that replaces the score
  kBest,  // replace the whole tuple if it ranks ahead, otherwise keep the old one
  kSum,   // add every field
};

// The entry that ranks ahead at equal scores. Entries that are still equal are ordered by member
// bytes, ascending.
enum class Tie : std::uint8_t {
  kFirst,   // the earlier stamp
  kLast,    // the later stamp
  kMember,  // only the member bytes
};

// One sort value of an entry. A value is an int64 in the field's smallest unit: ones for an `int`
// (decimals = 0), hundredths for a `decimal2`.
struct Field {
  std::string name = "score";
  int decimals = 0;
  Direction direction = Direction::kDesc;
  Operator op = Operator::kSet;

  bool operator==(const Field&) const = default;
};

struct Spec {
  BoardKind kind = BoardKind::kLeaderboard;
  std::vector<Field> fields = {Field{}};
  Policy policy = Policy::kSet;
  Tie tie = Tie::kFirst;
  std::uint64_t cap = 0;  // most visible entries, 0 for no cap

  // The window: a write is accepted if its time (AT if given, else the clock) lies in [start, end)
  // and it arrives before end + grace.
  std::optional<Stamp> start;
  std::optional<Stamp> end;
  std::int64_t grace_us = 0;
  // The board is dropped this long after its end or, without an end, after its last accepted write.
  // 0: never.
  std::int64_t expire_us = 0;
  // The number of request ids that the board remembers to recognize retries. 0: none, and ids are
  // refused.
  std::uint64_t dedup = kDefaultDedup;

  // With periods a write goes to one instance of each period, and the board itself has no entries.
  std::vector<Period> periods;
  std::string zone = "UTC";  // of the IANA database
  int turn_minutes = 0;      // the turn: local time at which day, week and month begin
  std::uint64_t keep = 1;    // instances before the current one that stay readable

  static Spec SortedSet();

  bool operator==(const Spec&) const = default;
};

// Checks a spec. ERR or, where a limit is exceeded, LIMIT, with the cause, for:
//   - no fields or more than 8; decimals outside 0..9
//   - field names that are empty, too long, repeated, or hold blanks, colons or control characters
//   - operators together with a policy other than `set`
//   - a cap with policy `sum` or with operators
//   - start or end outside 1970 to 9999, a window that does not start before its end, or a grace or
//     expire outside 0 to a million days
//   - dedup or keep above its limit
//   - a period named twice, a turn outside 0..1439, or a zone name that is empty or too long
//   - zone, turn or keep without periods
//   - any option on a sorted set
// Does not check whether the zone exists: that takes a calendar (Calendars::Of).
Status CheckSpec(const Spec& spec);

// Checks a new declaration: CheckSpec, and ERR for a GRACE without END or PERIODS, which would have
// no effect. Stored specs may have one.
Status CheckDeclaration(const Spec& spec);

// Checks whether a board of this spec may have this name. LIMIT beyond kMaxBoardNameBytes; ERR if
// the name of a leaderboard is empty or holds an '@', which the names of instances use.
Status CheckBoardName(std::string_view name, const Spec& spec);

// The spec of each instance of a board with periods: kind, fields, policy, tie and cap of the
// board, defaults for the rest.
Spec InstanceSpec(const Spec& spec);

// Parses a field in the syntax of LB.CREATE: "score:int:desc", "points:decimal2:asc:min", … Parts
// omitted at the end take their defaults.
Result<Field> ParseField(std::string_view text);

// The words of LB.CREATE for each choice, and back (case-insensitive); ERR lists the valid words.
std::string TypeName(const Field& field);  // "int", "decimal2"
std::string_view DirectionName(Direction direction);
std::string_view OperatorName(Operator op);
std::string_view PolicyName(Policy policy);
std::string_view TieName(Tie tie);
Result<Policy> ParsePolicy(std::string_view text);
Result<Tie> ParseTie(std::string_view text);

// The spec as the arguments of LB.CREATE: "FIELDS 1 score:int:desc POLICY set TIE first".
std::string DescribeSpec(const Spec& spec);

}  // namespace laurel
