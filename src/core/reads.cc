#include "core/reads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "base/random.h"
#include "core/store/spec_checks.h"
#include "laurel/score.h"

namespace laurel::core {
namespace {

// The number of visible entries with a better score.
std::uint64_t CountBetter(const Standings& standings, const Words& words) {
  Probe probe;
  std::copy_n(words.begin(), standings.layout().fields(), probe.words.begin());
  return standings.entries().CountBefore(probe);
}

// The number of visible entries with a better or the same score.
std::uint64_t CountNotWorse(const Standings& standings, const Words& words) {
  Probe probe;
  probe.words.fill(UINT64_MAX);
  std::copy_n(words.begin(), standings.layout().fields(), probe.words.begin());
  probe.among = Probe::Among::kAfterAll;
  return standings.entries().CountBefore(probe);
}

Entry MakeEntry(const Standings& standings, const EntryView& view,
                std::optional<std::uint64_t> rank) {
  Entry entry;
  entry.rank = rank;
  entry.member = view.member;
  entry.score = standings.layout().ScoreOf(view.words);
  entry.stamp = standings.layout().StampOf(view.words);
  entry.meta = view.meta;
  return entry;
}

Entry EntryAt(const Standings& standings, std::uint64_t index, Location location, RankKind kind) {
  EntryView view;
  standings.entries().Read(location, &view);
  return MakeEntry(standings, view, RankCounter(standings, kind).Next(index, view.words));
}

Entry HiddenEntry(const Standings& standings, std::string_view member,
                  const Standings::HiddenEntry& hidden) {
  Entry entry;
  entry.member = member;
  entry.score = standings.layout().ScoreOf(hidden.words);
  entry.stamp = standings.layout().StampOf(hidden.words);
  entry.meta = hidden.meta;
  return entry;
}

// Calls visit(i, location, index) for each member i that has a visible entry. Fetches memory ahead,
// which is several times as fast as finding one member after the other.
template <typename Visit>
void Locate(const Standings& standings, std::span<const std::string_view> members,
            const Visit& visit) {
  constexpr unsigned kBatch = EntryStore::kBatch;
  std::vector<MemberKey> keys;
  keys.reserve(kBatch);
  for (std::size_t start = 0; start < members.size(); start += kBatch) {
    const std::size_t count = std::min<std::size_t>(kBatch, members.size() - start);
    keys.clear();
    for (std::size_t i = 0; i < count; ++i) keys.emplace_back(members[start + i]);
    std::array<Location, kBatch> locations;
    standings.entries().FindMany(keys, locations.data());
    std::array<Location, kBatch> found;
    std::array<std::size_t, kBatch> asked;
    std::size_t known = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (locations[i] == kNowhere) continue;
      found[known] = locations[i];
      asked[known++] = start + i;
    }
    std::array<std::uint64_t, kBatch> indexes;
    standings.entries().IndexOfMany({found.data(), known}, indexes.data());
    for (std::size_t i = 0; i < known; ++i) visit(asked[i], found[i], indexes[i]);
  }
}

// The value of field 1 of the entry at `index`.
std::int64_t FirstValue(const Standings& standings, std::uint64_t index) {
  return standings.layout().FieldValue(
      0, standings.entries().WordsAt(standings.entries().At(index))[0]);
}

// The number of visible entries whose field 1 ranks ahead of the value; with `including`, also
// those equal to it.
std::uint64_t CountAhead(const Standings& standings, std::int64_t value, bool including) {
  Probe probe;
  if (including) probe.words.fill(UINT64_MAX);
  probe.words[0] = standings.layout().FieldWord(0, value);
  probe.among = including ? Probe::Among::kAfterAll : Probe::Among::kBeforeAll;
  return standings.entries().CountBefore(probe);
}

bool Ascending(const Standings& standings) {
  return standings.spec().fields[0].direction == Direction::kAsc;
}

// The number of entries that a bound excludes: those below `min`, or those above `max`.
std::uint64_t CountOutside(const Standings& standings, const ScoreBound& bound, BoundSide side) {
  const std::uint64_t size = standings.entries().size();
  switch (bound.reach) {
    case ScoreBound::Reach::kLowest:
      return side == BoundSide::kMin ? 0 : size;
    case ScoreBound::Reach::kHighest:
      return side == BoundSide::kMin ? size : 0;
    default:
      break;
  }
  const bool exclusive = bound.reach == ScoreBound::Reach::kExclusive;
  // The excluded entries stand either ahead of the bound or after it.
  const bool ahead = Ascending(standings) == (side == BoundSide::kMin);
  if (ahead) return CountAhead(standings, bound.value, exclusive);
  return size - CountAhead(standings, bound.value, !exclusive);
}

// As a `min` bound: the first index inside the range; as a `max` bound: the first index after it.
// REQUIRES: members rise over the whole board, that is, all scores are equal.
std::uint64_t LexLowerBound(const Standings& standings, const LexBound& bound, BoundSide side) {
  const EntryStore& entries = standings.entries();
  if (bound.reach == LexBound::Reach::kLowest) return 0;
  if (bound.reach == LexBound::Reach::kHighest) return entries.size();
  // Whether a member equal to the bound lies before the index that is searched for: it does for an
  // exclusive `min` and for an inclusive `max`.
  const bool past_equal = (side == BoundSide::kMin) == (bound.reach == LexBound::Reach::kExclusive);
  std::uint64_t low = 0;
  std::uint64_t high = entries.size();
  EntryView view;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    entries.Read(entries.At(middle), &view);
    const int order = view.member.compare(bound.member);
    if (order < 0 || (order == 0 && past_equal)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

std::uint64_t RankCounter::Next(std::uint64_t index, const Words& words) {
  if (kind_ == RankKind::kOrdinal) return index + 1;
  if (!started_) {
    started_ = true;
    rank_ = kind_ == RankKind::kDense ? standings_.entries().DistinctScores(index + 1)
                                      : CountBetter(standings_, words) + 1;
  } else if (!standings_.layout().SameScore(words, last_)) {
    rank_ = kind_ == RankKind::kDense ? rank_ + 1 : index + 1;
  }
  last_ = words;
  return rank_;
}

std::optional<Entry> Get(const Standings& standings, std::string_view member, RankKind kind) {
  const Location location = standings.entries().Find(MemberKey(member));
  if (location != kNowhere) {
    return EntryAt(standings, standings.entries().IndexOf(location), location, kind);
  }
  if (const Standings::HiddenEntry* hidden = standings.FindHidden(member)) {
    return HiddenEntry(standings, member, *hidden);
  }
  return std::nullopt;
}

void Ranks(const Standings& standings, std::span<const std::string_view> members,
           std::vector<std::optional<std::uint64_t>>* ranks) {
  ranks->assign(members.size(), std::nullopt);
  Locate(standings, members,
         [&](std::size_t i, Location, std::uint64_t index) { (*ranks)[i] = index + 1; });
}

std::vector<Entry> Page(const Standings& standings, std::uint64_t first, std::uint64_t count,
                        RankKind kind) {
  std::vector<Entry> page;
  const std::uint64_t size = standings.entries().size();
  if (first >= size) return page;
  page.reserve(std::min(count, size - first));
  RankCounter numbers(standings, kind);
  std::uint64_t index = first;
  standings.entries().ForRange(first, count, false, [&](const EntryView& view) {
    page.push_back(MakeEntry(standings, view, numbers.Next(index++, view.words)));
    return true;
  });
  return page;
}

Result<IndexRange> BetweenRanks(const Standings& standings, std::int64_t first, std::int64_t last) {
  if (first == 0 || last == 0) {
    return Error{ErrorCode::kErr, "ranks start at 1, or -1 from the end, got 0"};
  }
  const auto size = static_cast<std::int64_t>(standings.entries().size());
  if (first < 0) first = first < -size ? 1 : size + 1 + first;
  if (last < 0) last = last < -size ? 0 : size + 1 + last;
  if (first > last) return IndexRange{};
  return IndexRange{static_cast<std::uint64_t>(first - 1),
                    static_cast<std::uint64_t>(last - first) + 1};
}

IndexRange Around(const Standings& standings, std::uint64_t index, std::uint64_t m) {
  LAUREL_ASSERT(index < standings.entries().size());
  const std::uint64_t before = std::min(m, index);
  const std::uint64_t after = std::min(m, standings.entries().size() - 1 - index);
  return IndexRange{index - before, before + 1 + after};
}

std::vector<AmongPlace> FindAmong(const Standings& standings,
                                  std::span<const std::string_view> members) {
  std::vector<std::string_view> distinct;
  distinct.reserve(members.size());
  MemberSet seen(members.size(), standings.hasher());
  for (const std::string_view member : members) {
    if (seen.insert(member).second) distinct.push_back(member);
  }
  std::vector<AmongPlace> places(distinct.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i].member = distinct[i];
  Locate(standings, distinct, [&](std::size_t i, Location location, std::uint64_t index) {
    places[i].location = location;
    places[i].index = index;
  });
  for (AmongPlace& place : places) {
    if (place.location == kNowhere) place.hidden = standings.FindHidden(place.member);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const AmongPlace& a, const AmongPlace& b) { return a.index < b.index; });
  return places;
}

std::vector<AmongEntry> Among(const Standings& standings, std::span<const std::string_view> members,
                              RankKind kind) {
  std::vector<AmongEntry> list;
  for (const AmongPlace& place : FindAmong(standings, members)) {
    AmongEntry& line = list.emplace_back();
    line.member = place.member;
    if (place.location != kNowhere) {
      line.place = list.size();
      line.entry = EntryAt(standings, place.index, place.location, kind);
    } else if (place.hidden != nullptr) {
      line.entry = HiddenEntry(standings, place.member, *place.hidden);
    }
  }
  return list;
}

Result<std::optional<std::uint64_t>> RankOf(const Standings& standings, const Score& score,
                                            RankKind kind) {
  if (score.size() != standings.layout().fields()) {
    return WrongValueCount(standings.spec(), score.size());
  }
  if (standings.layout().is_double() && std::isnan(score.AsDouble())) {
    return Error{ErrorCode::kErr, "a score is not a number (NaN)"};
  }
  const Words words = standings.layout().Encode(score, 0);
  const std::uint64_t better = CountBetter(standings, words);
  const std::uint64_t ahead =
      standings.spec().tie == Tie::kLast ? better : CountNotWorse(standings, words);
  const std::uint64_t cap = standings.spec().cap;
  if (cap > 0 && ahead >= cap) return std::optional<std::uint64_t>();
  switch (kind) {
    case RankKind::kCompetition:
      return std::optional(better + 1);
    case RankKind::kDense:
      return std::optional(standings.entries().DistinctScores(better) + 1);
    case RankKind::kOrdinal:
      break;
  }
  return std::optional(ahead + 1);
}

IndexRange Between(const Standings& standings, const ScoreBound& min, const ScoreBound& max) {
  const std::uint64_t size = standings.entries().size();
  const std::uint64_t below = CountOutside(standings, min, BoundSide::kMin);
  const std::uint64_t above = CountOutside(standings, max, BoundSide::kMax);
  if (below >= size || above >= size - below) return {};
  return {Ascending(standings) ? below : above, size - below - above};
}

IndexRange LexBetween(const Standings& standings, const LexBound& min, const LexBound& max) {
  const std::uint64_t first = LexLowerBound(standings, min, BoundSide::kMin);
  const std::uint64_t end = LexLowerBound(standings, max, BoundSide::kMax);
  return {first, end > first ? end - first : 0};
}

std::optional<Percentile> PercentileOf(const Standings& standings, std::string_view member) {
  const Location location = standings.entries().Find(MemberKey(member));
  if (location == kNowhere) return std::nullopt;
  const Words words = standings.entries().WordsAt(location);
  const std::uint64_t not_worse = CountNotWorse(standings, words);
  const std::uint64_t better = CountBetter(standings, words);
  Percentile percentile;
  percentile.count = standings.entries().size();
  LAUREL_ASSERT(better < not_worse && not_worse <= percentile.count);
  percentile.worse = percentile.count - not_worse;
  percentile.equal = not_worse - better - 1;
  constexpr std::uint64_t kHundredPercent = 1'000'000;
  percentile.ten_thousandths =
      percentile.count == 1 ? kHundredPercent
                            : static_cast<std::uint64_t>(Int128{percentile.worse} *
                                                         kHundredPercent / (percentile.count - 1));
  return percentile;
}

Result<std::optional<Score>> Quantile(const Standings& standings, std::int64_t percent) {
  constexpr int kPercentDecimals = 9;
  constexpr std::int64_t kHundredPercent = 100'000'000'000;
  if (percent < 0 || percent > kHundredPercent) {
    std::string given = FormatNumber(percent, kPercentDecimals);
    given.erase(given.find_last_not_of('0') + 1);
    if (given.ends_with('.')) given.pop_back();
    return Error{ErrorCode::kErr, "a quantile lies between 0 and 100, got " + given};
  }
  const std::uint64_t size = standings.entries().size();
  if (size == 0) return std::optional<Score>();
  const auto from_worst =
      static_cast<std::uint64_t>((Int128{percent} * size + kHundredPercent - 1) / kHundredPercent);
  LAUREL_ASSERT(from_worst <= size);
  const std::uint64_t index = size - std::max<std::uint64_t>(from_worst, 1);
  return std::optional<Score>(
      standings.layout().ScoreOf(standings.entries().WordsAt(standings.entries().At(index))));
}

Result<std::vector<HistogramBucket>> Histogram(const Standings& standings, std::uint64_t buckets) {
  if (standings.spec().kind == BoardKind::kSortedSet) {
    return Error{ErrorCode::kWrongType, "a sorted set has no histogram"};
  }
  if (buckets == 0 || buckets > kMaxHistogramBuckets) {
    return Error{ErrorCode::kErr,
                 "a histogram has 1 to 1000 buckets, got " + std::to_string(buckets)};
  }
  std::vector<HistogramBucket> histogram;
  const std::uint64_t size = standings.entries().size();
  if (size == 0) return histogram;
  std::int64_t lowest = FirstValue(standings, 0);
  std::int64_t highest = FirstValue(standings, size - 1);
  if (!Ascending(standings)) std::swap(lowest, highest);
  LAUREL_ASSERT(lowest <= highest);
  const Int128 width = (Int128{highest} - lowest + Int128{buckets}) / Int128{buckets};
  std::uint64_t below = 0;  // entries whose value is below the bucket
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const Int128 from = lowest + Int128{i} * width;
    const Int128 to = from + width;
    const std::uint64_t below_next =
        to > highest ? size
                     : CountOutside(standings, ScoreBound::AtLeast(static_cast<std::int64_t>(to)),
                                    BoundSide::kMin);
    LAUREL_ASSERT(below <= below_next);
    histogram.push_back({from, to, below_next - below});
    below = below_next;
  }
  LAUREL_ASSERT(below == size);  // the buckets count every entry once
  return histogram;
}

std::vector<std::uint64_t> RandomIndexes(std::uint64_t size, std::uint64_t count, bool distinct,
                                         std::uint64_t seed) {
  LAUREL_ASSERT(size > 0);
  std::vector<std::uint64_t> chosen;
  base::Random random(seed);
  if (!distinct) {
    for (std::uint64_t i = 0; i < count; ++i) chosen.push_back(random.Below(size));
  } else {
    // Floyd's sampling: if the drawn index is taken already, `last` is chosen instead, which no
    // earlier round could draw. The shuffle below makes the order random too.
    const std::uint64_t wanted = std::min(count, size);
    std::unordered_set<std::uint64_t> taken;
    for (std::uint64_t last = size - wanted; last < size; ++last) {
      const std::uint64_t index = random.Below(last + 1);
      chosen.push_back(taken.insert(index).second ? index : last);
      taken.insert(chosen.back());
    }
    LAUREL_ASSERT(taken.size() == wanted);
    for (std::size_t i = chosen.size(); i > 1; --i)
      std::swap(chosen[i - 1], chosen[random.Below(i)]);
  }
  return chosen;
}

std::vector<Entry> RandomEntries(const Standings& standings, std::uint64_t count, bool distinct,
                                 std::uint64_t seed) {
  const std::uint64_t size = standings.entries().size();
  std::vector<Entry> entries;
  if (size == 0) return entries;
  for (const std::uint64_t index : RandomIndexes(size, count, distinct, seed)) {
    entries.push_back(EntryAt(standings, index, standings.entries().At(index), RankKind::kOrdinal));
  }
  return entries;
}

ScanPage Scan(const Standings& standings, std::uint64_t cursor, std::uint64_t count) {
  ScanPage page;
  do {
    cursor = standings.entries().Scan(cursor, [&](const EntryView& view) {
      page.entries.push_back(MakeEntry(standings, view, std::nullopt));
    });
  } while (cursor != 0 && page.entries.size() < count);
  page.cursor = cursor;
  return page;
}

void ForEach(const Standings& standings, bool backward,
             const std::function<bool(const Entry&)>& visit) {
  const std::uint64_t size = standings.entries().size();
  if (size == 0) return;
  std::uint64_t index = backward ? size - 1 : 0;
  standings.entries().ForRange(index, size, backward, [&](const EntryView& view) {
    const bool go_on = visit(MakeEntry(standings, view, index + 1));
    backward ? --index : ++index;
    return go_on;
  });
}

}  // namespace laurel::core
