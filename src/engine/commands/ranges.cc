#include "engine/commands/ranges.h"

#include <algorithm>

namespace laurel::engine {
namespace {

constexpr std::string_view kNoLexRanges =
    "ERR lexicographic ranges are refused on leaderboards: they stand by score";

// Parses "[member", "(member", "-" or "+".
bool ParseLexBound(std::string_view text, LexBound* bound) {
  if (text == "-" || text == "+") {
    bound->reach = text == "-" ? LexBound::Reach::kLowest : LexBound::Reach::kHighest;
    return true;
  }
  if (!text.starts_with('[') && !text.starts_with('(')) return false;
  bound->reach = text[0] == '[' ? LexBound::Reach::kInclusive : LexBound::Reach::kExclusive;
  bound->member = text.substr(1);
  return true;
}

const Spec& SortedSetSpec() {
  static const Spec spec = Spec::SortedSet();
  return spec;
}

}  // namespace

OrderedRange RankRange(const core::Standings& standings, std::int64_t first, std::int64_t last,
                       bool reverse) {
  const auto size = static_cast<std::int64_t>(standings.entries().size());
  if (first < 0) first = std::max<std::int64_t>(first + size, 0);
  if (last < 0) last += size;
  last = std::min(last, size - 1);
  if (first > last || first >= size) return {};
  OrderedRange range;
  range.count = static_cast<std::uint64_t>(last - first + 1);
  range.backward = LowFirst(standings) == reverse;
  range.first = static_cast<std::uint64_t>(range.backward ? size - 1 - first : first);
  return range;
}

OrderedRange Walk(const core::Standings& standings, core::IndexRange range, bool reverse,
                  std::int64_t offset, std::int64_t limit) {
  OrderedRange walk;
  walk.backward = LowFirst(standings) == reverse;
  if (offset < 0 || static_cast<std::uint64_t>(offset) >= range.count) return walk;
  const auto skipped = static_cast<std::uint64_t>(offset);
  walk.count = range.count - skipped;
  if (limit >= 0) walk.count = std::min(walk.count, static_cast<std::uint64_t>(limit));
  walk.first = walk.backward ? range.first + range.count - 1 - skipped : range.first + skipped;
  return walk;
}

std::optional<core::IndexRange> TakeScoreRange(Context& context, const core::Standings* standings,
                                               std::string_view min, std::string_view max) {
  const Spec& spec = standings != nullptr ? standings->spec() : SortedSetSpec();
  const Result<ScoreBound> low = ParseBound(spec, min, BoundSide::kMin);
  const Result<ScoreBound> high = ParseBound(spec, max, BoundSide::kMax);
  if (!low.ok() || !high.ok()) {
    context.reply.Error(kNotScoreRange);
    return std::nullopt;
  }
  return standings != nullptr ? core::Between(*standings, *low, *high) : core::IndexRange{};
}

std::optional<core::IndexRange> TakeLexRange(Context& context, const core::Standings* standings,
                                             std::string_view min, std::string_view max) {
  LexBound low;
  LexBound high;
  if (!ParseLexBound(min, &low) || !ParseLexBound(max, &high)) {
    context.reply.Error(kNotLexRange);
    return std::nullopt;
  }
  if (standings == nullptr) return core::IndexRange{};
  if (standings->spec().kind == BoardKind::kLeaderboard) {
    context.reply.Error(kNoLexRanges);
    return std::nullopt;
  }
  return core::LexBetween(*standings, low, high);
}

}  // namespace laurel::engine
