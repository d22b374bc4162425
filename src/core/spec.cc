#include "laurel/spec.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/time_text.h"
#include "core/store/spec_checks.h"
#include "laurel/limits.h"
#include "laurel/score.h"

namespace laurel {
namespace {

using base::Quote;

constexpr std::array<std::string_view, 2> kDirections = {"desc", "asc"};
constexpr std::array<std::string_view, 4> kOperators = {"set", "sum", "max", "min"};
constexpr std::array<std::string_view, 3> kPolicies = {"set", "best", "sum"};
constexpr std::array<std::string_view, 3> kTies = {"first", "last", "member"};
static_assert(kDirections.size() == static_cast<std::size_t>(Direction::kAsc) + 1);
static_assert(kOperators.size() == static_cast<std::size_t>(Operator::kMin) + 1);
static_assert(kPolicies.size() == static_cast<std::size_t>(Policy::kSum) + 1);
static_assert(kTies.size() == static_cast<std::size_t>(Tie::kMember) + 1);

std::string NameOfType(int decimals) {
  return decimals == 0 ? "int" : "decimal" + std::to_string(decimals);
}

Result<int> ParseType(std::string_view text) {
  if (base::IsWord(text, "int")) return 0;
  for (int decimals = 1; decimals <= kMaxDecimals; ++decimals) {
    if (base::IsWord(text, NameOfType(decimals))) return decimals;
  }
  return Err("unknown type " + Quote(text) + ": int, decimal1 … decimal9");
}

// The index of `text` in `names`. `what` describes the names in the error message.
template <std::size_t kCount>
Result<std::size_t> Choose(const std::array<std::string_view, kCount>& names, std::string_view text,
                           std::string_view what) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](std::string_view name) { return base::IsWord(name, text); });
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string message = "unknown " + std::string(what) + " " + Quote(text) + ": ";
  for (std::size_t i = 0; i < kCount; ++i) message += (i == 0 ? "" : ", ") + std::string(names[i]);
  return Err(std::move(message));
}

Status CheckFieldName(const Spec& spec, std::size_t index) {
  const std::string& name = spec.fields[index].name;
  if (name.empty()) return Err("a field has an empty name");
  if (name.size() > kMaxFieldNameBytes) {
    return Error{ErrorCode::kLimit, "field name " + Quote(name) + " exceeds 64 bytes"};
  }
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == ':' || byte == 0x7f) {
      return Err("field name " + Quote(name) + " has a blank, a colon or a control character");
    }
  }
  for (std::size_t i = 0; i < index; ++i) {
    if (spec.fields[i].name == name) return Err("two fields are called " + Quote(name));
  }
  return Ok{};
}

}  // namespace

namespace core {

bool HasOperators(const Spec& spec) {
  return std::any_of(spec.fields.begin(), spec.fields.end(),
                     [](const Field& field) { return field.op != Operator::kSet; });
}

std::string DescribeField(const Field& field) {
  return "field " + Quote(field.name) + " (" + TypeName(field) + ", " +
         FormatNumber(INT64_MIN, field.decimals) + " to " +
         FormatNumber(INT64_MAX, field.decimals) + ")";
}

Error WrongValueCount(const Spec& spec, std::size_t got) {
  const std::size_t count = spec.fields.size();
  std::string message = "takes " + std::to_string(count) + (count == 1 ? " value (" : " values (");
  for (std::size_t i = 0; i < count; ++i) message += (i == 0 ? "" : " ") + spec.fields[i].name;
  return Err(message + "), got " + std::to_string(got));
}

}  // namespace core

using core::HasOperators;

Spec Spec::SortedSet() {
  Spec spec;
  spec.kind = BoardKind::kSortedSet;
  spec.fields[0].direction = Direction::kAsc;
  spec.tie = Tie::kMember;
  return spec;
}

