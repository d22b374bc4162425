#include "engine/keyspace/keyspace.h"

#include <algorithm>
#include <deque>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/text.h"
#include "core/commands.h"
#include "leaderboard/no_answer.h"

namespace laurel::engine {
namespace {

// Closes, drops and ids that one look at a key deals with.
constexpr std::size_t kAdvancedAtOnce = 64;
// A look at a leaderboard is as much work as so many names that expire.
constexpr std::size_t kAdvanceWeight = 4;

}  // namespace

std::string LogPlace::ToNote() const {
  std::string note(2 * sizeof(std::uint64_t), '\0');
  base::Store(note.data(), epoch);
  base::Store(note.data() + sizeof(epoch), number);
  return note;
}

std::optional<LogPlace> LogPlace::FromNote(std::string_view note) {
  if (note.size() != 2 * sizeof(std::uint64_t)) return std::nullopt;
  return LogPlace{base::Load<std::uint64_t>(note.data()),
                  base::Load<std::uint64_t>(note.data() + sizeof(std::uint64_t))};
}

std::string Keyspace::View::Name() const {
  if (!span) return std::string(key->name);
  return leaderboard::InstanceName(key->name, *span);
}

Keyspace::Keyspace(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
                   const core::Shape& shape)
    : catalog_(memory, hash_seed, &calendars_, shape) {}

// Finding -----------------------------------------------------------------------------------------

Key* Keyspace::Find(std::string_view name) {
  Key* key = catalog_.Find(name);
  if (key == nullptr) return nullptr;
  if (IsOver(*key)) {
    ++expired_;
    End(key, /*expired=*/true);
    return nullptr;
  }
  if (!IsExpired(*key)) return key;
  Expire(key);
  return catalog_.Find(name);
}

Key* Keyspace::ParentOf(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return nullptr;
  Key* key = Find(name.substr(0, at));
  return key != nullptr && key->has_periods() ? key : nullptr;
}

std::string_view Keyspace::OwnerOf(std::string_view name) const {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return name;
  const Key* key = catalog_.Find(name.substr(0, at));
  return key != nullptr && key->has_periods() && !IsOver(*key) ? name.substr(0, at) : name;
}

Keyspace::Place Keyspace::Resolve(std::string_view name) {
  if (Key* parent = ParentOf(name)) {
    return {parent, leaderboard::ParseSelector(name.substr(name.find('@') + 1))};
  }
  return {Find(name), std::nullopt};
}

Keyspace::View Keyspace::Look(std::string_view name) {
  const Place place = Resolve(name);
  View view;
  view.instance = place.instance;
  if (place.key == nullptr) return view;
  view.key = place.key;
  view.changes = place.key->changed_at;
  if (const core::Board* board = place.key->sorted_set()) {
    view.board = board;
    return view;
  }
  const auto looked = place.key->leaderboard()->Look(place.instance, now_us_);
  if (!looked) return {};
  view.board = looked->board;
  view.number = looked->number;
  if (looked->part != nullptr) view.changes = looked->part->changes;
  if (place.key->has_periods()) view.span = looked->span;
  return view;
}

Keyspace::View Keyspace::LookForRead(std::string_view name) {
  View view = Look(name);
  CountReads(view.exists(), 1);
  return view;
}

Key* Keyspace::FindExisting(std::string_view name) {
  const Place place = Resolve(name);
  if (place.key == nullptr) return nullptr;
  const bool exists = place.instance ? Look(name).exists() : place.key->exists();
  return exists ? place.key : nullptr;
}

// Making and ending -------------------------------------------------------------------------------

Status Keyspace::CheckNoInstance(std::string_view name) {
  const Key* parent = ParentOf(name);
  if (parent == nullptr) return Ok{};
  return Error{ErrorCode::kErr, base::Quote(name) + " is a period of " + base::Quote(parent->name) +
                                    ": write to the board itself"};
}

Result<Key*> Keyspace::Make(std::string_view name, const Spec& spec) {
  if (const Status free = CheckNoInstance(name); !free.ok()) return free.error();
  const Result<Key*> made = catalog_.Create(name, spec);
  if (made.ok()) schedule_.LookBy(*made, DueOf(**made));
  return made;
}

Result<Key*> Keyspace::Create(std::string_view name) {
  const Template* found = templates_.For(name);
  const Result<Key*> made = Make(name, found != nullptr ? found->spec : Spec::SortedSet());
  if (made.ok()) (*made)->fresh = true;
  return made;
}

void Keyspace::Withdraw(Key* key) {
  LAUREL_ASSERT(key->fresh && !key->exists());
  Discount(key);
  catalog_.Drop(key);
}

void Keyspace::Announce(Key* key) {
  if (!key->fresh) return;
  key->fresh = false;
  journal_.Create(key->id, key->name, key->spec());
}

Result<Key*> Keyspace::Declare(std::string_view name, const Spec& spec) {
  if (const Status free = CheckNoInstance(name); !free.ok()) return free.error();
  if (const Status named = CheckName(name, spec); !named.ok()) return named.error();
  if (const Status checked = CheckSpec(spec); !checked.ok()) return checked.error();
  if (Key* present = Find(name)) {
    if (present->spec() == spec) return present;
    return Error{ErrorCode::kExists,
                 base::Quote(name) + " exists with another spec: " + DescribeSpec(present->spec())};
  }
  const Result<Key*> made = Make(name, spec);
  if (made.ok()) journal_.Create((*made)->id, name, spec);
  return made;
}

Result<Key*> Keyspace::Replace(std::string_view name, const Spec& spec) {
  if (const Status status = CheckName(name, spec); !status.ok()) return status.error();
  if (Key* present = catalog_.Find(name)) Drop(present);
  const Result<Key*> made = Make(name, spec);
  if (made.ok()) journal_.Create((*made)->id, name, spec);
  return made;
}

void Keyspace::End(Key* key, bool expired) {
  TouchAll(*key);
  if (!key->fresh) journal_.Drop(key->id, key->name, key->spec(), expired);
  Discount(key);
  catalog_.Drop(key);
}

void Keyspace::Discount(Key* key) {
  if (key->exists()) --existing_;
  ForgetExpiry(key);
  schedule_.Remove(key);
}

bool Keyspace::Delete(std::string_view name) {
  Key* key = Find(name);
  if (key == nullptr) return false;
  const bool removes = key->exists() || key->has_hidden_entries();
  if (key->leaderboard() != nullptr) {
    leaderboard::NoAnswer answer;
    Execute(key, leaderboard::Clear{}, name, 0, &answer);
    ClearExpiry(key);
    return removes;
  }
  End(key, /*expired=*/false);
  return removes;
}

void Keyspace::Rename(Key* from, std::string_view to) {
  const std::string from_name(from->name);
  if (from_name == to) return;
  watches_.Touch(from_name);
  const Spec spec = from->spec();
  if (Key* replaced = catalog_.Find(to)) {
    journal_.Drop(replaced->id, replaced->name, replaced->spec(), /*expired=*/false);
    Discount(replaced);
  }
  catalog_.Rename(from, to);
  journal_.Rename(from->id, from->name, from_name, spec);
  if (from->leaderboard() != nullptr) {  // ids were about the other name
    from->leaderboard()->ForgetRequests(journal_.On(from->id));
    journal_.Settle();
  }
  watches_.Touch(to);
  if (watches_.IsAwaited(to)) watches_.NoteReady(to);
  if (spec.kind == BoardKind::kLeaderboard) {
    const Result<Key*> declared = Declare(from_name, spec);
    LAUREL_ASSERT(declared.ok());
  }
}

void Keyspace::Copy(const Key& from, std::string_view to) {
  const Result<Key*> copy = Replace(to, from.spec());
  LAUREL_ASSERT(copy.ok());
  if (const Leaderboard* source = from.leaderboard()) {
    const leaderboard::Summary summary =
        (*copy)->leaderboard()->CopyFrom(*source, now_us_, journal_.On((*copy)->id));
    Followed(*copy, false, summary);
  } else {
    core::CopyEntries(*from.sorted_set(), (*copy)->sorted_set());
    Loaded(*copy);
  }
  if (from.expires_at_ms != 0) SetExpiry(*copy, from.expires_at_ms);
}

void Keyspace::Flush() {
  std::vector<Key*> all;
  all.reserve(catalog_.size());
  for (Key* key = catalog_.FirstById(); key != nullptr; key = Catalog::NextById(key)) {
    all.push_back(key);
  }
  journal_.DropBelow(catalog_.next_id());
  for (Key* key : all) {
    TouchAll(*key);
    Discount(key);
    catalog_.Drop(key);
  }
}

// Writing -----------------------------------------------------------------------------------------

bool Keyspace::Execute(Key* key, const leaderboard::WriteOperation& operation,
                       std::string_view name, Stamp stamp, leaderboard::Answer* answer,
                       std::span<const leaderboard::Hint> hints) {
  key->leaderboard()->Decide(operation, {name, now_us_, stamp}, &decision_, hints);
  return Commit(key, &decision_, answer);
}

bool Keyspace::Commit(Key* key, leaderboard::Decision* decision, leaderboard::Answer* answer) {
  if (decision->changes()) Announce(key);
  const bool noted = !key->fresh && !decision->refusal() && !decision->is_retry();
  const bool existed = key->exists();
  leaderboard::EffectWriter* effects = noted ? journal_.On(key->id) : nullptr;
  key->leaderboard()->Commit(decision, answer, effects, &summary_);
  if (noted) journal_.Settle();
  if (!summary_.accepted) return false;
  if (key->fresh) return true;
  Followed(key, existed, summary_);
  // What an alteration leaves to time goes with it, in the same batch of the log.
  if (summary_.declared && key->look_at <= now_us_ && !frozen_) Advance(key);
  return true;
}

Status Keyspace::ExecuteAll(std::span<const OnBoard> operations) {
  std::deque<leaderboard::Decision> decisions;
  for (const OnBoard& on : operations) {
    leaderboard::Decision& decision = decisions.emplace_back();
    on.key->leaderboard()->Decide(*on.operation, {on.name, now_us_, on.stamp}, &decision);
    if (decision.refusal()) {
      return Error{decision.refusal()->code,
                   base::Quote(on.name) + ": " + decision.refusal()->message};
    }
    if (decision.is_retry() != decisions.front().is_retry()) {
      return Error{ErrorCode::kReused, "the id is known on some of the boards only"};
    }
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Commit(operations[i].key, &decisions[i], operations[i].answer);
  }
  return Ok{};
}

leaderboard::EffectWriter* Keyspace::EffectsOf(Key* key) {
  Announce(key);
  return journal_.On(key->id);
}

void Keyspace::Followed(Key* key, bool existed, const leaderboard::Summary& summary) {
  if (summary.sooner) schedule_.LookBy(key, DueOf(*key));
  if (summary.changed.empty() && summary.gone.empty() && !summary.declared) return;
  key->changed_at = ++changes_;
  Touch(*key, summary);
  CountExistence(key, existed);
  if (!key->exists() && !key->has_hidden_entries()) ClearExpiry(key);
  if (watches_.any_awaited()) NoteReady(*key, summary);
}

void Keyspace::CountExistence(Key* key, bool existed) {
  const bool exists = key->exists();
  if (exists && !existed) ++existing_;
  if (existed && !exists) --existing_;
}

void Keyspace::Apply(Key* key, const core::EffectBatch& effects) {
  if (effects.empty()) return;
  const bool existed = key->exists();
  Note(key, effects);
  key->sorted_set()->Apply(effects);
  Changed(key, existed);
}

void Keyspace::Note(Key* key, const core::EffectBatch& effects) {
  if (effects.empty()) return;
  Announce(key);
  journal_.Entries(key->id, effects, key->sorted_set()->layout().words());
}

bool Keyspace::Changed(Key* key, bool existed) {
  key->changed_at = ++changes_;
  watches_.Touch(key->name);
  CountExistence(key, existed);
  if (key->exists()) {
    if (watches_.any_awaited() && watches_.IsAwaited(key->name)) watches_.NoteReady(key->name);
    return true;
  }
  journal_.Drop(key->id, key->name, key->spec(), /*expired=*/false);
  ForgetExpiry(key);
  schedule_.Remove(key);
  catalog_.Drop(key);
  return false;
}

void Keyspace::Loaded(Key* key) {
  core::EffectBatch put;
  core::Effect effect;
  const core::EntryStore& entries = key->sorted_set()->entries();
  const unsigned words = key->sorted_set()->layout().words();
  if (leaderboard::EffectWriter* writer = EffectsOf(key)) {
    entries.ForRange(0, entries.size(), false, [&](const core::EntryView& view) {
      effect.member = view.member;
      effect.words = view.words;
      writer->Entry(effect, words);
      return true;
    });
  }
  Changed(key, false);
}

// Time --------------------------------------------------------------------------------------------

void Keyspace::SetExpiry(Key* key, std::int64_t at_ms) {
  watches_.Touch(key->name);
  ForgetExpiry(key);
  key->expires_at_ms = at_ms;
  if (at_ms != 0) ++expiring_;
  schedule_.LookBy(key, DueOf(*key));
  journal_.Expiry(key->id, at_ms);
}

void Keyspace::ClearExpiry(Key* key) {
  if (key->expires_at_ms == 0) return;
  ForgetExpiry(key);
  journal_.Expiry(key->id, 0);
}

void Keyspace::ForgetExpiry(Key* key) {
  if (key->expires_at_ms == 0) return;
  key->expires_at_ms = 0;
  --expiring_;
}

void Keyspace::Expire(Key* key) {
  ++expired_;
  const std::string name(key->name);
  if (key->leaderboard() != nullptr) {
    ClearExpiry(key);
  } else {
    ForgetExpiry(key);
  }
  Delete(name);
}

Stamp Keyspace::DueOf(const Key& key) const {
  Stamp due = INT64_MAX;
  if (key.expires_at_ms != 0 && key.expires_at_ms < INT64_MAX / 1000) {
    due = key.expires_at_ms * 1000;
  }
  if (key.leaderboard() != nullptr) due = std::min(due, key.leaderboard()->Due(now_us_));
  return due;
}

bool Keyspace::ExpireDue(std::size_t limit) {
  if (frozen_) return false;
  while (limit > 0) {
    Key* key = schedule_.Next(now_us_);
    if (key == nullptr) return false;
    const std::size_t weight = key->leaderboard() != nullptr ? kAdvanceWeight : 1;
    limit -= std::min(limit, weight);
    LookAfter(key);
  }
  return true;
}

void Keyspace::LookAfter(Key* key) {
  const std::uint64_t id = key->id;
  const std::string name(key->name);
  // What is over goes with the look.
  key = Find(name);
  if (key == nullptr || key->id != id) return;
  if (key->leaderboard() != nullptr) return Advance(key);
  schedule_.Set(key, DueOf(*key));
}

void Keyspace::Advance(Key* key) {
  const bool existed = key->exists();
  const leaderboard::Summary summary = key->leaderboard()->Advance(
      now_us_, kAdvancedAtOnce, log_place_.ToNote(), journal_.On(key->id));
  journal_.Settle();
  Followed(key, existed, summary);
  schedule_.Set(key, summary.more ? now_us_ : DueOf(*key));
}

void Keyspace::Restored() {
  for (Key* key = catalog_.FirstById(); key != nullptr; key = Catalog::NextById(key)) {
    if (key->exists()) ++existing_;
    if (key->expires_at_ms != 0) ++expiring_;
    schedule_.LookBy(key, DueOf(*key));
  }
}

// Watching and waiting ----------------------------------------------------------------------------

void Keyspace::TouchAll(const Key& key) {
  if (!watches_.any_watched()) return;
  if (key.exists()) watches_.Touch(key.name);
  if (key.leaderboard() == nullptr) return;
  for (const auto& part : key.leaderboard()->parts()) {
    watches_.Touch(leaderboard::InstanceName(key.name, part->span));
  }
}

void Keyspace::Touch(const Key& key, const leaderboard::Summary& summary) {
  if (!watches_.any_watched()) return;
  watches_.Touch(key.name);
  for (const Instance& span : summary.gone) {
    watches_.Touch(leaderboard::InstanceName(key.name, span));
  }
  for (const auto& part : key.leaderboard()->parts()) {
    const auto& changed = summary.changed;
    if (std::find(changed.begin(), changed.end(), part->number) == changed.end()) continue;
    watches_.Touch(leaderboard::InstanceName(key.name, part->span));
  }
}

void Keyspace::NoteReady(const Key& key, const leaderboard::Summary& summary) {
  if (!key.has_periods()) {
    if (key.exists() && watches_.IsAwaited(key.name)) watches_.NoteReady(key.name);
    return;
  }
  // An instance has several names, and those that count from the present mean another one after a
  // turn.
  std::vector<std::string> ready;
  watches_.ForAwaited(std::string(key.name) + "@", [&](const std::string& name) {
    const View view = Look(name);
    const auto& changed = summary.changed;
    const bool is_changed = std::find(changed.begin(), changed.end(), view.number) != changed.end();
    if (view.exists() && is_changed) ready.push_back(name);
  });
  for (const std::string& name : ready) watches_.NoteReady(name);
}

void Keyspace::Watch(std::string_view name, Client* client) {
  // One that is over already breaks nothing when it goes. An instance has several names.
  const View view = Look(name);
  if (view && view.instance && view.Name() != name) {
    client->watched_instances.emplace_back(name, view.Name());
    return watches_.Watch(client->watched_instances.back().second, client);
  }
  watches_.Watch(name, client);
}

bool Keyspace::IsWatchBroken(Client* client) {
  for (const std::string& name : std::vector<std::string>(client->watched)) Look(name);
  for (const auto& [name, meant] : client->watched_instances) {
    const View view = Look(name);
    if (!view || view.Name() != meant) return true;
  }
  // The name may belong to another board by now, whose changes are none of the client's business.
  const auto is_lost = [&](const std::string& name) { return !MayTouch(*client, name); };
  return client->watch_broken ||
         std::any_of(client->watched.begin(), client->watched.end(), is_lost);
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
