// Periods: which instance a name or a write means, and when instances close and go.
#include <algorithm>

#include "base/integer.h"
#include "base/text.h"
#include "base/time_text.h"
#include "calendar/zone_calendar.h"
#include "core/decide.h"
#include "engine/embedded/keyspace.h"
#include "engine/limits.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kMaxKeepRules = 1000;

// A moment and a duration, at most the end of time.
Stamp Later(Stamp moment, std::int64_t micros) {
  Stamp later = 0;
  return __builtin_add_overflow(moment, micros, &later) ? INT64_MAX : later;
}

bool Contains(const Instance& span, Stamp time) { return span.begin <= time && time < span.end; }

// `already`: it may have been closed under a shorter GRACE.
Error Closed(const Key& key, const Instance& span, bool already) {
  const std::int64_t grace_us = already ? 0 : key.board.spec().grace_us;
  std::string message = base::Quote(core::InstanceName(key.name, span)) + " lasted from " +
                        base::FormatIsoTime(span.begin) + " to " + base::FormatIsoTime(span.end);
  if (grace_us > 0) {
    message += " and took late writes until " + base::FormatIsoTime(Later(span.end, grace_us));
  }
  return {ErrorCode::kClosed, std::move(message)};
}

// The board's hidden marks as effects, which refer to it.
void AddMarks(const core::Board& board, core::EffectBatch* marks) {
  board.ForEachHidden([&](std::string_view member, const core::Board::HiddenEntry*) {
    core::Effect hide;
    hide.kind = core::Effect::Kind::kHide;
    hide.member = member;
    marks->Add(hide);
  });
}

}  // namespace

Result<std::unique_ptr<PeriodState>> Keyspace::MakeState(const Spec& spec) {
  if (spec.periods.empty()) return std::unique_ptr<PeriodState>();
  const Result<calendar::ZoneCalendar> calendar =
      calendar::ZoneCalendar::Of(spec.zone, spec.turn_minutes);
  if (!calendar.ok()) return calendar.error();
  return std::make_unique<PeriodState>(*calendar);
}

// Finding ---------------------------------------------------------------------------------------

Key* Keyspace::ParentOf(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return nullptr;
  Key* key = FindNamed(name.substr(0, at));
  return key != nullptr && key->parent ? key : nullptr;
}

std::string_view Keyspace::OwnerOf(std::string_view name) const {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return name;
  const Key* key = catalog_.Find(name.substr(0, at));
  return key != nullptr && key->parent && !IsOver(*key) ? name.substr(0, at) : name;
}

Key* Keyspace::FindInstance(const Key& key, const Instance& span) {
  const std::vector<Key*>& instances = key.parent->instances;
  const auto found = std::find_if(instances.rbegin(), instances.rend(), [&](const Key* instance) {
    // By label: an update of the zone's rules may have moved its begin.
    return instance->part->span.period == span.period && instance->part->span.label == span.label;
  });
  return found == instances.rend() ? nullptr : *found;
}

Key* Keyspace::FindInstance(Key* key, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::vector<Period>& periods = key->board.spec().periods;
  const auto place = std::find_if(periods.begin(), periods.end(), [&](Period period) {
    return PeriodName(period) == text.substr(0, colon);
  });
  if (place == periods.end()) return nullptr;
  PeriodState& state = StateOf(*key);
  const PeriodState::Known& present =
      Present(key, static_cast<std::size_t>(place - periods.begin()));
  Instance span = present.span;
  Key* found = present.key;
  Stamp turn = 0;
  const Stamp oldest = OldestKept(*key, *place, CalendarOf(*key), &turn);
  if (colon != std::string_view::npos) {
    const std::string_view label = text.substr(colon + 1);
    std::int64_t back = 0;
    if (label.starts_with('-') && base::ParseInteger(label, &back)) {
      for (; back < 0; ++back) {
        Instance before = state.calendar.Previous(span);
        // There is no other one of all time, nor of those that go.
        if (before.begin == span.begin || before.begin < oldest) return nullptr;
        span = std::move(before);
      }
    } else {
      Result<Instance> labelled = state.calendar.Find(*place, label);
      if (!labelled.ok()) return nullptr;
      // One to come is there if a write with AT went ahead of the clock.
      if (labelled->begin > span.begin) return FindInstance(*key, *labelled);
      span = std::move(*labelled);
    }
    found = FindInstance(*key, span);
  }
  if (span.begin < oldest) return nullptr;
  if (found != nullptr) return found;
  if (!state.nobody) {
    state.nobody = catalog_.MakeDetached(*key);
    state.nobody->part = std::make_unique<Key::Part>();
    state.nobody->part->of = key;
  }
  state.nobody->name = core::InstanceName(key->name, span);
  state.nobody->part->span = std::move(span);
  return state.nobody.get();
}

