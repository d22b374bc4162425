#include "engine/keyspace/catalog.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "laurel/limits.h"

namespace laurel::engine {

Status CheckName(std::string_view name, const Spec& spec) {
  if (name.size() > kMaxBoardNameBytes) {
    return Error{ErrorCode::kLimit, "board name " + base::Quote(name) + " exceeds 512 bytes"};
  }
  if (spec.kind == BoardKind::kSortedSet) return Ok{};
  if (name.empty()) return Error{ErrorCode::kErr, "a board needs a name"};
  // `board@day` names a period of a leaderboard.
  if (name.find('@') != std::string_view::npos) {
    return Error{ErrorCode::kErr, "a leaderboard's name has no '@': " + base::Quote(name)};
  }
  return Ok{};
}

Catalog::Catalog(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
                 const Calendars* calendars, const core::Shape& shape)
    : environment_(memory, hash_seed, shape), calendars_(*calendars), names_(memory, hash_seed) {}

Catalog::~Catalog() {
  LAUREL_ASSERT(walker_ == nullptr);
  while (first_by_id_ != nullptr) {
    Key* key = first_by_id_;
    Unlink(key);
    Free(key);
  }
}

Result<Key*> Catalog::Make(std::string_view name, std::uint64_t id, const Spec& spec) {
  std::shared_ptr<const Calendar> calendar;
  if (!spec.periods.empty()) {
    auto found = calendars_.Of(spec.zone, spec.turn_minutes);
    if (!found.ok()) return Error{ErrorCode::kErr, "TZ: " + found.error().message};
    calendar = *found;
  }
  void* memory = environment_.memory()->allocate(sizeof(Key), alignof(Key));
  if (spec.kind == BoardKind::kSortedSet) return new (memory) Key(name, id, spec, &environment_);
  return new (memory) Key(name, id, spec, &environment_, std::move(calendar));
}

void Catalog::Free(Key* key) {
  key->~Key();
  environment_.memory()->deallocate(key, sizeof(Key), alignof(Key));
}

Result<Key*> Catalog::Create(std::string_view name, const Spec& spec) {
  LAUREL_ASSERT(!restoring());
  if (const Status status = CheckName(name, spec); !status.ok()) return status.error();
  if (const Status status = CheckSpec(spec); !status.ok()) return status.error();
  LAUREL_ASSERT(Find(name) == nullptr);
  const Result<Key*> made = Make(name, next_id_, spec);
  if (!made.ok()) return made;
  ++next_id_;
  Link(*made, last_by_id_);
  names_.Insert(*made);
  return made;
}

void Catalog::Rename(Key* key, std::string_view to) {
  if (std::string_view(key->name) == to) return;
  std::pmr::string name(to, environment_.memory());  // `to` may be a view of a name that goes
  if (Key* replaced = Find(to)) Drop(replaced);
  names_.Erase(key);
  key->name = std::move(name);
  names_.Insert(key);
}

void Catalog::Drop(Key* key) {
  if (walker_ != nullptr) walker_->OnLeave(*key);
  Unlink(key);
  names_.Erase(key);
  Free(key);
}

// Ids ---------------------------------------------------------------------------------------------

void Catalog::Link(Key* key, Key* previous) {
  Key*& link = previous == nullptr ? first_by_id_ : previous->next_by_id_;
  key->previous_by_id_ = previous;
  key->next_by_id_ = link;
  (link == nullptr ? last_by_id_ : link->previous_by_id_) = key;
  link = key;
  ++size_;
}

void Catalog::Unlink(Key* key) {
  Key* previous = key->previous_by_id_;
  Key* next = key->next_by_id_;
  (previous == nullptr ? first_by_id_ : previous->next_by_id_) = next;
  (next == nullptr ? last_by_id_ : next->previous_by_id_) = previous;
  --size_;
}

void Catalog::RaiseNextId(std::uint64_t id) { next_id_ = std::max(next_id_, id); }

// Restoring ---------------------------------------------------------------------------------------

void Catalog::BeginRestore() {
  LAUREL_ASSERT(!restoring() && first_by_id_ == nullptr && walker_ == nullptr);
  by_id_ = std::make_unique<std::unordered_map<std::uint64_t, Key*>>();
}

Key* Catalog::FindById(std::uint64_t id) const {
  LAUREL_ASSERT(restoring());
  const auto found = by_id_->find(id);
  return found == by_id_->end() ? nullptr : found->second;
}

Result<Key*> Catalog::Restore(std::uint64_t id, std::string_view name, const Spec& spec) {
  LAUREL_ASSERT(FindById(id) == nullptr);
  const Result<Key*> made = Make(name, id, spec);
  if (!made.ok()) return made;
  Key* previous = last_by_id_;
  while (previous != nullptr && previous->id > id) previous = previous->previous_by_id_;
  Link(*made, previous);
  by_id_->emplace(id, *made);
  RaiseNextId(id + 1);  // also if it is dropped again before the end: ids are not given twice
  return made;
}

void Catalog::DropRestored(Key* key) {
  LAUREL_ASSERT(restoring());
  by_id_->erase(key->id);
  Unlink(key);
  Free(key);
  environment_.Reclaim(SIZE_MAX);  // no client waits during a restore
}

void Catalog::DropRestoredBelow(std::uint64_t id) {
  while (first_by_id_ != nullptr && first_by_id_->id < id) DropRestored(first_by_id_);
}

Status Catalog::FinishRestore() {
  LAUREL_ASSERT(restoring());
  for (Key* key = first_by_id_; key != nullptr; key = key->next_by_id_) {
    if (const Key* other = Find(key->name)) {
      Error error{ErrorCode::kErr, "boards " + std::to_string(other->id) + " and " +
                                       std::to_string(key->id) + " have one name, " +
                                       base::Quote(key->name)};
      for (Key* named = first_by_id_; named != key; named = named->next_by_id_) {
        names_.Erase(named);
      }
      return error;
    }
    names_.Insert(key);
  }
  by_id_.reset();
  return Ok{};
}

void Catalog::AbandonRestore() {
  while (first_by_id_ != nullptr) DropRestored(first_by_id_);
  by_id_.reset();
}

}  // namespace laurel::engine
