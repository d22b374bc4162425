// What a board is: its fields, how writes combine with what is there, how ties are broken.
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

// Which values stand ahead.
enum class Direction : std::uint8_t {
  kDesc,  // more is better
  kAsc,   // less is better
};

// How a submit changes one field of a member that is there already.
enum class Operator : std::uint8_t { kSet, kSum, kMax, kMin };

// How a submit changes the whole score of a member that is there already.
enum class Policy : std::uint8_t {
  kSet,   // replace; or, where a field has an operator other than set, each field by its own
  kBest,  // replace if the whole tuple ranks ahead: all of it or nothing
  kSum,   // add every field
};

// Who stands ahead at equal scores. Member bytes, ascending, decide what is still equal.
enum class Tie : std::uint8_t {
  kFirst,   // the earlier stamp
  kLast,    // the later stamp
  kMember,  // member bytes alone
};

// One sort value of an entry. A value is an int64 that counts the field's smallest unit: points of
// an `int` (decimals = 0), hundredths of a `decimal2`.
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

  // The window: a write counts if its own time (AT, else the clock's) lies in [start, end), and if
  // it arrives before end + grace.
  std::optional<Stamp> start;
  std::optional<Stamp> end;
  std::int64_t grace_us = 0;
  // The board goes so long after its end or, if it has none, after the last write that it accepted.
  // 0: never.
  std::int64_t expire_us = 0;
  // How many requests are remembered so that a retry changes nothing; 0: none, and ids are refused.
  std::uint64_t dedup = kDefaultDedup;

  // With periods a write goes to the present instance of each, and the board itself has no entries.
  std::vector<Period> periods;
  std::string zone = "UTC";  // of the IANA database
  int turn_minutes = 0;      // the local time at which day, week and month turn
  std::uint64_t keep = 1;    // instances before the present one that stay

  static Spec SortedSet();

  bool operator==(const Spec&) const = default;
};

// Refuses, naming the cause: no fields or more than 8, empty, overlong or repeated field names
// or blanks, colons and control characters in them,
// decimals outside 0..9, operators beside a policy other than set, a cap on anything but policy
// `set` or `best` without operators, a window that ends before it starts, a period named twice,
// zone, turn or keep without periods, and anything at all on a sorted set. Whether there is such a
// zone is for who has a calendar.
Status CheckSpec(const Spec& spec);

// What may be declared: CheckSpec, and no GRACE without END or PERIODS, where it would mean
// nothing. Specs that were declared before are not held to it.
Status CheckDeclaration(const Spec& spec);

// Whether a board of this spec may have this name: LIMIT beyond kMaxBoardNameBytes; ERR if a
// leaderboard's is empty or has an '@', which is how instances are named.
Status CheckBoardName(std::string_view name, const Spec& spec);

// What each instance of a board with periods is: the same, without window, requests and periods.
Spec InstanceSpec(const Spec& spec);

// "score:int:desc", "points:decimal2:asc:min", …: a field as LB.CREATE takes it. Omitted parts
// take their defaults.
Result<Field> ParseField(std::string_view text);

// The words of LB.CREATE for each choice, and back; ERR names the words there are.
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