PeriodState::Known& Keyspace::Know(Key* key, std::size_t i, Stamp time) {
  PeriodState& state = StateOf(*key);
  PeriodState::Known& known = state.known[i];
  if (Contains(known.span, time)) return known;
  known.span = state.calendar.At(key->board.spec().periods[i], time);
  known.key = FindInstance(*key, known.span);
  return known;
}

void Keyspace::Unknow(const Key* instance) {
  for (PeriodState::Known& known : StateOf(*instance->part->of).known) {
    if (known.key == instance) known = PeriodState::Known();
  }
}

const PeriodState::Known& Keyspace::Present(Key* key, std::size_t i) {
  return Know(key, i, CalendarOf(*key));
}

std::vector<Key*> Keyspace::PartsOf(Key* key) {
  return key->parent ? key->parent->instances : std::vector<Key*>{key};
}

// Writing ---------------------------------------------------------------------------------------

Result<Key*> Keyspace::Open(Key* key, std::size_t i, std::optional<Stamp> at) {
  const Stamp calendar = CalendarOf(*key);
  PeriodState::Known& known = Know(key, i, at.value_or(calendar));
  if (!at) RaiseTurn(key, known.span.begin);
  const bool late = known.span.end <= calendar;
  const bool over = late && Later(known.span.end, key->board.spec().grace_us) <= calendar;
  const bool closed = known.span.end <= key->parent->ClosedThrough(known.span.period);
  if (over || closed) return Closed(*key, known.span, closed);
  if (known.key != nullptr) return known.key;
  known.key = catalog_.CreateInstance(key, known.span);
  known.key->fresh = true;
  core::EffectBatch marks;
  AddMarks(key->board, &marks);
  known.key->board.Apply(marks);
  return known.key;
}

Status Target::Open(std::optional<Stamp> at) {
  if (!has_periods_) return Ok{};
  const Spec& spec = key_->board.spec();
  for (std::size_t i = 0; i < spec.periods.size(); ++i) {
    const Result<Key*> opened = keys_->Open(key_, i, at);
    if (!opened.ok()) return opened.error();
    boards_[count_++] = *opened;
  }
  return core::CheckWindow(spec, at, keys_->now());
}

void Keyspace::Announce(Key* key) {
  if (!key->fresh) return;
  key->fresh = false;
  if (!key->part) return journal_.Create(*key);
  Announce(key->part->of);
  journal_.CreateInstance(*key);
  core::EffectBatch marks;
  AddMarks(key->board, &marks);
  journal_.Effects(*key, marks);
  LookAfter(key);
}

void Keyspace::Withdraw(Key* instance) {
  Unknow(instance);
  catalog_.DropInstance(instance);
}

void Keyspace::RaiseTurn(Key* key, Stamp at) {
  if (at <= key->parent->turned_at) return;
  key->parent->turned_at = at;
  if (!key->fresh) journal_.Turned(*key);
}

void Keyspace::ClearInstance(Key* instance) {
  if (Exists(*instance)) AddExisting(*instance, -1);
  Touch(*instance);
  Unknow(instance);
  dues_.erase({instance->part->due, instance});
  journal_.Clear(*instance);
  Key* cleared = catalog_.Clear(instance);
  cleared->changed_at = ++changes_;
  dues_.emplace(cleared->part->due, cleared);
  SettleExpiry(cleared->part->of);
}

