#include "transfer/draft/placement.h"

#include <algorithm>

#include "base/memory.h"
#include "base/text.h"
#include "calendar/zone_calendar.h"
#include "core/store/environment.h"
#include "leaderboard/leaderboard.h"
#include "leaderboard/operation.h"

namespace laurel::transfer {
namespace {

using leaderboard::InstanceSelector;

std::string NameOf(const Instance& span) {
  const std::string period(PeriodName(span.period));
  return span.label.empty() ? period : period + ":" + std::string(span.label);
}

// Returns the span of the instance that a leaderboard finds for the selector.
std::optional<Instance> Look(const leaderboard::Leaderboard& board, Period period,
                             InstanceSelector::Which which, std::uint64_t back, Stamp now) {
  InstanceSelector selector;
  selector.period = period;
  selector.which = which;
  selector.back = back;
  const auto view = board.ViewOf(selector, now);
  if (!view) return std::nullopt;
  return view->span;
}

std::string ListPeriods(const Spec& spec) {
  std::string list;
  for (const Period period : spec.periods) {
    list += (list.empty() ? "" : ", ") + std::string(PeriodName(period));
  }
  return list;
}

}  // namespace

Result<Placement> Placement::Make(const Spec& spec, const std::optional<std::string>& period,
                                  Stamp now) {
  using Which = InstanceSelector::Which;
  if (spec.periods.empty()) return Err("the board has no periods");
  Result<calendar::ZoneCalendar> zone = calendar::ZoneCalendar::Of(spec.zone, spec.turn_minutes);
  if (!zone.ok()) return Err("TZ: " + zone.error().message);
  const auto calendar = std::make_shared<const calendar::ZoneCalendar>(std::move(*zone));
  Placement made(calendar, now);
  // An empty board is enough to find what KEEP covers.
  core::Environment environment(base::SystemMemory(), /*hash_seed=*/1);
  const leaderboard::Leaderboard board(spec, &environment, calendar);
  for (const Period declared : spec.periods) {
    const Instance present = *Look(board, declared, Which::kPresent, 0, now);
    Instance oldest = present;
    // While GRACE lasts, KEEP counts from the instance before the current one.
    for (const std::uint64_t back : {spec.keep, spec.keep + 1}) {
      oldest = Look(board, declared, Which::kBefore, back, now).value_or(oldest);
    }
    made.covered_.push_back({declared, oldest.begin, present.end});
  }
  if (!period) {
    for (std::size_t i = 0; i < made.covered_.size(); ++i) made.used_.push_back(i);
    return made;
  }
  const InstanceSelector selector = leaderboard::ParseSelector(*period);
  const auto declared = std::find(spec.periods.begin(), spec.periods.end(), selector.period);
  if (selector.which == Which::kNone || declared == spec.periods.end()) {
    return Err("period " + base::Quote(*period) + ": the board has the periods " +
               ListPeriods(spec));
  }
  made.used_.push_back(static_cast<std::size_t>(declared - spec.periods.begin()));
  if (selector.which == Which::kPresent) return made;
  const auto view = board.ViewOf(selector, now);
  if (!view) {
    return Err("period " + base::Quote(*period) + ": the board keeps no such instance, KEEP is " +
               std::to_string(spec.keep));
  }
  made.fixed_ = made.Add(&made.covered_[made.used_[0]], view->span)->number;
  return made;
}

std::size_t Placement::At(std::optional<Stamp> time, std::vector<const PlacedInstance*>* places) {
  places->clear();
  if (fixed_ != 0) {
    places->push_back(&(*this)[fixed_]);
    return 0;
  }
  for (const std::size_t i : used_) {
    if (const PlacedInstance* place = PlaceOf(&covered_[i], time.value_or(now_)))
      places->push_back(place);
  }
  return used_.size() - places->size();
}

const Placement::PlacedInstance* Placement::PlaceOf(Covered* covered, Stamp time) {
  if (time < covered->begin || time >= covered->end) return nullptr;
  const auto after = covered->numbers.upper_bound(time);
  if (after != covered->numbers.begin()) {
    const PlacedInstance& place = (*this)[std::prev(after)->second];
    if (time < place.span.end) return &place;
  }
  return Add(covered, calendar_->At(covered->period, time));
}

const Placement::PlacedInstance* Placement::Add(Covered* covered, const Instance& span) {
  const auto [known, is_new] =
      covered->numbers.try_emplace(span.begin, static_cast<std::uint16_t>(places_.size() + 1));
  if (is_new) {
    places_.push_back({known->second, NameOf(span), span});
    by_name_.emplace(places_.back().name, known->second);
  }
  return &(*this)[known->second];
}

Result<const Placement::PlacedInstance*> Placement::Named(std::string_view name) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return &(*this)[known->second];
  using Which = InstanceSelector::Which;
  const Error unknown = Err(base::Quote(name) + " is no instance of this board");
  const InstanceSelector selector = leaderboard::ParseSelector(name);
  const auto covered = std::find_if(covered_.begin(), covered_.end(), [&](const Covered& one) {
    return one.period == selector.period;
  });
  if (selector.which == Which::kNone || covered == covered_.end()) return unknown;
  Instance span;
  if (selector.which == Which::kLabel) {
    Result<Instance> found = calendar_->Find(selector.period, selector.label);
    if (!found.ok()) return unknown;
    span = *found;
  } else if (selector.period != Period::kAll || selector.which != Which::kPresent) {
    return unknown;
  }
  if (span.begin < covered->begin || span.begin >= covered->end) return nullptr;
  return Add(&*covered, span);
}

}  // namespace laurel::transfer
