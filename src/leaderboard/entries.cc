#include "leaderboard/entries.h"

#include <string>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "base/time_text.h"
#include "laurel/limits.h"

namespace laurel::leaderboard {
namespace {

// Returns what bounds are compared by, which is their number in the field's smallest unit.
std::pair<int, std::int64_t> OrderOf(const ScoreBound& bound) {
  using Reach = ScoreBound::Reach;
  return {int{bound.reach == Reach::kHighest} - int{bound.reach == Reach::kLowest}, bound.value};
}

}  // namespace

Result<Score> ReadScore(const Spec& spec, const Values& values, std::string_view board) {
  LAUREL_ASSERT(values.score == nullptr || values.texts.empty());
  if (values.score != nullptr) return *values.score;
  Result<Score> score = ParseScore(spec, values.texts);
  if (score.ok() || values.texts.size() == spec.fields.size()) return score;
  return Error{score.error().code, base::Quote(board) + " " + score.error().message};
}

Result<ScoreBounds> ReadBounds(const Spec& spec, const Bounds& bounds) {
  ScoreBounds read;
  if (bounds.read != nullptr) {
    read = *bounds.read;
  } else {
    const Result<ScoreBound> min = ReadBound(spec, "min", bounds.min, BoundSide::kMin);
    if (!min.ok()) return min.error();
    const Result<ScoreBound> max = ReadBound(spec, "max", bounds.max, BoundSide::kMax);
    if (!max.ok()) return max.error();
    read = {*min, *max};
  }
  if (OrderOf(read.min) <= OrderOf(read.max)) return read;
  return Error{ErrorCode::kErr, "min " + base::Quote(bounds.min) + " is above max " +
                                    base::Quote(bounds.max) + ": the lower bound comes first"};
}

Stamp EndsAt(const Spec& spec, Stamp written_at) {
  if (spec.expire_us == 0) return INT64_MAX;
  if (spec.end) return *spec.end + spec.expire_us;
  return written_at == 0 ? INT64_MAX : written_at + spec.expire_us;
}

Status CheckLasts(const Spec& spec, Stamp written_at, Stamp now) {
  const Stamp ends_at = EndsAt(spec, written_at);
  if (ends_at > now) return Ok{};
  return Error{ErrorCode::kErr,
               "EXPIRE " + base::FormatDuration(spec.expire_us) +
                   " would drop the board at once: " +
                   (spec.end ? "END " + base::FormatIsoTime(*spec.end)
                             : "its last write " + base::FormatIsoTime(written_at)) +
                   ", now " + base::FormatIsoTime(now) + "; set END later, or drop the board"};
}

Status CheckAltered(const Spec& present, const Spec& altered) {
  const auto refuse = [](std::string_view what) {
    return Error{ErrorCode::kErr, std::string(what) + " cannot be altered"};
  };
  if (altered.kind != present.kind || altered.fields != present.fields) return refuse("FIELDS");
  if (altered.tie != present.tie) return refuse("TIE");
  if (altered.periods != present.periods) return refuse("PERIODS");
  if (altered.zone != present.zone) return refuse("TZ");
  if (altered.turn_minutes != present.turn_minutes) return refuse("TURN");
  return Ok{};
}

std::uint64_t WorkOf(const WriteOperation& operation, std::size_t instances) {
  if (const auto* hide = std::get_if<Hide>(&operation)) {
    return hide->members.size() * instances;
  }
  if (const auto* show = std::get_if<Show>(&operation)) {
    return show->members.size() * instances;
  }
  if (const auto* remove = std::get_if<Remove>(&operation)) {
    return remove->instance ? 0 : remove->members.size() * instances;
  }
  if (const auto* meta = std::get_if<SetMeta>(&operation)) return meta->instance ? 0 : instances;
  return 0;
}

std::uint64_t MetaBytes(const core::Standings& standings, core::IndexRange range) {
  std::uint64_t bytes = 0;
  standings.entries().ForRange(range.first, range.count, false, [&](const core::EntryView& view) {
    bytes += view.meta.size();
    return true;
  });
  return bytes;
}

Error TooLong(std::size_t most) {
  return {ErrorCode::kLimit, "the reply exceeds " + std::to_string(most) +
                                 " bytes (max-reply): ask for less at a time"};
}

Status CheckRoom(const core::Standings& standings, core::IndexRange range, const EntryShape& shape,
                 const Answer& answer) {
  const std::size_t most = answer.MaxBytes();
  const std::size_t fixed = answer.EntryBytes(shape);
  const std::size_t largest = fixed + kMaxMemberBytes + (shape.with_meta ? kMaxMetaBytes : 0);
  if (range.count <= most / largest) return Ok{};
  std::size_t bytes = 0;
  if (range.count <= most / fixed) {
    standings.entries().ForRange(range.first, range.count, false, [&](const core::EntryView& view) {
      bytes += fixed + view.member.size() + (shape.with_meta ? view.meta.size() : 0);
      return bytes <= most;
    });
    if (bytes <= most) return Ok{};
  }
  return TooLong(most);
}

void AnswerPage(const core::Standings& standings, core::IndexRange range, bool backward,
                const EntryShape& shape, RankKind kind, Answer* answer) {
  const std::uint64_t size = standings.entries().size();
  LAUREL_ASSERT(range.first <= size && range.count <= size - range.first);
  LAUREL_ASSERT(!backward || kind == RankKind::kOrdinal);
  answer->BeginEntries(shape, range.count);
  if (range.count == 0) return;
  const core::KeyLayout& layout = standings.layout();
  core::RankCounter numbers(standings, kind);
  std::uint64_t index = backward ? range.first + range.count - 1 : range.first;
  standings.entries().ForRange(index, range.count, backward, [&](const core::EntryView& view) {
    const Score score = layout.ScoreOf(view.words);
    EntryLine line;
    line.rank = backward ? index + 1 : numbers.Next(index, view.words);
    line.member = view.member;
    line.score = &score;
    line.stamp = layout.StampOf(view.words);
    line.meta = view.meta;
    answer->NextEntry(shape, line, std::nullopt);
    backward ? --index : ++index;
    return true;
  });
}

}  // namespace laurel::leaderboard
