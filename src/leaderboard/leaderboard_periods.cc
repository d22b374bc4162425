// Periods: which instance a selector or a write means, and when instances are closed and dropped.
#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "base/time_text.h"
#include "core/decide.h"
#include "leaderboard/leaderboard.h"
#include "leaderboard/limits.h"

namespace laurel::leaderboard {
namespace {

constexpr std::int64_t kShortestUsualUs = std::int64_t{1800} * 1'000'000;  // half an hour

bool Contains(const Instance& span, Stamp time) { return span.begin <= time && time < span.end; }

// Whether an instance that many before the present one is certainly not kept, so that the calendar
// need not be asked. KEEP counts from the instance that was present GRACE ago. Instances are
// shorter than half an hour only where the zone's offset changes.
bool IsBeyondKeep(const Spec& spec, std::uint64_t back) {
  constexpr std::uint64_t kOffsetChanges = 64;
  const auto in_grace = static_cast<std::uint64_t>(spec.grace_us / kShortestUsualUs);
  return back > spec.keep + in_grace + kOffsetChanges;
}

}  // namespace

// Finding -----------------------------------------------------------------------------------------

Leaderboard::StoredInstance* Leaderboard::FindStored(std::uint32_t number) const {
  if (!has_periods()) return nullptr;
  const auto& all = periods().instances;
  const auto found = std::lower_bound(
      all.begin(), all.end(), number,
      [](const auto& stored, std::uint32_t sought) { return stored->number < sought; });
  return found != all.end() && (*found)->number == number ? found->get() : nullptr;
}

// Orders by labels, not by begins: an update of the time zone's rules may have moved the begin.
bool Leaderboard::IsBeforeLabel(const StoredInstance* stored, const Instance& span) {
  if (stored->span.period != span.period) return stored->span.period < span.period;
  return stored->span.label.view() < span.label.view();
}

Leaderboard::StoredInstance* Leaderboard::FindStored(const Instance& span) const {
  const auto& all = periods().by_label;
  const auto found = std::lower_bound(all.begin(), all.end(), span, IsBeforeLabel);
  const bool is_there = found != all.end() && (*found)->span.period == span.period &&
                        (*found)->span.label == span.label;
  return is_there ? *found : nullptr;
}

Leaderboard::StoredInstance* Leaderboard::FindStored(Period period, Stamp time) const {
  const auto& all = periods().instances;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const auto& stored) {
    return stored->span.period == period && Contains(stored->span, time);
  });
  return found == all.rend() ? nullptr : found->get();
}

Leaderboard::PeriodInstance Leaderboard::InstanceOfPeriod(std::size_t i, Stamp time) const {
  const PeriodInstance& known = periods().known[i];
  if (Contains(known.span, time)) return known;
  PeriodInstance found;
  LAUREL_ASSERT(periods().calendar != nullptr);
  found.span = periods().calendar->At(spec().periods[i], time);
  found.stored = FindStored(found.span);
  return found;
}

Stamp Leaderboard::OldestKept(Period period, Stamp time) const {
  LAUREL_ASSERT(periods().calendar != nullptr);
  // KEEP counts from the instance that was present GRACE ago.
  const Calendar& calendar = *periods().calendar;
  const std::optional<Instance> oldest =
      calendar.Before(calendar.At(period, Earlier(time, spec().grace_us)), spec().keep);
  return oldest ? oldest->begin : INT64_MIN;
}

Leaderboard::Kept Leaderboard::KeptInstances(Stamp now) const {
  Kept kept;
  kept.from.fill(INT64_MIN);
  if (!has_periods() || !periods().calendar) return kept;
  for (const Period period : spec().periods) {
    kept.from[static_cast<std::size_t>(period)] = OldestKept(period, CalendarTime(now));
  }
  return kept;
}

Stamp Leaderboard::NextTurn(Period period, Stamp time) const {
  return Later(periods().calendar->At(period, Earlier(time, spec().grace_us)).end, spec().grace_us);
}

std::optional<Leaderboard::View> Leaderboard::ViewOf(
    const std::optional<InstanceSelector>& instance, Stamp now) const {
  if (instance) return ViewAt(*instance, now);
  if (!has_periods()) return View{&standings_, 0, nullptr, {}};
  InstanceSelector first;
  first.period = spec().periods[0];
  first.which = InstanceSelector::Which::kPresent;
  const std::optional<View> present = ViewAt(first, now);
  return present ? *present : View{&periods().empty, 0, nullptr, {}};
}