namespace {

Status CheckWindowOptions(const Spec& spec) {
  const auto in_range = [](const std::optional<Stamp>& time) {
    return !time || (*time >= 0 && *time <= base::kMaxTime);
  };
  const auto is_duration = [](std::int64_t micros) {
    return micros >= 0 && micros <= base::kMaxDurationMicros;
  };
  if (!in_range(spec.start) || !in_range(spec.end)) {
    return Err("START and END lie between 1970 and 9999");
  }
  if (!is_duration(spec.grace_us) || !is_duration(spec.expire_us)) {
    return Err("GRACE and EXPIRE are durations of up to a million days");
  }
  if (spec.start && spec.end && *spec.start >= *spec.end) {
    return Err("START must lie before END: " + base::FormatIsoTime(*spec.start) + ", " +
               base::FormatIsoTime(*spec.end));
  }
  return Ok{};
}

Status CheckPeriods(const Spec& spec) {
  if (spec.periods.empty()) {
    if (spec.zone == "UTC" && spec.turn_minutes == 0 && spec.keep == 1) return Ok{};
    return Err("TZ, TURN and KEEP go with PERIODS");
  }
  for (std::size_t i = 0; i < spec.periods.size(); ++i) {
    if (std::find(spec.periods.begin(), spec.periods.begin() + static_cast<std::ptrdiff_t>(i),
                  spec.periods[i]) != spec.periods.begin() + static_cast<std::ptrdiff_t>(i)) {
      return Err("period " + std::string(PeriodName(spec.periods[i])) + " is named twice");
    }
  }
  if (spec.turn_minutes < 0 || spec.turn_minutes >= 24 * 60) {
    return Err("TURN is a local time from 00:00 to 23:59");
  }
  if (spec.zone.empty() || spec.zone.size() > kMaxZoneNameBytes) {
    return Err("a time zone's name has 1 to 64 bytes");
  }
  if (spec.keep > kMaxKeptInstances) {
    return Error{ErrorCode::kLimit, "KEEP is at most " + std::to_string(kMaxKeptInstances)};
  }
  return Ok{};
}

}  // namespace

Status CheckSpec(const Spec& spec) {
  if (spec.kind == BoardKind::kSortedSet) {
    if (spec != Spec::SortedSet()) return Err("a sorted set takes no options");
    return Ok{};
  }
  if (spec.fields.empty()) return Err("a leaderboard has at least one field");
  if (spec.fields.size() > kMaxFields) {
    return Error{ErrorCode::kLimit,
                 "a leaderboard has at most 8 fields, got " + std::to_string(spec.fields.size())};
  }
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    if (Status status = CheckFieldName(spec, i); !status.ok()) return status;
    if (spec.fields[i].decimals < 0 || spec.fields[i].decimals > kMaxDecimals) {
      return Err("decimals must be 0 to 9");
    }
  }
  const bool operators = HasOperators(spec);
  if (operators && spec.policy != Policy::kSet) {
    return Err(
        "a policy other than set leaves no room for operators on fields: leave out POLICY, or the "
        "operators");
  }
  if (spec.cap > 0 && (operators || spec.policy == Policy::kSum)) {
    return Err(
        "a cap goes with policy set or best, without operators on fields: it would forget totals");
  }
  if (spec.dedup > kMaxDedup) {
    return Error{ErrorCode::kLimit, "DEDUP is at most " + std::to_string(kMaxDedup) + " requests"};
  }
  if (const Status status = CheckPeriods(spec); !status.ok()) return status;
  return CheckWindowOptions(spec);
}

Status CheckDeclaration(const Spec& spec) {
  if (Status status = CheckSpec(spec); !status.ok()) return status;
  if (spec.grace_us > 0 && !spec.end && spec.periods.empty()) {
    return Err("GRACE goes with END or PERIODS");
  }
  return Ok{};
}

Status CheckBoardName(std::string_view name, const Spec& spec) {
  if (name.size() > kMaxBoardNameBytes) {
    return Error{ErrorCode::kLimit, "board name " + Quote(name) + " exceeds 512 bytes"};
  }
  if (spec.kind == BoardKind::kSortedSet) return Ok{};
  if (name.empty()) return Error{ErrorCode::kErr, "a board needs a name"};
  // `board@day` is the name of an instance of a leaderboard with periods.
  if (name.find('@') != std::string_view::npos) {
    return Error{ErrorCode::kErr, "a leaderboard's name has no '@': " + Quote(name)};
  }
  return Ok{};
}

