// Reads. Each answers from one state of the leaderboard.
#include <algorithm>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "core/reads.h"
#include "leaderboard/entries.h"
#include "leaderboard/leaderboard.h"
#include "leaderboard/limits.h"

namespace laurel::leaderboard {
namespace {

static_assert(kMaxMetaBytesOfRead >= kMaxMetaBytes, "any one entry can be read with its meta");

EntryLine HiddenLine(const core::KeyLayout& layout, std::string_view member,
                     const core::Standings::HiddenEntry& entry, Score* score) {
  *score = layout.ScoreOf(entry.words);
  return {std::nullopt, member, score, layout.StampOf(entry.words), entry.meta};
}

// Executes a read of one board and answers it.
class Reading {
 public:
  Reading(const core::Standings& standings, const Call& call, const Hint* hint, Answer* answer)
      : standings_(standings),
        entries_(standings.entries()),
        spec_(standings.spec()),
        call_(call),
        hint_(hint != nullptr && hint->standings == &standings ? hint : nullptr),
        answer_(*answer) {}

  void operator()(const Get& get) {
    const EntryShape shape{&spec_, get.options.with_meta, false, entries_.size()};
    std::uint64_t index = 0;
    const core::Location location = FindMember(get.member, &index);
    Score score;
    if (location != core::kNowhere) {
      return answer_.OneEntry(shape, LineAt(location, index, get.options.kind, &score));
    }
    if (const core::Standings::HiddenEntry* hidden = standings_.FindHidden(get.member)) {
      return answer_.OneEntry(shape, HiddenLine(standings_.layout(), get.member, *hidden, &score));
    }
    answer_.Absent(Missing::kEntry);
  }
  void operator()(const Top& top) { Page({0, top.count}, top.options); }
  void operator()(const Range& range) {
    const auto ranks = core::BetweenRanks(standings_, range.first, range.last);
    ranks.ok() ? Page(*ranks, range.options) : answer_.Refused(ranks.error());
  }
  void operator()(const Around& around) {
    std::uint64_t index = 0;
    if (FindMember(around.member, &index) == core::kNowhere) {
      return answer_.Absent(Missing::kEntries);
    }
    Page(core::Around(standings_, index, around.radius), around.options);
  }
  void operator()(const Among& among);
  void operator()(const RankOf& rank_of) {
    const Result<Score> score = ReadScore(spec_, rank_of.values, call_.board);
    if (!score.ok()) return answer_.Refused(score.error());
    const auto rank = core::RankOf(standings_, *score, rank_of.options.kind);
    if (!rank.ok()) return answer_.Refused(rank.error());
    *rank ? answer_.Number(**rank) : answer_.Absent(Missing::kRank);
  }
  void operator()(const Count& count) {
    const auto range = Within(count.bounds);
    if (range) answer_.Number(range->count);
  }
  void operator()(const Between& between) {
    const auto range = Within(between.bounds);
    if (!range) return;
    const std::uint64_t skipped = std::min(between.offset, range->count);
    Page({range->first + skipped, std::min(between.limit, range->count - skipped)},
         between.options);
  }
  void operator()(const Size&) { answer_.Number(entries_.size()); }
  void operator()(const PercentileOf& percentile) {
    const auto found = core::PercentileOf(standings_, percentile.member);
    found ? answer_.ShowPercentile(*found) : answer_.Absent(Missing::kPercentile);
  }
  void operator()(const Quantile& quantile) {
    const auto score = core::Quantile(standings_, quantile.percent);
    if (!score.ok()) return answer_.Refused(score.error());
    *score ? answer_.ShowScore(spec_, **score) : answer_.Absent(Missing::kScore);
  }
  void operator()(const Histogram& histogram) {
    if (!Admits(std::min<std::uint64_t>(histogram.buckets, kMaxHistogramBuckets))) return;
    const auto buckets = core::Histogram(standings_, histogram.buckets);
    buckets.ok() ? answer_.ShowHistogram(spec_, *buckets) : answer_.Refused(buckets.error());
  }