std::optional<Leaderboard::View> Leaderboard::ViewAt(const InstanceSelector& selector,
                                                     Stamp now) const {
  using Which = InstanceSelector::Which;
  const std::vector<Period>& all = spec().periods;
  const auto place = std::find(all.begin(), all.end(), selector.period);
  if (selector.which == Which::kNone || place == all.end()) return std::nullopt;
  const auto view = [&](const Instance& span, const StoredInstance* stored) {
    if (stored != nullptr) return View{&stored->standings, stored->number, stored, span};
    return View{&periods().empty, 0, nullptr, span};
  };
  if (!periods().calendar) {  // stored instances can still be found by time and by label
    Instance span{selector.period, INT64_MIN, INT64_MAX, selector.label};
    const StoredInstance* stored = selector.which == Which::kPresent
                                       ? FindStored(selector.period, CalendarTime(now))
                                       : FindStored(span);
    if (stored == nullptr) return std::nullopt;
    return view(stored->span, stored);
  }
  const Calendar& calendar = *periods().calendar;
  const Stamp time = CalendarTime(now);
  const PeriodInstance present =
      InstanceOfPeriod(static_cast<std::size_t>(place - all.begin()), time);
  if (selector.which == Which::kPresent) return view(present.span, present.stored);
  Instance span = present.span;
  if (selector.which == Which::kBefore) {
    if (IsBeyondKeep(spec(), selector.back)) return std::nullopt;
    std::optional<Instance> before = calendar.Before(span, selector.back);
    if (!before) return std::nullopt;
    span = *before;
  } else {
    const Result<Instance> labelled = calendar.Find(selector.period, selector.label);
    if (!labelled.ok()) return std::nullopt;
    span = *labelled;
  }
  const StoredInstance* stored = FindStored(span);
  // A future instance exists only if a write with AT ahead of the clock created it.
  const bool is_there = span.begin > present.span.begin
                            ? stored != nullptr
                            : OldestKept(selector.period, time) <= span.begin;
  if (!is_there) return std::nullopt;
  return view(span, stored);
}

std::string Leaderboard::UnknownZone() const {
  return "the time zone " + base::Quote(spec().zone) +
         " is not known here: update tzdata and restart the server";
}

Error Leaderboard::NoInstance(std::string_view board, const InstanceSelector& selector,
                              Stamp now) const {
  using Which = InstanceSelector::Which;
  const auto no_board = [](std::string message) {
    return Error{ErrorCode::kNoBoard, std::move(message)};
  };
  const std::string name = base::Quote(std::string(board) + "@" + std::string(selector.text));
  if (!has_periods()) return no_board(name + ": " + base::Quote(board) + " has no periods");
  const std::vector<Period>& all = spec().periods;
  if (selector.which == Which::kNone ||
      std::find(all.begin(), all.end(), selector.period) == all.end()) {
    std::string message = name + ": " + base::Quote(board) + " has the periods";
    for (std::size_t i = 0; i < all.size(); ++i) {
      message += (i == 0 ? " " : ", ") + std::string(PeriodName(all[i]));
    }
    return no_board(std::move(message));
  }
  if (!periods().calendar) {
    return no_board(name + ": " + UnknownZone());
  }
  if (selector.which == Which::kLabel) {
    const Result<Instance> labelled = periods().calendar->Find(selector.period, selector.label);
    if (!labelled.ok()) return no_board(name + ": " + labelled.error().message);
    if (labelled->begin > CalendarTime(now)) return no_board(name + " has not begun");
  } else if (selector.period == Period::kAll) {
    return no_board(name + ": all has one instance, " + base::Quote(std::string(board) + "@all"));
  }
  return no_board(name + " is not kept any more: KEEP is " + std::to_string(spec().keep));
}

// Writing -----------------------------------------------------------------------------------------

Error Leaderboard::ClosedError(const Call& call, const Instance& span,
                               std::optional<Stamp> at) const {
  return {ErrorCode::kClosed, base::Quote(InstanceName(call.board, span)) + " lasted from " +
                                  base::FormatIsoTime(span.begin) + " to " +
                                  base::FormatIsoTime(span.end) + ", GRACE " +
                                  base::FormatDuration(spec().grace_us) + "; " +
                                  core::DescribeTimes(at, call.now)};
}

Result<Leaderboard::PeriodInstance> Leaderboard::Open(std::size_t i, std::optional<Stamp> at,
                                                      const Call& call) const {
  PeriodInstance known = InstanceOfPeriod(i, at.value_or(CalendarTime(call.now)));
  const bool over = IsOver(known.span, call.now);
  const bool closed =
      known.span.end <= periods().closed_through[static_cast<std::size_t>(known.span.period)];
  if (over || closed) return ClosedError(call, known.span, at);
  return known;
}