void Keyspace::SettleExpiry(Key* key) {
  if (key->expires_at_ms == 0 || Exists(*key) || HasHiddenEntries(*key)) return;
  ClearExpiry(key);
}

void Keyspace::NoteReady(const Key& key) {
  if (!key.part) {
    if (IsAwaited(key.name)) ready_.emplace_back(key.name);
    return;
  }
  // It has several names, and those that count from the present mean another one after a turn.
  const std::string prefix = std::string(key.part->of->name) + "@";
  for (auto at = awaited_.lower_bound(prefix);
       at != awaited_.end() && at->first.starts_with(prefix); ++at) {
    if (Find(at->first) == &key) ready_.push_back(at->first);
  }
}

void Keyspace::AddExisting(const Key& key, int change) {
  const auto add = [change](std::uint64_t* count) {
    *count = change > 0 ? *count + 1 : *count - 1;
  };
  if (!key.part) return add(&existing_);
  std::uint64_t& nonempty = StateOf(*key.part->of).nonempty;
  add(&nonempty);
  if (nonempty == (change > 0 ? 1U : 0U)) add(&existing_);
}

// Closing and going -----------------------------------------------------------------------------

Stamp Keyspace::OldestKept(const Key& key, Period period, Stamp time, Stamp* turn) {
  const Spec& spec = key.board.spec();
  const calendar::ZoneCalendar& calendar = StateOf(key).calendar;
  // The turn counts when its GRACE is over.
  const Instance present = calendar.At(period, time - spec.grace_us);
  *turn = Later(present.end, spec.grace_us);
  if (oldest_kept_.size() > kMaxKeepRules) oldest_kept_.clear();
  const KeepRule rule{spec.zone, spec.turn_minutes, period, spec.keep, present.begin};
  if (const auto known = oldest_kept_.find(rule); known != oldest_kept_.end()) return known->second;
  Instance span = present;
  for (std::uint64_t i = 0; i < spec.keep; ++i) span = calendar.Previous(span);
  oldest_kept_.emplace(rule, span.begin);
  return span.begin;
}

// Closes the instance or lets it go if it is time, and sets the time of the next look.
bool Keyspace::LookAfter(Key* instance) {
  Key::Part& part = *instance->part;
  dues_.erase({part.due, instance});
  const Key& key = *part.of;
  const Stamp calendar = CalendarOf(key);
  part.due = Later(part.span.end, key.board.spec().grace_us);
  const bool closes = !part.closed && part.due <= calendar && !frozen_;
  if (closes) Close(instance);
  if (part.closed) {
    const bool kept = OldestKept(key, part.span.period, calendar, &part.due) <= part.span.begin;
    if (!kept && !frozen_) {
      DropInstance(instance);
      return true;
    }
  }
  dues_.emplace(part.due, instance);
  return closes;
}

void Keyspace::Close(Key* instance) {
  Key::Part& part = *instance->part;
  part.closed_epoch = log_place_.epoch;
  part.closed_after = log_place_.number;
  part.closed = true;
  std::vector<std::string> members;
  ClosedInstance closed{part.closed_epoch, part.closed_after, 0, 0, {}};
  const core::EntryStore& entries = instance->board.entries();
  members.reserve(kClosingTop);
  entries.ForRange(0, std::min<std::uint64_t>(kClosingTop, entries.size()), false,
                   [&](const core::EntryView& view) {
                     members.emplace_back(view.member);
                     closed.top.push_back({members.back(), view.words});
                     return true;
                   });
  closed.size = entries.size();
  closed.words = instance->board.layout().words();
  journal_.Closed(*instance, closed);
  part.of->parent->CloseThrough(part.span.period, part.span.end);
  journal_.ClosedThrough(*part.of, part.span.period);
  RaiseTurn(part.of, part.due);
}

void Keyspace::DropInstance(Key* instance) {
  if (Exists(*instance)) AddExisting(*instance, -1);
  Touch(*instance);
  Unknow(instance);
  journal_.DropInstance(*instance);
  Key* key = instance->part->of;
  catalog_.DropInstance(instance);
  SettleExpiry(key);
}

}  // namespace laurel::engine
