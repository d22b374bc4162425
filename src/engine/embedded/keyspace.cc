#include "engine/embedded/keyspace.h"

#include <algorithm>
#include <tuple>

#include "base/assert.h"
#include "base/glob.h"
#include "base/text.h"
#include "core/commands.h"
#include "engine/limits.h"
#include "leaderboard/outcome.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kKeptOutcomeBytes = std::size_t{64} << 10;
// An instance that closes is as much work as so many names that expire: its top goes to the log.
constexpr std::size_t kCloseWeight = 4;

}  // namespace

Keyspace::Keyspace(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
                   const core::Shape& shape)
    : catalog_(memory, hash_seed, shape) {}

Key* Keyspace::Find(std::string_view name) {
  Key* parent = ParentOf(name);
  if (parent == nullptr) return FindNamed(name);
  return FindInstance(parent, name.substr(name.find('@') + 1));
}

Key* Keyspace::FindShown(std::string_view name) {
  Key* key = Find(name);
  if (key == nullptr || !key->parent) return key;
  Key* shown = Present(key, 0).key;
  return shown != nullptr ? shown : key;  // which has no entries either
}

Key* Keyspace::FindNamed(std::string_view name) {
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

Key* Keyspace::FindForRead(std::string_view name) {
  Key* key = FindShown(name);
  CountReads(key, 1);
  return key;
}

void Keyspace::CountReads(const Key* key, std::uint64_t count) {
  (key != nullptr && Exists(*key) ? hits_ : misses_) += count;
}

Key* Keyspace::FindExisting(std::string_view name) {
  Key* key = Find(name);
  return key != nullptr && Exists(*key) ? key : nullptr;
}

bool Keyspace::HasHiddenEntries(const Key& key) {
  if (key.board.hidden_entries() > 0) return true;
  return key.parent && std::any_of(key.parent->instances.begin(), key.parent->instances.end(),
                                   [](const Key* part) { return HasHiddenEntries(*part); });
}

const Template* Keyspace::TemplateFor(std::string_view name) const {
  for (const Template& candidate : templates_) {
    if (base::GlobMatch(candidate.pattern, name)) return &candidate;
  }
  return nullptr;
}

Result<Key*> Keyspace::Create(std::string_view name) {
  const Template* found = TemplateFor(name);
  const Result<Key*> made = Make(name, found != nullptr ? found->spec : Spec::SortedSet());
  if (made.ok()) (*made)->fresh = true;
  return made;
}

Result<Key*> Keyspace::Make(std::string_view name, const Spec& spec) {
  if (const Key* parent = ParentOf(name)) {
    return Error{ErrorCode::kErr, base::Quote(name) + " is a period of " +
                                      base::Quote(parent->name) + ": write to the board itself"};
  }
  Result<std::unique_ptr<PeriodState>> state = MakeState(spec);
  if (!state.ok()) return state.error();
  const Result<Key*> made = catalog_.Create(name, spec);
  if (!made.ok()) return made;
  (*made)->host = std::move(*state);
  WatchEnd(*made);
  return made;
}

Result<Key*> Keyspace::Declare(std::string_view name, const Spec& spec) {
  if (FindNamed(name) != nullptr) return catalog_.Create(name, spec);  // equal, or EXISTS
  const Result<Key*> made = Make(name, spec);
  if (made.ok()) journal_.Create(**made);
  return made;
}

Result<Key*> Keyspace::Replace(std::string_view name, const Spec& spec) {
  if (const Status status = core::CheckName(name, spec); !status.ok()) return status.error();
  Drop(name);
  const Result<Key*> made = Make(name, spec);
  if (made.ok()) journal_.Create(**made);
  return made;
}

bool Keyspace::Drop(std::string_view name) {
  Key* key = catalog_.Find(name);
  if (key == nullptr) return false;
  End(key, /*expired=*/false);
  return true;
}

void Keyspace::End(Key* key, bool expired) {
  TouchAll(*key);
  if (!key->fresh) journal_.Drop(*key, expired);
  Discount(key);
  catalog_.Drop(key->name);
}

void Keyspace::Apply(Key* key, const core::EffectBatch& effects) {
  if (effects.empty()) return;
  const bool existed = Exists(*key);
  const bool went_after_writes = GoesAfterWrites(*key);
  const bool alters = effects.begin()->kind == core::Effect::Kind::kAlter;
  Note(key, effects);
  key->board.Apply(effects);
  if (!Changed(key, existed) || !alters) return;
  ForgetWritten(key);
  // What was written before is as old as the rule.
  if (!went_after_writes && (Exists(*key) || HasHiddenEntries(*key))) NoteAccepted(key);
  WatchEnd(key);
  ForgetOldRequests(key);
  if (!key->parent) return;
  StateOf(*key).nobody.reset();
  for (Key* instance : PartsOf(key)) LookAfter(instance);
}

void Keyspace::Note(Key* key, const core::EffectBatch& effects) {
  if (effects.empty()) return;
  Announce(key);
  journal_.Effects(*key, effects);
}

void Keyspace::Remember(Key* key, std::string_view id, std::uint64_t arguments,
                        std::span<const Verdict> verdicts) {
  Announce(key);
  leaderboard::EncodeVerdicts(verdicts, &outcome_);
  core::RequestIds& requests = key->Requests();
  const core::RememberedRequest request{requests.next_sequence(), now_us_, arguments, id, outcome_};
  requests.Remember(request);
  journal_.Remember(*key, request);
  if (outcome_.capacity() > kKeptOutcomeBytes) std::string().swap(outcome_);
  ForgetOldRequests(key);
}

std::size_t Keyspace::ForgetOldRequests(Key* key, std::size_t most) {
  if (!key->requests) return 0;
  core::RequestIds& requests = *key->requests;
  const auto is_over = [&](const core::RememberedRequest& oldest) {
    return requests.size() > key->board.spec().dedup || requests.bytes() > kMaxRequestIdBytes ||
           oldest.at <= now_us_ - kRequestIdLifeMicros;
  };
  std::uint64_t kept = 0;
  std::size_t forgotten = 0;
  for (; forgotten < most && requests.size() > 0; ++forgotten) {
    const core::RememberedRequest oldest = requests.Oldest();
    if (!is_over(oldest)) break;
    kept = oldest.sequence + 1;
    requests.ForgetBefore(kept);
  }
  if (kept != 0) journal_.ForgetBefore(*key, kept);
  return forgotten;
}

void Keyspace::ForgetSomeRequests(std::size_t boards, std::size_t most) {
  if (frozen_) return;
  forgets_next_ = catalog_.Scan(forgets_next_, boards, [&](Key& key) {
    if (most > 0) most -= ForgetOldRequests(&key, most);
  });
}

void Keyspace::Loaded(Key* key) {
  journal_.Contents(*key);
  NoteAccepted(key);
  Changed(key, false);
}

bool Keyspace::Changed(Key* key, bool existed) {
  key->changed_at = ++changes_;
  Touch(*key);
  const bool exists = Exists(*key);
  if (exists) {
    if (!existed) AddExisting(*key, 1);
    if (!awaited_.empty()) NoteReady(*key);
    return true;
  }
  if (existed) AddExisting(*key, -1);
  if (key->part) {
    SettleExpiry(key->part->of);
    return true;
  }
  if (key->parent) {
    SettleExpiry(key);
    return true;
  }
  if (!HasHiddenEntries(*key)) ClearExpiry(key);  // hidden ones expire with the rest
  if (IsLeaderboard(*key)) return true;
  journal_.Drop(*key);
  catalog_.Drop(key->name);
  return false;
}

void Keyspace::NoteAccepted(Key* key) {
  if (key->part) key = key->part->of;
  if (!GoesAfterWrites(*key) || key->fresh) return;
  NoteWritten(key, now_us_);
  journal_.Written(*key, now_us_);
}

bool Keyspace::Delete(std::string_view name) {
  Key* key = FindNamed(name);
  if (key == nullptr) return false;
  const bool removes = Exists(*key) || HasHiddenEntries(*key);
  if (removes) Touch(name);
  if (key->parent) {
    for (Key* instance : PartsOf(key)) ClearInstance(instance);
    ClearExpiry(key);
    return removes;
  }
  Discount(key);
  if (IsLeaderboard(*key)) {
    journal_.Clear(*key);
    Key* cleared = catalog_.Clear(key);
    cleared->changed_at = ++changes_;
    WatchEnd(cleared);
  } else {
    journal_.Drop(*key);
    catalog_.Drop(name);
  }
  return removes;
}

void Keyspace::Rename(Key* from, std::string_view to) {
  const std::string from_name(from->name);
  if (from_name == to) return;
  Touch(from_name);
  const Spec spec = from->board.spec();
  if (Key* replaced = catalog_.Find(to)) {
    journal_.Drop(*replaced);
    Discount(replaced);
  }
  const Status renamed = catalog_.Rename(from_name, to);
  LAUREL_ASSERT(renamed.ok());
  journal_.Rename(*from, from_name);
  if (from->requests) {  // they were about the other name
    const std::uint64_t next = from->requests->next_sequence();
    from->requests->ForgetBefore(next);
    journal_.ForgetBefore(*from, next);
  }
  Touch(to);
  if (!awaited_.empty() && IsAwaited(to)) ready_.emplace_back(to);
  if (spec.kind == BoardKind::kLeaderboard) {
    const Result<Key*> declared = Declare(from_name, spec);
    LAUREL_ASSERT(declared.ok());
  }
}

void Keyspace::Copy(const Key& from, std::string_view to) {
  const Result<Key*> copy = Replace(to, from.board.spec());
  LAUREL_ASSERT(copy.ok());
  core::CopyEntries(from.board, &(*copy)->board);
  Loaded(*copy);
  if (from.expires_at_ms != 0) SetExpiry(*copy, from.expires_at_ms);
}

void Keyspace::Flush() {
  std::vector<std::string> names;
  names.reserve(catalog_.size());
  catalog_.Scan(0, SIZE_MAX, [&](const Key& key) { names.emplace_back(key.name); });
  journal_.DropBelow(catalog_.next_id());
  for (const std::string& name : names) {
    Key* key = catalog_.Find(name);
    TouchAll(*key);
    Discount(key);
    catalog_.Drop(name);
  }
}

void Keyspace::SetExpiry(Key* key, std::int64_t at_ms) {
  Touch(key->name);
  ForgetExpiry(key);
  key->expires_at_ms = at_ms;
  if (at_ms != 0) expiries_.emplace(at_ms, key);
  journal_.Expiry(*key);
}

bool Keyspace::ExpireDue(std::size_t limit) {
  if (frozen_) return false;
  for (std::size_t i = 0; i < limit; ++i) {
    if (!expiries_.empty() && expiries_.begin()->first <= now_ms_) {
      Expire(expiries_.begin()->second);
    } else if (!ends_.empty() && ends_.begin()->first <= now_us_) {
      Key* key = ends_.begin()->second;
      if (IsOver(*key)) {
        ++expired_;
        End(key, /*expired=*/true);
      } else {
        WatchEnd(key);  // written to meanwhile
      }
    } else if (!dues_.empty() && dues_.begin()->first <= now_us_) {
      if (LookAfter(dues_.begin()->second)) i += kCloseWeight - 1;
    } else {
      return false;
    }
  }
  return true;
}

Stamp Keyspace::EndsAt(const Key& key) {
  const Spec& spec = key.board.spec();
  if (spec.expire_us == 0) return INT64_MAX;
  if (spec.end) return *spec.end + spec.expire_us;
  const Stamp written_at = key.ending ? key.ending->written_at : 0;
  return written_at == 0 ? INT64_MAX : written_at + spec.expire_us;
}

void Keyspace::WatchEnd(Key* key) {
  ForgetEnd(key);
  if (key->board.spec().expire_us == 0) {
    key->ending.reset();
    return;
  }
  if (!key->ending) key->ending = std::make_unique<Key::Ending>();
  // A board that was never written to is looked at when it could be over at the earliest.
  const Stamp ends_at = EndsAt(*key);
  key->ending->look_at = ends_at != INT64_MAX ? ends_at : now_us_ + key->board.spec().expire_us;
  ends_.emplace(key->ending->look_at, key);
}

void Keyspace::ForgetEnd(Key* key) {
  if (key->ending) ends_.erase({key->ending->look_at, key});
}

void Keyspace::Expire(Key* key) {
  ++expired_;
  const std::string name(key->name);
  // What empties the board says to the log that its expiry is over; with periods the instances are
  // what is emptied.
  key->parent ? ClearExpiry(key) : ForgetExpiry(key);
  Delete(name);
}

void Keyspace::Discount(Key* key) {
  if (Exists(*key)) --existing_;
  if (key->parent) {
    for (Key* instance : key->parent->instances) dues_.erase({instance->part->due, instance});
  }
  ForgetExpiry(key);
  ForgetEnd(key);
}

void Keyspace::ClearExpiry(Key* key) {
  if (key->expires_at_ms == 0) return;
  ForgetExpiry(key);
  journal_.Expiry(*key);
}

void Keyspace::ForgetExpiry(Key* key) {
  if (key->expires_at_ms == 0) return;
  expiries_.erase({key->expires_at_ms, key});
  key->expires_at_ms = 0;
}

Status Keyspace::Restored() {
  for (Key* key = catalog_.FirstById(); key != nullptr; key = core::Catalog::NextById(key)) {
    if (key->parent) {
      Result<std::unique_ptr<PeriodState>> state = MakeState(key->board.spec());
      if (!state.ok()) {
        return Error{ErrorCode::kErr,
                     "board " + base::Quote(key->name) + ": " + state.error().message};
      }
      key->host = std::move(*state);
    }
    if (key->board.entries().size() > 0) AddExisting(*key, 1);  // boards come before instances
    if (key->part) {
      // There is no log to say it yet if its time is over.
      key->part->due = INT64_MIN;
      dues_.emplace(INT64_MIN, key);
      continue;
    }
    if (key->expires_at_ms != 0) expiries_.emplace(key->expires_at_ms, key);
    WatchEnd(key);
  }
  return Ok{};
}

void Keyspace::TouchAll(const Key& key) {
  if (watchers_.empty()) return;
  if (Exists(key)) Touch(key.name);
  if (!key.parent) return;
  for (const Key* instance : key.parent->instances) Touch(instance->name);
}

void Keyspace::Touch(const Key& key) {
  if (watchers_.empty()) return;
  Touch(key.name);
  if (key.part) Touch(key.part->of->name);
}

void Keyspace::Touch(std::string_view name) {
  if (watchers_.empty()) return;
  const auto found = watchers_.find(std::string(name));
  if (found == watchers_.end()) return;
  for (Client* client : found->second) client->watch_broken = true;
}

void Keyspace::Watch(std::string_view name, Client* client) {
  // One that is over already breaks nothing when it goes. An instance has several names.
  const Key* key = Find(name);
  if (key != nullptr && key->part && name != key->name) {
    client->watched_instances.emplace_back(name, key->name);
    name = client->watched_instances.back().second;
  }
  std::vector<Client*>& clients = watchers_[std::string(name)];
  if (std::find(clients.begin(), clients.end(), client) != clients.end()) return;
  clients.push_back(client);
  client->watched.emplace_back(name);
}

bool Keyspace::IsWatchBroken(Client* client) {
  for (const std::string& name : std::vector<std::string>(client->watched)) Find(name);
  for (const auto& [name, meant] : client->watched_instances) {
    const Key* key = Find(name);
    if (key == nullptr || std::string_view(key->name) != meant) return true;
  }
  // The name may belong to another board by now, whose changes are none of the client's business.
  const auto is_lost = [&](const std::string& name) { return !MayTouch(*client, name); };
  return client->watch_broken ||
         std::any_of(client->watched.begin(), client->watched.end(), is_lost);
}

void Keyspace::Unwatch(Client* client) {
  for (const std::string& name : client->watched) {
    const auto found = watchers_.find(name);
    std::erase(found->second, client);
    if (found->second.empty()) watchers_.erase(found);
  }
  client->watched.clear();
  client->watched_instances.clear();
  client->watch_broken = false;
}

void Keyspace::Await(std::string_view name, int change) {
  const auto found = awaited_.try_emplace(std::string(name), 0).first;
  found->second += change;
  if (found->second == 0) awaited_.erase(found);
}

std::vector<std::string> Keyspace::TakeReady() { return std::exchange(ready_, {}); }

void Keyspace::SetTemplate(Template declared) {
  if (!declared.configured) journal_.Template(declared.pattern, declared.spec);
  RemoveTemplate(declared.pattern);
  const auto before = [](const Template& a, const Template& b) {
    return a.pattern.size() != b.pattern.size() ? a.pattern.size() > b.pattern.size()
                                                : a.pattern < b.pattern;
  };
  templates_.insert(std::upper_bound(templates_.begin(), templates_.end(), declared, before),
                    std::move(declared));
}

bool Keyspace::DeleteTemplate(std::string_view pattern) {
  const bool deleted = RemoveTemplate(pattern);
  if (deleted) journal_.NoTemplate(pattern);
  return deleted;
}

bool Keyspace::RemoveTemplate(std::string_view pattern) {
  return std::erase_if(templates_,
                       [&](const Template& declared) { return declared.pattern == pattern; }) > 0;
}

}  // namespace laurel::engine