// Changes -----------------------------------------------------------------------------------------

void Leaderboard::AddStored(std::uint32_t number, const Instance& span) {
  LAUREL_ASSERT(number > 0 && number <= kMaxInstanceNumber);
  auto stored = std::make_unique<StoredInstance>(number, span, InstanceSpec(spec()), environment());
  stored->standings.SetMarks(marks());
  auto& all = periods().instances;
  const auto place = std::lower_bound(
      all.begin(), all.end(), number,
      [](const auto& there, std::uint32_t sought) { return there->number < sought; });
  LAUREL_ASSERT(place == all.end() || (*place)->number != number);
  auto& by_label = periods().by_label;
  by_label.insert(std::lower_bound(by_label.begin(), by_label.end(), stored->span, IsBeforeLabel),
                  stored.get());
  all.insert(place, std::move(stored));
  LAUREL_ASSERT(all.size() == by_label.size());
  periods().next_number = std::max(periods().next_number, number + 1);
  periods().known = {};
}

void Leaderboard::EraseStored(std::uint32_t number) {
  const auto labels = std::erase_if(
      periods().by_label, [&](const StoredInstance* stored) { return stored->number == number; });
  const auto erased = std::erase_if(periods().instances,
                                    [&](const auto& stored) { return stored->number == number; });
  LAUREL_ASSERT(labels == 1 && erased == 1);
  periods().known = {};
}

void Leaderboard::RaiseTurn(Stamp at) { periods().turned_at = std::max(periods().turned_at, at); }

void Leaderboard::CloseThrough(Period period, Stamp end) {
  Stamp& through = periods().closed_through[static_cast<std::size_t>(period)];
  through = std::max(through, end);
}

// Closing and dropping ----------------------------------------------------------------------------

void Leaderboard::CloseStored(StoredInstance* stored, std::string_view note,
                              EffectWriter* effects) {
  LAUREL_ASSERT(!stored->closed && note.size() <= kMaxCloseNoteBytes);
  stored->closed = true;
  stored->close_note = note;
  CloseThrough(stored->span.period, stored->span.end);
  const Stamp over = Later(stored->span.end, spec().grace_us);
  const bool turns = over > periods().turned_at;
  RaiseTurn(over);
  if (effects == nullptr) return;
  Closing closing;
  closing.note = note;
  const core::EntryStore& entries = stored->standings.entries();
  closing.size = entries.size();
  closing.words = stored->standings.layout().words();
  std::vector<std::string> members;
  members.reserve(kClosingTop);  // closing.top has views of these strings
  entries.ForRange(0, std::min<std::uint64_t>(kClosingTop, entries.size()), false,
                   [&](const core::EntryView& view) {
                     members.emplace_back(view.member);
                     closing.top.push_back({members.back(), view.words});
                     return true;
                   });
  effects->Select(RefOf(*stored));
  effects->Close(closing);
  effects->ClosedThrough(stored->span.period,
                         periods().closed_through[static_cast<std::size_t>(stored->span.period)]);
  if (turns) effects->Turned(periods().turned_at);
}

std::size_t Leaderboard::AdvanceInstances(Stamp now, std::size_t budget, std::string_view note,
                                          EffectWriter* effects, Summary* summary) {
  if (!has_periods() || !periods().calendar) return 0;
  std::vector<StoredInstance*> over;
  for (const auto& stored : periods().instances) {
    if (!stored->closed && IsOver(stored->span, now)) over.push_back(stored.get());
  }
  std::stable_sort(over.begin(), over.end(), [](const StoredInstance* a, const StoredInstance* b) {
    return a->span.end < b->span.end;
  });
  std::size_t done = 0;
  for (StoredInstance* stored : over) {
    if (done >= budget) return done;
    CloseStored(stored, note, effects);
    summary->declared = true;
    ++done;
  }
  const Kept kept = KeptInstances(now);
  std::vector<std::uint32_t> gone;
  for (const auto& stored : periods().instances) {
    if (done + gone.size() >= budget) break;
    if (stored->closed && !kept.Has(*stored)) gone.push_back(stored->number);
  }
  for (const std::uint32_t number : gone) {
    summary->gone.push_back(FindStored(number)->span);
    if (effects != nullptr) effects->DropInstance(number);
    EraseStored(number);
  }
  return done + gone.size();
}

}  // namespace laurel::leaderboard
