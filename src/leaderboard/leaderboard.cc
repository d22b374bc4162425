#include "leaderboard/leaderboard.h"

#include <algorithm>

#include "base/assert.h"
#include "base/hash_chain.h"
#include "core/decide.h"
#include "leaderboard/entries.h"

namespace laurel::leaderboard {

void Summary::NoteEntries(std::uint32_t instance) {
  if (std::find(changed.begin(), changed.end(), instance) == changed.end()) {
    changed.push_back(instance);
  }
}

void Summary::Clear() {
  accepted = ended = more = declared = remembered = due_earlier = false;
  changed.clear();
  gone.clear();
}

std::string InstanceName(std::string_view board, const Instance& span) {
  std::string name(board);
  name += '@';
  name += PeriodName(span.period);
  if (!span.label.empty()) name.append(":").append(span.label.view());
  return name;
}

Leaderboard::Leaderboard(const Spec& spec, core::Environment* environment,
                         std::shared_ptr<const Calendar> calendar)
    : standings_(spec, environment) {
  if (spec.periods.empty()) return;
  NeedExtras().periods =
      std::make_unique<Periods>(InstanceSpec(spec), environment, std::move(calendar));
}

Leaderboard::~Leaderboard() = default;

Leaderboard::Extras& Leaderboard::NeedExtras() {
  if (!extras_) extras_ = std::make_unique<Extras>();
  return *extras_;
}

std::span<const std::unique_ptr<Leaderboard::StoredInstance>> Leaderboard::instances() const {
  if (!has_periods()) return {};
  return periods().instances;
}

bool Leaderboard::has_entries() const {
  if (!has_periods()) return standings_.entries().size() > 0;
  return std::any_of(instances().begin(), instances().end(),
                     [](const auto& stored) { return stored->standings.entries().size() > 0; });
}

bool Leaderboard::has_hidden_entries() const {
  if (!has_periods()) return standings_.hidden_entries() > 0;
  return std::any_of(instances().begin(), instances().end(),
                     [](const auto& stored) { return stored->standings.hidden_entries() > 0; });
}

std::uint64_t Leaderboard::visible_entries() const {
  std::uint64_t entries = standings_.entries().size();
  for (const auto& stored : instances()) entries += stored->standings.entries().size();
  return entries;
}

std::uint64_t Leaderboard::all_entries() const {
  std::uint64_t entries = visible_entries() + standings_.hidden_entries();
  for (const auto& stored : instances()) entries += stored->standings.hidden_entries();
  return entries;
}

std::size_t Leaderboard::MemoryUsage() const {
  std::size_t bytes = sizeof(Leaderboard) - sizeof(core::Standings) + standings_.MemoryUsage();
  if (!extras_) return bytes;
  bytes += sizeof(Extras);
  if (extras_->marks) bytes += sizeof(core::Marks) + extras_->marks->bytes();
  if (extras_->requests) bytes += sizeof(RequestIds) + extras_->requests->bytes();
  if (!extras_->periods) return bytes;
  bytes += sizeof(Periods) - sizeof(core::Standings) + periods().empty.MemoryUsage();
  for (const auto& stored : periods().instances) {
    bytes += sizeof(StoredInstance) - sizeof(core::Standings) + stored->standings.MemoryUsage();
  }
  return bytes;
}

// Changes -----------------------------------------------------------------------------------------

core::Standings* Leaderboard::StandingsOf(std::uint32_t number) {
  if (number == 0) return has_periods() ? nullptr : &standings_;
  StoredInstance* stored = FindStored(number);
  return stored != nullptr ? &stored->standings : nullptr;
}

void Leaderboard::ApplyEntry(core::Standings* standings, const core::Effect& effect,
                             core::Location found, const core::EntryStore::WriteHint* hint) {
  NoteStamp(effect);
  standings->Apply(effect, found, hint);
}

void Leaderboard::NoteStamp(const core::Effect& effect) {
  if (effect.kind == core::Effect::Kind::kPut && !effect.stamp_not_from_clock) {
    RaiseStamp(standings_.layout().StampOf(effect.words));
  }
}

void Leaderboard::SetSpec(const Spec& spec) {
  LAUREL_ASSERT(spec.periods == this->spec().periods);  // CheckAltered
  core::Effect alter;
  alter.kind = core::Effect::Kind::kAlter;
  alter.spec = &spec;
  standings_.Apply(alter);
  if (!ExpiresAfterLastWrite() && extras_) extras_->written_at = 0;
  if (!has_periods()) return;
  const Spec of_instances = InstanceSpec(spec);
  alter.spec = &of_instances;
  periods().empty.Apply(alter);
  for (const auto& stored : periods().instances) stored->standings.Apply(alter);
}

void Leaderboard::SetMark(std::string_view member, bool hidden) {
  std::unique_ptr<core::Marks>& marks = NeedExtras().marks;
  if (hidden) {
    if (!marks) marks = std::make_unique<core::Marks>(environment()->memory());
    marks->Add(member);
  } else if (marks) {
    marks->Remove(member);
    if (marks->size() == 0) marks.reset();
  }
  ShareMarks();
  if (extras_->IsEmpty()) extras_.reset();
}

void Leaderboard::ShareMarks() {
  const core::Marks* marks = extras_->marks.get();
  if (standings_.marks() == marks) return;
  standings_.SetMarks(marks);
  if (!has_periods()) return;
  periods().empty.SetMarks(marks);
  for (const auto& stored : periods().instances) stored->standings.SetMarks(marks);
}

bool Leaderboard::ExceedsCap() const {
  const std::uint64_t cap = spec().cap;
  if (cap == 0) return false;
  const auto all = instances();
  return standings_.entries().size() > cap ||
         std::any_of(all.begin(), all.end(),
                     [&](const auto& stored) { return stored->standings.entries().size() > cap; });
}

bool Leaderboard::ExceedsCap(std::span<const std::uint32_t> numbers) const {
  const std::uint64_t cap = spec().cap;
  if (cap == 0) return false;
  return std::any_of(numbers.begin(), numbers.end(), [&](std::uint32_t number) {
    const StoredInstance* stored = number == 0 ? nullptr : FindStored(number);
    if (stored != nullptr) return stored->standings.entries().size() > cap;
    return number == 0 && standings_.entries().size() > cap;
  });
}

bool Leaderboard::EvictExcess(EffectWriter* effects) {
  bool evicted = false;
  const auto evict = [&](core::Standings* standings, const InstanceRef& instance) {
    core::EffectBatch evictions;
    core::DecideCap(*standings, spec().cap, &evictions);
    if (evictions.empty()) return;
    evicted = true;
    effects->Select(instance);
    for (const core::Effect& effect : evictions) {
      effects->Entry(effect, standings->layout().words());
      ApplyEntry(standings, effect);
    }
    LAUREL_ASSERT(standings->entries().size() == spec().cap);
  };
  evict(&standings_, {});
  for (const auto& stored : instances()) evict(&stored->standings, RefOf(*stored));
  return evicted;
}

RequestIds& Leaderboard::Requests() {
  std::unique_ptr<RequestIds>& requests = NeedExtras().requests;
  if (!requests) {
    requests = std::make_unique<RequestIds>(standings_.hasher(), environment()->memory(),
                                            &environment()->totals().request_ids);
  }
  return *requests;
}

// Requests ----------------------------------------------------------------------------------------

std::size_t Leaderboard::ForgetOld(Stamp now, std::size_t most, EffectWriter* effects) {
  if (requests() == nullptr) return 0;
  RequestIds& ids = Requests();
  const auto is_over = [&](const RememberedRequest& oldest) {
    return ids.size() > spec().dedup || ids.bytes() > kMaxRequestIdBytes ||
           oldest.at <= now - kRequestIdLifeMicros;
  };
  std::uint64_t kept = 0;
  std::size_t forgotten = 0;
  for (; forgotten < most && ids.size() > 0; ++forgotten) {
    const RememberedRequest oldest = ids.Oldest();
    if (!is_over(oldest)) break;
    kept = oldest.sequence + 1;
    ids.ForgetBefore(kept);
  }
  if (kept != 0 && effects != nullptr) effects->ForgetBefore(kept);
  return forgotten;
}

// Time --------------------------------------------------------------------------------------------

Stamp Leaderboard::EndsAt() const { return leaderboard::EndsAt(spec(), written_at()); }

Stamp Leaderboard::Due(Stamp now) const {
  Stamp due = std::min(EndsAt(), TurnsAt(now));
  if (requests() != nullptr && requests()->size() > 0) {
    due = std::min(due, requests()->Oldest().at + kRequestIdLifeMicros);
  }
  if (!has_periods() || !periods().calendar) return due;
  const Stamp time = CalendarTime(now);
  const Kept kept = KeptInstances(now);
  for (const auto& stored : periods().instances) {
    // Overdue work is due now: the board's calendar may be ahead of the clock.
    if (stored->closed ? !kept.Has(*stored) : IsOver(stored->span, now)) due = std::min(due, now);
    due = std::min(due, stored->closed ? NextTurn(stored->span.period, time)
                                       : Later(stored->span.end, spec().grace_us));
  }
  return due;
}

Stamp Leaderboard::PresentBegin(Stamp now) const {
  LAUREL_ASSERT(has_periods() && periods().calendar != nullptr);
  Stamp begin = INT64_MIN;
  for (std::size_t i = 0; i < spec().periods.size(); ++i) {
    begin = std::max(begin, InstanceOfPeriod(i, CalendarTime(now)).span.begin);
  }
  return begin;
}

void Leaderboard::Turn(Stamp now, EffectWriter* effects) {
  if (!has_periods() || !periods().calendar) return;
  const Stamp begin = PresentBegin(now);
  if (begin <= periods().turned_at) return;
  RaiseTurn(begin);
  if (effects != nullptr) effects->Turned(begin);
}

Stamp Leaderboard::TurnsAt(Stamp now) const {
  if (!has_periods() || !periods().calendar) return INT64_MAX;
  if (PresentBegin(now) > periods().turned_at) return now;
  Stamp end = INT64_MAX;
  for (std::size_t i = 0; i < spec().periods.size(); ++i) {
    end = std::min(end, InstanceOfPeriod(i, CalendarTime(now)).span.end);
  }
  return end;
}

Summary Leaderboard::Advance(Stamp now, std::size_t budget, std::string_view close_note,
                             EffectWriter* effects) {
  Summary summary;
  if (HasExpired(now)) {
    summary.ended = true;
    return summary;
  }
  const std::size_t forgotten = ForgetOld(now, budget, effects);
  const std::size_t left = budget - forgotten;
  const std::size_t done = AdvanceInstances(now, left, close_note, effects, &summary);
  LAUREL_ASSERT(forgotten <= budget && done <= left);
  Turn(now, effects);
  summary.more = forgotten + done >= budget;
  return summary;
}

// Digest and validation ---------------------------------------------------------------------------

namespace {

constexpr std::uint64_t kDigestSeed = 0x4c617572656c3032;  // changes with the digest's definition

class Chain : public base::HashChain {
 public:
  Chain() : HashChain(kDigestSeed) {}

