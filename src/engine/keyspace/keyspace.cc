#include "engine/keyspace/keyspace.h"

#include <algorithm>
#include <deque>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/text.h"
#include "engine/limits.h"
#include "leaderboard/limits.h"
#include "leaderboard/no_answer.h"
#include "leaderboard/outcome.h"
#include "leaderboard/request_ids.h"

namespace laurel::engine {
namespace {

// How many instances and request ids one call of Leaderboard::Advance handles at most.
constexpr std::size_t kAdvancedAtOnce = 64;
// Due work on a leaderboard counts as this many expiring names towards the limit of RunDueWork.
constexpr std::size_t kAdvanceWeight = 4;

// The error of a write to several boards whose id only one of them knows.
Error KnownOnOneBoard(const Keyspace::BoardOperation& known, std::string_view id,
                      std::string_view other) {
  const Leaderboard& board = known.named->board;
  leaderboard::RememberedRequest first;
  const bool found = board.requests()->Find(id, &first);
  LAUREL_ASSERT(found);
  return {ErrorCode::kReused, "id " + base::Quote(id) + " was used for another write, on " +
                                  base::Quote(known.name) + " and not on " + base::Quote(other) +
                                  ", at " + leaderboard::DescribeRequest(board.spec(), first)};
}

}  // namespace

std::string LogPosition::ToNote() const {
  static_assert(2 * sizeof(std::uint64_t) <= leaderboard::kMaxCloseNoteBytes);
  std::string note(2 * sizeof(std::uint64_t), '\0');
  base::Store(note.data(), epoch);
  base::Store(note.data() + sizeof(epoch), number);
  return note;
}

std::optional<LogPosition> LogPosition::FromNote(std::string_view note) {
  if (note.size() != 2 * sizeof(std::uint64_t)) return std::nullopt;
  return LogPosition{base::Load<std::uint64_t>(note.data()),
                     base::Load<std::uint64_t>(note.data() + sizeof(std::uint64_t))};
}

std::string Keyspace::View::Name() const {
  if (!span) return std::string(named->name);
  return leaderboard::InstanceName(named->name, *span);
}

Keyspace::Keyspace(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
                   const core::Shape& shape)
    : catalog_(memory, hash_seed, &calendars_, shape) {}

// Finding -----------------------------------------------------------------------------------------

NamedBoard* Keyspace::Find(std::string_view name) {
  NamedBoard* named = catalog_.Find(name);
  if (named == nullptr) return nullptr;
  if (IsOver(*named)) {
    ++expired_;
    End(named, /*expired=*/true);
    return nullptr;
  }
  if (!IsExpired(*named)) return named;
  Expire(named);
  return catalog_.Find(name);
}

NamedBoard* Keyspace::PeriodBoardOf(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return nullptr;
  NamedBoard* named = Find(name.substr(0, at));
  return named != nullptr && named->has_periods() ? named : nullptr;
}

std::string_view Keyspace::OwnerOf(std::string_view name) const {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return name;
  const NamedBoard* named = catalog_.Find(name.substr(0, at));
  return named != nullptr && named->has_periods() && !IsOver(*named) ? name.substr(0, at) : name;
}

Keyspace::Resolved Keyspace::Resolve(std::string_view name) {
  if (NamedBoard* period_board = PeriodBoardOf(name)) {
    return {period_board, leaderboard::ParseSelector(name.substr(name.find('@') + 1))};
  }
  return {Find(name), std::nullopt};
}

Keyspace::View Keyspace::ViewOf(std::string_view name) {
  const Resolved place = Resolve(name);
  View view;
  view.instance = place.instance;
  if (place.named == nullptr) return view;
  view.named = place.named;
  view.changes = place.named->changed_at;
  if (place.instance) NoteSteps(leaderboard::StepsOf(*place.instance, place.named->spec()));
  const auto looked = place.named->board.ViewOf(place.instance, now_us_);
  if (!looked) return {};
  view.standings = looked->standings;
  view.number = looked->number;
  if (looked->stored != nullptr) view.changes = looked->stored->changes;
  if (place.named->has_periods()) view.span = looked->span;
  return view;
}

Keyspace::View Keyspace::ViewForRead(std::string_view name) {
  View view = ViewOf(name);
  CountReads(view.exists(), 1);
  return view;
}

NamedBoard* Keyspace::FindExisting(std::string_view name) {
  const Resolved place = Resolve(name);
  if (place.named == nullptr) return nullptr;
  const bool exists = place.instance ? ViewOf(name).exists() : place.named->exists();
  return exists ? place.named : nullptr;
}

// Making and ending -------------------------------------------------------------------------------

Error NoSuchBoard(std::string_view name, const wire::WaysOut& ways) {
  return {ErrorCode::kNoBoard,
          "no board " + base::Quote(name) + ": " + wire::WayToCreate(ways, name)};
}

Error Keyspace::NoBoard(std::string_view name, const wire::WaysOut& ways) {
  const Resolved place = Resolve(name);
  if (place.named != nullptr && place.named->is_leaderboard() && place.instance) {
    return place.named->board.NoInstance(place.named->name, *place.instance, now_us_);
  }
  const std::size_t at = name.rfind('@');
  const NamedBoard* before = at == std::string_view::npos ? nullptr : Find(name.substr(0, at));
  if (before != nullptr && before->is_leaderboard()) {
    return {ErrorCode::kNoBoard,
            base::Quote(name) + ": " + base::Quote(before->name) + " has no periods"};
  }
  if (at == std::string_view::npos && templates_.For(name) != nullptr) {
    return {ErrorCode::kNoBoard,
            "no board " + base::Quote(name) + " yet: the first write makes it from a template"};
  }
  return NoSuchBoard(name, ways);
}

Status Keyspace::CheckNoInstance(std::string_view name) {
  const NamedBoard* period_board = PeriodBoardOf(name);
  if (period_board == nullptr) return Ok{};
  return Error{ErrorCode::kErr, base::Quote(name) + " is a period of " +
                                    base::Quote(period_board->name) +
                                    ": write to the board itself"};
}

Result<NamedBoard*> Keyspace::Make(std::string_view name, const Spec& spec) {
  if (const Status free = CheckNoInstance(name); !free.ok()) return free.error();
  const Result<NamedBoard*> made = catalog_.Create(name, spec);
  if (made.ok()) schedule_.ScheduleBy(*made, DueOf(**made));
  return made;
}

Result<NamedBoard*> Keyspace::Create(std::string_view name) {
  const Template* found = templates_.For(name);
  const Result<NamedBoard*> made = Make(name, found != nullptr ? found->spec : Spec::SortedSet());
  if (made.ok()) (*made)->fresh = true;
  return made;
}

void Keyspace::Withdraw(NamedBoard* named) {
  LAUREL_ASSERT(named->fresh && !named->exists());
  Uncount(named);
  catalog_.Drop(named);
}

void Keyspace::LogCreation(NamedBoard* named) {
  if (!named->fresh) return;
  named->fresh = false;
  journal_.Create(named->id, named->name, named->spec());
}

Result<NamedBoard*> Keyspace::Declare(std::string_view name, const Spec& spec) {
  if (const Status free = CheckNoInstance(name); !free.ok()) return free.error();
  if (const Status named = CheckName(name, spec); !named.ok()) return named.error();
  if (const Status checked = CheckSpec(spec); !checked.ok()) return checked.error();
  if (NamedBoard* present = Find(name)) {
    if (present->spec() == spec) return present;
    return Error{ErrorCode::kExists,
                 base::Quote(name) + " exists with another spec: " + DescribeSpec(present->spec())};
  }
  const Result<NamedBoard*> made = Make(name, spec);
  if (!made.ok()) return made;
  journal_.Create((*made)->id, name, spec);
  // The present instances begin with the declaration, in the same log batch.
  if ((*made)->due_at <= now_us_ && !frozen_) Advance(*made);
  return made;
}

Result<NamedBoard*> Keyspace::Replace(std::string_view name, const Spec& spec) {
  if (const Status status = CheckName(name, spec); !status.ok()) return status.error();
  if (NamedBoard* present = catalog_.Find(name)) Drop(present);
  const Result<NamedBoard*> made = Make(name, spec);
  if (made.ok()) journal_.Create((*made)->id, name, spec);
  return made;
}

void Keyspace::End(NamedBoard* named, bool expired) {
  TouchAll(*named);
  if (!named->fresh) journal_.Drop(named->id, named->name, named->spec(), expired);
  Uncount(named);
  catalog_.Drop(named);
}

void Keyspace::Uncount(NamedBoard* named) {
  if (named->exists()) {
    LAUREL_ASSERT(existing_ > 0);
    --existing_;
  }
  ForgetExpiry(named);
  schedule_.Remove(named);
}

bool Keyspace::Delete(std::string_view name) {
  NamedBoard* named = Find(name);
  if (named == nullptr) return false;
  const bool removes = named->exists() || named->board.has_hidden_entries();
  if (named->is_leaderboard()) {
    leaderboard::NoAnswer answer;
    Execute(named, leaderboard::Clear{}, name, 0, &answer);
    ClearExpiry(named);
    return removes;
  }
  End(named, /*expired=*/false);
  return removes;
}

void Keyspace::Rename(NamedBoard* from, std::string_view to) {
  LAUREL_ASSERT(from->exists() && !from->has_periods());
  LAUREL_ASSERT(CheckName(to, from->spec()).ok());
  const std::string from_name(from->name);
  if (from_name == to) return;
  watches_.Touch(from_name);
  const Spec spec = from->spec();
  if (NamedBoard* replaced = catalog_.Find(to)) {
    journal_.Drop(replaced->id, replaced->name, replaced->spec(), /*expired=*/false);
    Uncount(replaced);
  }
  catalog_.Rename(from, to);
  journal_.Rename(from->id, from->name, from_name, spec);
  if (from->is_leaderboard()) {  // request ids belong to the old name
    from->board.ForgetRequests(journal_.On(from->id));
    journal_.DiscardIfEmpty();
  }
  watches_.Touch(to);
  if (watches_.IsAwaited(to)) watches_.NoteReady(to);
  if (spec.kind == BoardKind::kLeaderboard) {
    const Result<NamedBoard*> declared = Declare(from_name, spec);
    LAUREL_ASSERT(declared.ok());
  }
}

void Keyspace::Copy(const NamedBoard& from, std::string_view to) {
  LAUREL_ASSERT(from.exists() && !from.has_periods() && from.name != to);
  const Result<NamedBoard*> copy = Replace(to, from.spec());
  LAUREL_ASSERT(copy.ok());
  const leaderboard::Summary summary =
      (*copy)->board.CopyFrom(from.board, now_us_, journal_.On((*copy)->id));
  AfterChange(*copy, false, summary);
  if (from.expires_at_ms != 0) SetExpiry(*copy, from.expires_at_ms);
}

void Keyspace::Flush() {
  std::vector<NamedBoard*> all;
  all.reserve(catalog_.size());
  for (NamedBoard* named = catalog_.FirstById(); named != nullptr;
       named = Catalog::NextById(named)) {
    all.push_back(named);
  }
  journal_.DropBelow(catalog_.next_id());
  for (NamedBoard* named : all) {
    if (!named->loading) {
      TouchAll(*named);
      Uncount(named);
    }
    catalog_.Drop(named);
  }
  loads_.clear();
}

// Writing -----------------------------------------------------------------------------------------

bool Keyspace::Execute(NamedBoard* named, const leaderboard::WriteOperation& operation,
                       std::string_view name, Stamp stamp, leaderboard::Answer* answer,
                       std::span<const leaderboard::Hint> hints) {
  named->board.Decide(operation, {name, now_us_, stamp}, &decision_, hints);
  return Commit(named, &decision_, answer);
}

bool Keyspace::Commit(NamedBoard* named, leaderboard::Decision* decision,
                      leaderboard::Answer* answer) {
  if (decision->changes()) LogCreation(named);
  const bool noted = !named->fresh && !decision->refusal() && !decision->is_retry();
  const bool existed = named->exists();
  leaderboard::EffectWriter* effects = noted ? journal_.On(named->id) : nullptr;
  named->board.Commit(decision, answer, effects, &summary_);
  if (noted) journal_.DiscardIfEmpty();
  if (!summary_.accepted) return false;
  if (named->fresh || !AfterChange(named, existed, summary_)) return true;
  // Work that an LB.ALTER makes due is done now, so that it is in the same log batch.
  if (summary_.declared && named->due_at <= now_us_ && !frozen_) Advance(named);
  return true;
}

Status Keyspace::ExecuteAll(std::span<const BoardOperation> operations) {
  std::deque<leaderboard::Decision> decisions;
  for (const BoardOperation& on : operations) {
    leaderboard::Decision& decision = decisions.emplace_back();
    on.named->board.Decide(*on.operation, {on.name, now_us_, on.stamp}, &decision);
    if (decision.refusal()) {
      return Error{decision.refusal()->code,
                   base::Quote(on.name) + ": " + decision.refusal()->message};
    }
    if (decision.is_retry() != decisions.front().is_retry()) {
      const BoardOperation& known = decision.is_retry() ? on : operations.front();
      const BoardOperation& other = decision.is_retry() ? operations.front() : on;
      return KnownOnOneBoard(known, *decision.id(), other.name);
    }
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Commit(operations[i].named, &decisions[i], operations[i].answer);
  }
  return Ok{};
}

leaderboard::EffectWriter* Keyspace::EffectsOf(NamedBoard* named) {
  LogCreation(named);
  return journal_.On(named->id);
}

bool Keyspace::AfterChange(NamedBoard* named, bool existed, const leaderboard::Summary& summary) {
  if (summary.due_earlier) schedule_.ScheduleBy(named, DueOf(*named));
  if (summary.changed.empty() && summary.gone.empty() && !summary.declared) return true;
  named->changed_at = ++changes_;
  Touch(*named, summary);
  const bool exists = named->exists();
  if (exists && !existed) ++existing_;
  if (existed && !exists) --existing_;
  if (!exists && !named->is_leaderboard()) {
    journal_.Drop(named->id, named->name, named->spec(), /*expired=*/false);
    ForgetExpiry(named);
    schedule_.Remove(named);
    catalog_.Drop(named);
    return false;
  }
  if (!exists && !named->board.has_hidden_entries()) ClearExpiry(named);
  if (watches_.any_awaited()) NoteReady(*named, summary);
  return true;
}

NamedBoard* Keyspace::ReplaceByEntries(std::string_view name, const Spec& spec,
                                       core::Standings* filled) {
  const Result<NamedBoard*> made = Replace(name, spec);
  LAUREL_ASSERT(made.ok());
  const leaderboard::Summary summary =
      (*made)->board.TakeEntries(filled, now_us_, journal_.On((*made)->id));
  journal_.DiscardIfEmpty();
  AfterChange(*made, /*existed=*/false, summary);
  return *made;
}

// Time --------------------------------------------------------------------------------------------

void Keyspace::SetExpiry(NamedBoard* named, std::int64_t at_ms) {
  LAUREL_ASSERT(named->exists());
  watches_.Touch(named->name);
  ForgetExpiry(named);
  named->expires_at_ms = at_ms;
  if (at_ms != 0) ++expiring_;
  schedule_.ScheduleBy(named, ExpiryOf(*named));  // its other work is scheduled already
  journal_.Expiry(named->id, at_ms);
}

void Keyspace::ClearExpiry(NamedBoard* named) {
  if (named->expires_at_ms == 0) return;
  ForgetExpiry(named);
  journal_.Expiry(named->id, 0);
}

void Keyspace::ForgetExpiry(NamedBoard* named) {
  if (named->expires_at_ms == 0) return;
  named->expires_at_ms = 0;
  LAUREL_ASSERT(expiring_ > 0);
  --expiring_;
}

void Keyspace::Expire(NamedBoard* named) {
  ++expired_;
  const std::string name(named->name);
  if (named->is_leaderboard()) {
    ClearExpiry(named);
  } else {
    ForgetExpiry(named);
  }
  Delete(name);
}

Stamp Keyspace::ExpiryOf(const NamedBoard& named) {
  const bool expires = named.expires_at_ms != 0 && named.expires_at_ms < INT64_MAX / 1000;
  return expires ? named.expires_at_ms * 1000 : INT64_MAX;
}

Stamp Keyspace::DueOf(const NamedBoard& named) const {
  return std::min(ExpiryOf(named), named.board.Due(now_us_));
}

bool Keyspace::RunDueWork(std::size_t limit) {
  if (frozen_) return false;
  DropOldLoads();
  while (limit > 0) {
    NamedBoard* named = schedule_.Next(now_us_);
    if (named == nullptr) return false;
    const std::size_t weight = named->is_leaderboard() ? kAdvanceWeight : 1;
    limit -= std::min(limit, weight);
    RunDue(named);
  }
  return true;
}

void Keyspace::RunDue(NamedBoard* named) {
  const std::uint64_t id = named->id;
  const std::string name(named->name);
  // Find expires or drops the board if its time has passed.
  named = Find(name);
  if (named == nullptr || named->id != id) return;
  Advance(named);
}

void Keyspace::Advance(NamedBoard* named) {
  const bool existed = named->exists();
  const leaderboard::Summary summary = named->board.Advance(
      now_us_, kAdvancedAtOnce, log_position_.ToNote(), journal_.On(named->id));
  journal_.DiscardIfEmpty();
  AfterChange(named, existed, summary);
  schedule_.Set(named, summary.more ? now_us_ : DueOf(*named));
}

void Keyspace::Restored() {
  for (NamedBoard *next = nullptr, *named = catalog_.FirstById(); named != nullptr; named = next) {
    next = Catalog::NextById(named);
    if (named->loading) {
      catalog_.Drop(named);
      continue;
    }
    if (named->exists()) ++existing_;
    if (named->expires_at_ms != 0) ++expiring_;
    schedule_.ScheduleBy(named, DueOf(*named));
  }
}

// Watching and waiting ----------------------------------------------------------------------------

void Keyspace::TouchAll(const NamedBoard& named) {
  if (!watches_.any_watched()) return;
  if (named.exists()) watches_.Touch(named.name);
  for (const auto& stored : named.board.instances()) {
    watches_.Touch(leaderboard::InstanceName(named.name, stored->span));
  }
}

void Keyspace::Touch(const NamedBoard& named, const leaderboard::Summary& summary) {
  if (!watches_.any_watched()) return;
  watches_.Touch(named.name);
  for (const Instance& span : summary.gone) {
    watches_.Touch(leaderboard::InstanceName(named.name, span));
  }
  for (const auto& stored : named.board.instances()) {
    const auto& changed = summary.changed;
    if (std::find(changed.begin(), changed.end(), stored->number) == changed.end()) continue;
    watches_.Touch(leaderboard::InstanceName(named.name, stored->span));
  }
}

void Keyspace::NoteReady(const NamedBoard& named, const leaderboard::Summary& summary) {
  if (!named.has_periods()) {
    if (named.exists() && watches_.IsAwaited(named.name)) watches_.NoteReady(named.name);
    return;
  }
  // An instance has several names, and relative ones such as "lb@day" mean another instance after
  // the period has turned. So each awaited name is resolved again.
  std::vector<std::string> ready;
  watches_.ForAwaited(std::string(named.name) + "@", [&](const std::string& name) {
    const View view = ViewOf(name);
    const auto& changed = summary.changed;
    const bool is_changed = std::find(changed.begin(), changed.end(), view.number) != changed.end();
    if (view.exists() && is_changed) ready.push_back(name);
  });
  for (const std::string& name : ready) watches_.NoteReady(name);
}

void Keyspace::Watch(std::string_view name, Client* client) {
  // Look expires the board first if it is due, so that its expiry does not break this watch. An
  // instance has several names: the watch is set on the full one.
  const View view = ViewOf(name);
  if (view && view.instance && view.Name() != name) {
    client->watched_instances.emplace_back(name, view.Name());
    return watches_.Watch(client->watched_instances.back().second, client);
  }
  watches_.Watch(name, client);
}

bool Keyspace::IsWatchBroken(Client* client) {
  for (const std::string& name : std::vector<std::string>(client->watched)) ViewOf(name);
  for (const auto& [name, meant] : client->watched_instances) {
    const View view = ViewOf(name);
    if (!view || view.Name() != meant) return true;
  }
  // The name may belong to another board now, which the client may not access.
  const auto is_lost = [&](const std::string& name) { return !MayTouch(*client, name); };
  return client->watch_broken ||
         std::any_of(client->watched.begin(), client->watched.end(), is_lost);
}

std::optional<Figures::Boards> Keyspace::CountBoards(const Access& access) const {
  if (access.all()) return Figures::Boards{existing_, expiring_, boards()};
  if (boards() > kMaxCountedBoards) return std::nullopt;
  Figures::Boards counted;
  std::uint64_t cursor = 0;
  do {
    cursor = Scan(cursor, kMaxCountedBoards, [&](const NamedBoard& named) {
      if (!access.Opens(OwnerOf(named.name))) return;
      ++counted.all;
      if (named.exists()) ++counted.existing;
      if (named.expires_at_ms != 0) ++counted.expiring;
    });
  } while (cursor != 0);
  return counted;
}

std::uint64_t Keyspace::BoardsToCount(const Access& access) const {
  return access.all() || boards() > kMaxCountedBoards ? 0 : boards();
}

void Keyspace::SetTemplate(Template declared) {
  if (!declared.configured) journal_.Template(declared.pattern, declared.spec);
  templates_.Set(std::move(declared));
}

bool Keyspace::DeleteTemplate(std::string_view pattern) {
  const bool deleted = templates_.Delete(pattern);
  if (deleted) journal_.NoTemplate(pattern);
  return deleted;
}

}  // namespace laurel::engine
