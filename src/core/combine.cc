#include "core/combine.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/text.h"
#include "core/store/spec_checks.h"

namespace laurel {

std::string_view StatusName(WriteStatus status) {
  switch (status) {
    case WriteStatus::kAccepted:
      return "accepted";
    case WriteStatus::kUnchanged:
      return "unchanged";
    case WriteStatus::kNotBest:
      return "not-best";
    case WriteStatus::kNotRanked:
      return "not-ranked";
    case WriteStatus::kSkipped:
      return "skipped";
  }
  return "";
}

}  // namespace laurel

namespace laurel::core {
namespace {

// The operator that the write applies to the field.
Operator OperatorFor(const BoardType& type, const Write& write, unsigned field) {
  switch (write.mode) {
    case WriteMode::kSet:
    case WriteMode::kRestore:
      return Operator::kSet;
    case WriteMode::kIncrement:
      return Operator::kSum;
    case WriteMode::kSubmit:
    case WriteMode::kFold:
      break;
  }
  return type.spec.policy == Policy::kSum ? Operator::kSum : type.spec.fields[field].op;
}

// Whether the new score builds on the old one. If so, AT cannot move the stamp before the old
// stamp.
bool BuildsOnOld(const BoardType& type, const Write& write) {
  const bool by_policy = write.mode == WriteMode::kSubmit || write.mode == WriteMode::kFold;
  return write.mode == WriteMode::kIncrement ||
         (by_policy && (type.spec.policy == Policy::kSum || type.has_operators));
}

// Whether the write is a row of an earlier time than the entry.
bool IsEarlierRow(const KeyLayout& layout, const Present& before, const Write& write) {
  return write.mode == WriteMode::kFold && before.exists &&
         *write.at < layout.StampOf(before.words);
}

// The outcome of a write of mode kRestore, whose score has the words `given`.
Combined Restored(const KeyLayout& layout, const Present& before, const Write& write,
                  const Words& given) {
  Combined outcome{WriteStatus::kAccepted, true, true, given, write.meta.value_or(before.meta)};
  outcome.words[layout.fields()] = layout.StampWord(*write.at);
  outcome.changed = !before.exists || !layout.SameScore(given, before.words) ||
                    layout.StampOf(before.words) != *write.at || outcome.meta != before.meta;
  if (!outcome.changed) outcome.status = WriteStatus::kUnchanged;
  return outcome;
}

// The outcome of a write of mode kFold on an entry that exists. `combined`: the words of the score
// that the row gives or, where it builds on the old score, of both.
Combined Folded(const BoardType& type, const Present& before, const Write& write,
                const Words& combined) {
  const KeyLayout& layout = *type.layout;
  if (BuildsOnOld(type, write)) {
    Write later = write;
    later.at = std::max(*write.at, layout.StampOf(before.words));
    return Restored(layout, before, later, combined);
  }
  const bool is_earlier = IsEarlierRow(layout, before, write);
  bool replaces = !is_earlier;
  if (type.spec.policy == Policy::kBest) {
    replaces = layout.SameScore(combined, before.words)
                   ? is_earlier
                   : layout.BetterScore(combined, before.words);
  }
  if (replaces) return Restored(layout, before, write, combined);
  return {WriteStatus::kSkipped, true, false, before.words, before.meta};
}

enum class Fault : std::uint8_t { kNone, kOverflow, kNotANumber };

Fault CombineDouble(double old, double given, Operator op, double* value) {
  *value = op == Operator::kSum ? old + given : given;
  return std::isnan(*value) ? Fault::kNotANumber : Fault::kNone;
}

Fault CombineInteger(std::int64_t old, std::int64_t given, Operator op, std::int64_t* value) {
  switch (op) {
    case Operator::kSet:
      *value = given;
      break;
    case Operator::kSum:
      if (__builtin_add_overflow(old, given, value)) return Fault::kOverflow;
      break;
    case Operator::kMax:
      *value = std::max(old, given);
      break;
    case Operator::kMin:
      *value = std::min(old, given);
      break;
  }
  return Fault::kNone;
}

// Computes the words of the score that the write asks for; the caller sets the stamp word. On a
// fault, *field is the index of the field that caused it.
Fault CombineScore(const BoardType& type, const Present& before, const Write& write, Words* words,
                   unsigned* field) {
  const KeyLayout& layout = *type.layout;
  const bool keeps_set = IsEarlierRow(layout, before, write) && BuildsOnOld(type, write);
  for (unsigned i = 0; i < layout.fields(); ++i) {
    const Operator op = before.exists ? OperatorFor(type, write, i) : Operator::kSet;
    if (keeps_set && op == Operator::kSet) {
      (*words)[i] = before.words[i];
      continue;
    }
    std::int64_t value = before.exists ? layout.FieldValue(i, before.words[i]) : 0;
    Fault fault = Fault::kNone;
    if (layout.is_double()) {
      double combined = 0;
      fault = CombineDouble(std::bit_cast<double>(value), write.score.AsDouble(), op, &combined);
      value = std::bit_cast<std::int64_t>(combined);
    } else {
      fault = CombineInteger(value, write.score[i], op, &value);
    }
    if (fault != Fault::kNone) {
      *field = i;
      return fault;
    }
    (*words)[i] = layout.FieldWord(i, value);
  }
  return Fault::kNone;
}

Error Describe(Fault fault, const Field& field) {
  if (fault == Fault::kNotANumber) {
    return {ErrorCode::kErr, "resulting score is not a number (NaN)"};
  }
  return {ErrorCode::kOverflow, DescribeField(field) + ": the sum is out of range"};
}

// Checks NX and XX.
bool ExistenceAllows(const Present& before, const Write& write) {
  return write.condition == Write::If::kAlways ||
         (write.condition == Write::If::kPresent) == before.exists;
}

// Checks GT and LT. They compare the number of field 1, but a lower word means a better score.
bool ValueAllows(const BoardType& type, const Present& before, const Write& write,
                 const Words& words) {
  if (!before.exists || write.only == Write::Only::kAnyValue) return true;
  if (words[0] == before.words[0]) return false;
  const bool ascending = type.spec.fields[0].direction == Direction::kAsc;
  const bool greater = ascending == (words[0] > before.words[0]);
  return greater == (write.only == Write::Only::kGreater);
}

}  // namespace

Result<Combined> Combine(const BoardType& type, const Present& before, const Write& write,
                         Stamp stamp) {
  const KeyLayout& layout = *type.layout;
  LAUREL_ASSERT(write.score.size() == layout.fields());
  const bool folds = write.mode == WriteMode::kFold;
  LAUREL_ASSERT((write.mode != WriteMode::kRestore && !folds) || (write.at && layout.stamped()));
  Result<Combined> result{
      Combined{WriteStatus::kSkipped, before.exists, false, before.words, before.meta}};
  Combined& outcome = *result;
  if (!ExistenceAllows(before, write)) return result;
  Words combined{};
  unsigned field = 0;
  const Fault fault = CombineScore(type, before, write, &combined, &field);
  if (fault != Fault::kNone) return Describe(fault, type.spec.fields[field]);
  if (!ValueAllows(type, before, write, combined)) return result;
  if (folds && before.exists) return Folded(type, before, write, combined);
  if (folds || write.mode == WriteMode::kRestore) return Restored(layout, before, write, combined);

  const bool same_score = before.exists && layout.SameScore(combined, before.words);
  if (before.exists && !same_score && write.mode == WriteMode::kSubmit &&
      type.spec.policy == Policy::kBest && !layout.BetterScore(combined, before.words)) {
    outcome.status = WriteStatus::kNotBest;
    return result;
  }

  Stamp chosen = write.at.value_or(stamp);
  if (same_score) {
    // An unchanged score keeps its stamp, except that LB.SET … AT corrects the stamp.
    const bool corrects = write.mode == WriteMode::kSet && write.at && layout.stamped() &&
                          chosen != layout.StampOf(before.words);
    outcome.status = WriteStatus::kUnchanged;
    if (!corrects) return result;
    outcome.words[layout.fields()] = layout.StampWord(chosen);
  } else {
    if (before.exists && layout.stamped() && BuildsOnOld(type, write)) {
      chosen = std::max(chosen, layout.StampOf(before.words));
    }
    outcome.words = combined;
    if (layout.stamped()) outcome.words[layout.fields()] = layout.StampWord(chosen);
    if (write.meta) outcome.meta = *write.meta;
  }
  outcome.status = WriteStatus::kAccepted;
  outcome.exists = true;
  outcome.changed = true;
  return result;
}

}  // namespace laurel::core