Spec InstanceSpec(const Spec& spec) {
  Spec instance;
  instance.kind = spec.kind;
  instance.fields = spec.fields;
  instance.policy = spec.policy;
  instance.tie = spec.tie;
  instance.cap = spec.cap;
  return instance;
}

Result<Field> ParseField(std::string_view text) {
  std::array<std::string_view, 4> parts;
  std::size_t count = 0;
  for (std::string_view rest = text;; ++count) {
    if (count == parts.size()) {
      return Err("field " + Quote(text) + " has too many parts: name:type:direction:operator");
    }
    const std::size_t colon = rest.find(':');
    parts[count] = rest.substr(0, colon);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  Field field;
  field.name = parts[0];
  if (count >= 1) {
    const Result<int> decimals = ParseType(parts[1]);
    if (!decimals.ok()) return decimals.error();
    field.decimals = *decimals;
  }
  if (count >= 2) {
    const Result<std::size_t> chosen = Choose(kDirections, parts[2], "direction");
    if (!chosen.ok()) return chosen.error();
    field.direction = static_cast<Direction>(*chosen);
  }
  if (count >= 3) {
    const Result<std::size_t> chosen = Choose(kOperators, parts[3], "operator");
    if (!chosen.ok()) return chosen.error();
    field.op = static_cast<Operator>(*chosen);
  }
  return field;
}

std::string TypeName(const Field& field) { return NameOfType(field.decimals); }

std::string_view DirectionName(Direction direction) {
  return kDirections[static_cast<std::size_t>(direction)];
}

std::string_view OperatorName(Operator op) { return kOperators[static_cast<std::size_t>(op)]; }

std::string_view PolicyName(Policy policy) { return kPolicies[static_cast<std::size_t>(policy)]; }

std::string_view TieName(Tie tie) { return kTies[static_cast<std::size_t>(tie)]; }

Result<Policy> ParsePolicy(std::string_view text) {
  const Result<std::size_t> chosen = Choose(kPolicies, text, "policy");
  if (!chosen.ok()) return chosen.error();
  return static_cast<Policy>(*chosen);
}

Result<Tie> ParseTie(std::string_view text) {
  const Result<std::size_t> chosen = Choose(kTies, text, "tie");
  if (!chosen.ok()) return chosen.error();
  return static_cast<Tie>(*chosen);
}

std::string DescribeSpec(const Spec& spec) {
  if (spec.kind == BoardKind::kSortedSet) return "sorted set";
  std::string text = "FIELDS " + std::to_string(spec.fields.size());
  for (const Field& field : spec.fields) {
    text += " " + field.name + ":" + TypeName(field) + ":";
    text += DirectionName(field.direction);
    if (field.op != Operator::kSet) {
      text += ":";
      text += OperatorName(field.op);
    }
  }
  if (!HasOperators(spec)) {
    text += " POLICY ";
    text += PolicyName(spec.policy);
  }
  text += " TIE ";
  text += TieName(spec.tie);
  if (spec.cap > 0) text += " CAP " + std::to_string(spec.cap);
  if (spec.start) text += " START " + base::FormatIsoTime(*spec.start);
  if (spec.end) text += " END " + base::FormatIsoTime(*spec.end);
  if (spec.grace_us > 0) text += " GRACE " + base::FormatDuration(spec.grace_us);
  if (spec.expire_us > 0) text += " EXPIRE " + base::FormatDuration(spec.expire_us);
  if (spec.dedup != kDefaultDedup) text += " DEDUP " + std::to_string(spec.dedup);
  if (spec.periods.empty()) return text;
  text += " PERIODS " + std::to_string(spec.periods.size());
  for (const Period period : spec.periods) {
    text += " ";
    text += PeriodName(period);
  }
  text += " TZ " + spec.zone;
  if (spec.turn_minutes != 0) text += " TURN " + FormatTurn(spec.turn_minutes);
  if (spec.keep != 1) text += " KEEP " + std::to_string(spec.keep);
  return text;
}

}  // namespace laurel