  using HashChain::Add;
  void Add(const core::Words& words, unsigned count) {
    for (unsigned i = 0; i < count; ++i) Add(words[i]);
  }
  void Add(const core::Standings& standings) {
    const unsigned words = standings.layout().words();
    Add(standings.entries().size());
    standings.entries().ForRange(0, standings.entries().size(), false,
                                 [&](const core::EntryView& view) {
                                   Add(view.member);
                                   Add(view.words, words);
                                   Add(view.meta);
                                   return true;
                                 });
    Add(standings.hidden_entries());
    standings.ForEachHidden(
        [&](std::string_view member, const core::Standings::HiddenEntry& entry) {
          Add(member);
          Add(entry.words, words);
          Add(std::string_view(entry.meta));
        });
  }
};

}  // namespace

std::uint64_t Leaderboard::Digest() const {
  Chain chain;
  chain.Add(DescribeSpec(spec()));
  chain.Add(last_stamp_);
  chain.Add(written_at());
  chain.Add(standings_);
  if (marks() != nullptr) {
    marks()->ForSome(nullptr, SIZE_MAX, [&](std::string_view member) { chain.Add(member); });
  }
  if (has_periods()) {
    chain.Add(periods().turned_at);
    for (const Stamp end : periods().closed_through) chain.Add(end);
    for (const auto& stored : periods().instances) {
      chain.Add(std::uint64_t{stored->number});
      chain.Add(static_cast<std::uint64_t>(stored->span.period));
      chain.Add(stored->span.begin);
      chain.Add(stored->span.end);
      chain.Add(stored->span.label.view());
      chain.Add(std::uint64_t{stored->closed});
      chain.Add(stored->standings);
    }
  }
  if (requests() != nullptr) {
    requests()->ForSome(0, SIZE_MAX, [&](const RememberedRequest& request) {
      chain.Add(request.sequence);
      chain.Add(request.at);
      chain.Add(request.identity);
      chain.Add(request.id);
      chain.Add(request.outcome);
    });
  }
  return chain.state();
}

std::string Leaderboard::Validate() const {
  const auto check = [&](const core::Standings& standings) {
    std::string broken = standings.Validate();
    standings.ForEachHidden([&](std::string_view member, const core::Standings::HiddenEntry&) {
      if (!standings.IsHidden(member)) broken = "leaderboard: an entry is hidden without a mark";
    });
    if (standings.marks() != marks()) broken = "leaderboard: an instance has other marks";
    return broken;
  };
  if (std::string broken = check(standings_); !broken.empty()) return broken;
  if (!has_periods()) return "";
  if (standings_.entries().size() + standings_.hidden_entries() > 0) {
    return "leaderboard: entries beside those of the instances";
  }
  std::uint32_t before = 0;
  for (const auto& stored : periods().instances) {
    if (stored->number <= before) return "leaderboard: instances are not in order";
    before = stored->number;
    if (std::string broken = check(stored->standings); !broken.empty()) return broken;
  }
  if (before >= periods().next_number) return "leaderboard: an instance's number is not given yet";
  return check(periods().empty);
}

}  // namespace laurel::leaderboard