 private:
  // If the host does not admit an answer of that size: answers with its refusal and returns false.
  bool Admits(std::uint64_t returned) {
    const Status admitted = answer_.Admit(returned);
    if (!admitted.ok()) answer_.Refused(admitted.error());
    return admitted.ok();
  }
  // The same for the meta of entries that were admitted. Long meta counts as more entries.
  bool AdmitsMeta(std::uint64_t entries, std::uint64_t bytes) {
    if (bytes > kMaxMetaBytesOfRead) {
      answer_.Refused({ErrorCode::kLimit, "these entries have more than " +
                                              std::to_string(kMaxMetaBytesOfRead) +
                                              " bytes of meta: ask for fewer at a time"});
      return false;
    }
    const std::uint64_t usual = entries * kUsualEntryBytes;
    return bytes <= usual || Admits((bytes - usual) / kBytesPerEntry);
  }
  core::Location FindMember(std::string_view member, std::uint64_t* index) {
    if (hint_ != nullptr) {
      *index = hint_->index;
      return hint_->location;
    }
    const core::Location location = entries_.Find(core::MemberKey(member));
    if (location != core::kNowhere) *index = entries_.IndexOf(location);
    return location;
  }
  EntryLine LineAt(core::Location location, std::uint64_t index, RankKind kind, Score* score) {
    entries_.Read(location, &view_);
    *score = standings_.layout().ScoreOf(view_.words);
    return {core::RankCounter(standings_, kind).Next(index, view_.words), view_.member, score,
            standings_.layout().StampOf(view_.words), view_.meta};
  }
  // Answers with the entries of the range, cut off at the end of the board.
  void Page(core::IndexRange range, const ReadOptions& options) {
    range.first = std::min(range.first, entries_.size());
    range.count = std::min(range.count, entries_.size() - range.first);
    if (!Admits(range.count)) return;
    if (options.with_meta && !AdmitsMeta(range.count, MetaBytes(standings_, range))) return;
    const EntryShape shape{&spec_, options.with_meta, false, std::nullopt};
    const Status fits = CheckRoom(standings_, range, shape, answer_);
    if (!fits.ok()) return answer_.Refused(fits.error());
    AnswerPage(standings_, range, false, shape, options.kind, &answer_);
  }
  // The entries between the bounds. If ReadBounds refuses them: answers with that and returns none.
  std::optional<core::IndexRange> Within(const Bounds& bounds) {
    const Result<ScoreBounds> read = ReadBounds(spec_, bounds);
    if (read.ok()) return core::Between(standings_, read->min, read->max);
    answer_.Refused(read.error());
    return std::nullopt;
  }

  const core::Standings& standings_;
  const core::EntryStore& entries_;
  const Spec& spec_;
  const Call& call_;
  const Hint* hint_;
  Answer& answer_;
  core::EntryView view_;
};

void Reading::operator()(const Among& among) {
  if (!Admits(among.members.size())) return;
  const EntryShape shape{&spec_, among.options.with_meta, true, std::nullopt};
  const std::vector<core::AmongPlace> places = core::FindAmong(standings_, among.members);
  std::size_t bytes = 0;
  std::size_t meta_bytes = 0;
  for (const core::AmongPlace& place : places) {
    bytes += answer_.EntryBytes(shape) + place.member.size();
    if (shape.with_meta && place.location != core::kNowhere) {
      meta_bytes += entries_.MetaAt(place.location).size();
    } else if (shape.with_meta && place.hidden != nullptr) {
      meta_bytes += place.hidden->meta.size();
    }
  }
  if (!AdmitsMeta(places.size(), meta_bytes)) return;
  if (bytes + meta_bytes > answer_.MaxBytes()) return answer_.Refused(TooLong(answer_.MaxBytes()));
  answer_.BeginEntries(shape, places.size());
  std::uint64_t place_in_list = 0;
  for (const core::AmongPlace& place : places) {
    Score score;
    if (place.location != core::kNowhere) {
      const EntryLine line = LineAt(place.location, place.index, among.options.kind, &score);
      answer_.NextEntry(shape, line, ++place_in_list);
    } else if (place.hidden != nullptr) {
      const EntryLine line = HiddenLine(standings_.layout(), place.member, *place.hidden, &score);
      answer_.NextEntry(shape, line, std::nullopt);
    } else {
      EntryLine line;
      line.member = place.member;
      answer_.NextEntry(shape, line, std::nullopt);
    }
  }
}

}  // namespace

const std::optional<InstanceSelector>& SelectorOf(const ReadOperation& operation) {
  return std::visit(
      [](const auto& read) -> const std::optional<InstanceSelector>& {
        using T = std::decay_t<decltype(read)>;
        static const std::optional<InstanceSelector> none;
        if constexpr (std::is_same_v<T, ListPeriods>) {
          return none;
        } else if constexpr (std::is_same_v<T, Describe>) {
          return read.instance;
        } else {
          return read.options.instance;
        }
      },
      operation);
}

void Leaderboard::Read(const ReadOperation& operation, const Call& call, Answer* answer,
                       std::span<const Hint> hints) const {
  const std::optional<InstanceSelector>& selector = SelectorOf(operation);
  // A board with periods is described by its instances.
  const bool of_instances = std::holds_alternative<ListPeriods>(operation) ||
                            (std::holds_alternative<Describe>(operation) && !selector);
  if (of_instances && has_periods()) {
    const Status admitted = answer->Admit(instances().size());
    if (!admitted.ok()) return answer->Refused(admitted.error());
  }
  if (std::holds_alternative<ListPeriods>(operation)) return AnswerPeriods(call.now, answer);
  const std::optional<View> view = ViewOf(selector, call.now);
  if (!view) return answer->Refused(NoInstance(call.board, *selector, call.now));
  if (std::holds_alternative<Describe>(operation)) {
    return AnswerDescription(*view, selector.has_value(), answer);
  }
  if (!answer->Wants(ScopeOf(*view))) return;
  std::visit(
      [&](const auto& read) {
        using T = std::decay_t<decltype(read)>;
        if constexpr (!std::is_same_v<T, Describe> && !std::is_same_v<T, ListPeriods>) {
          Reading(*view->standings, call, hints.empty() ? nullptr : hints.data(), answer)(read);
        }
      },
      operation);
}

Scope Leaderboard::ScopeOf(const View& view) const {
  Scope scope;
  if (has_periods()) scope.span = &view.span;
  scope.instance = view.number;
  if (view.stored != nullptr) scope.changes = view.stored->changes;
  scope.size = view.standings->entries().size();
  return scope;
}

void Leaderboard::Prepare(std::span<const std::string_view> members,
                          const std::optional<InstanceSelector>& instance, const Call& call,
                          Prepared* prepared) const {
  LAUREL_ASSERT(members.size() <= kPreparedAtOnce);
  prepared->Begin(members.size(), 1);
  const std::optional<View> view = ViewOf(instance, call.now);
  if (!view) return;
  const core::EntryStore& entries = view->standings->entries();
  std::vector<core::MemberKey> keys;
  keys.reserve(members.size());
  for (const std::string_view member : members) keys.emplace_back(member);
  std::array<core::Location, kPreparedAtOnce> locations;
  entries.FindMany(keys, locations.data());
  std::array<core::Location, kPreparedAtOnce> found;
  std::array<Hint*, kPreparedAtOnce> hints;
  std::size_t count = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    Hint& hint = prepared->hints_[i];
    hint.standings = view->standings;
    hint.location = locations[i];
    if (locations[i] == core::kNowhere) continue;
    found[count] = locations[i];
    hints[count++] = &hint;
  }
  std::array<std::uint64_t, kPreparedAtOnce> indexes;
  entries.IndexOfMany({found.data(), count}, indexes.data());
  for (std::size_t i = 0; i < count; ++i) hints[i]->index = indexes[i];
}

void Leaderboard::AnswerDescription(const View& view, bool of_instance, Answer* answer) const {
  Description description;
  description.declared = &spec();
  description.spec = of_instance ? &view.standings->spec() : &spec();
  if (of_instance) description.instance = view.span;
  description.ids = requests() != nullptr ? requests()->size() : 0;
  description.size = view.standings->entries().size();
  description.hidden = marks() != nullptr ? marks()->size() : 0;
  description.bytes = of_instance ? view.standings->MemoryUsage() : MemoryUsage();
  answer->ShowDescription(description);
}

void Leaderboard::AnswerPeriods(Stamp now, Answer* answer) const {
  struct Line {
    std::size_t period;
    PeriodLine line;
  };
  std::vector<Line> lines;
  const auto add = [&](std::size_t period, const Instance& span, const StoredInstance* stored,
                       bool present) {
    PeriodLine line{span, present, 0, false, {}};
    if (stored != nullptr) {
      line.size = stored->standings.entries().size();
      line.closed = stored->closed;
      line.close_note = stored->close_note;
    }
    lines.push_back({period, line});
  };
  const Kept kept = KeptInstances(now);
  for (std::size_t i = 0; i < spec().periods.size(); ++i) {
    std::optional<PeriodInstance> present;
    if (periods().calendar) {
      present = InstanceOfPeriod(i, CalendarTime(now));
    } else if (StoredInstance* stored = FindStored(spec().periods[i], CalendarTime(now))) {
      present = PeriodInstance{stored->span, stored};
    }
    if (present) add(i, present->span, present->stored, true);
    for (const auto& stored : instances()) {
      if (stored->span.period != spec().periods[i]) continue;
      if (present && stored.get() == present->stored) continue;
      if (!kept.Has(*stored)) continue;
      add(i, stored->span, stored.get(), false);
    }
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.period != b.period ? a.period < b.period : a.line.span.begin > b.line.span.begin;
  });
  std::vector<PeriodLine> sorted;
  sorted.reserve(lines.size());
  for (const Line& line : lines) sorted.push_back(line.line);
  answer->ShowPeriods(sorted);
}

}  // namespace laurel::leaderboard
