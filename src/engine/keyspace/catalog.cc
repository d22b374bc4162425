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
  // `board@day` is the name of an instance.
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
    NamedBoard* named = first_by_id_;
    Unlink(named);
    Free(named);
  }
}

Result<NamedBoard*> Catalog::Make(std::string_view name, std::uint64_t id, const Spec& spec) {
  std::shared_ptr<const Calendar> calendar;
  if (!spec.periods.empty()) {
    auto found = calendars_.Of(spec.zone, spec.turn_minutes);
    if (!found.ok()) return Error{ErrorCode::kErr, "TZ: " + found.error().message};
    calendar = *found;
  }
  void* memory = environment_.memory()->allocate(sizeof(NamedBoard), alignof(NamedBoard));
  return new (memory) NamedBoard(name, id, spec, &environment_, std::move(calendar));
}

void Catalog::Free(NamedBoard* named) {
  named->~NamedBoard();
  environment_.memory()->deallocate(named, sizeof(NamedBoard), alignof(NamedBoard));
}

Result<NamedBoard*> Catalog::Create(std::string_view name, const Spec& spec) {
  LAUREL_ASSERT(Find(name) == nullptr);
  const Result<NamedBoard*> made = CreateLoad(name, spec);
  if (made.ok()) Publish(*made);
  return made;
}

Result<NamedBoard*> Catalog::CreateLoad(std::string_view name, const Spec& spec) {
  LAUREL_ASSERT(!restoring());
  if (const Status status = CheckName(name, spec); !status.ok()) return status.error();
  if (const Status status = CheckSpec(spec); !status.ok()) return status.error();
  const Result<NamedBoard*> made = Make(name, next_id_, spec);
  if (!made.ok()) return made;
  ++next_id_;
  (*made)->loading = true;
  Link(*made, last_by_id_);
  return made;
}

void Catalog::Publish(NamedBoard* named) {
  LAUREL_ASSERT(named->loading && Find(named->name) == nullptr);
  named->loading = false;
  names_.Insert(named);
}

void Catalog::Rename(NamedBoard* named, std::string_view to) {
  LAUREL_ASSERT(!restoring() && !named->loading);
  if (std::string_view(named->name) == to) return;
  std::pmr::string name(to, environment_.memory());  // `to` may point into a name that is freed
  if (NamedBoard* replaced = Find(to)) Drop(replaced);
  names_.Erase(named);
  named->name = std::move(name);
  names_.Insert(named);
}

void Catalog::Drop(NamedBoard* named) {
  LAUREL_ASSERT(!restoring());
  if (walker_ != nullptr) walker_->OnRemove(*named);
  Unlink(named);
  if (!named->loading) names_.Erase(named);
  Free(named);
}

// Ids ---------------------------------------------------------------------------------------------

void Catalog::Link(NamedBoard* named, NamedBoard* previous) {
  NamedBoard*& link = previous == nullptr ? first_by_id_ : previous->next_by_id_;
  named->previous_by_id_ = previous;
  named->next_by_id_ = link;
  (link == nullptr ? last_by_id_ : link->previous_by_id_) = named;
  link = named;
  ++size_;
}

void Catalog::Unlink(NamedBoard* named) {
  LAUREL_ASSERT(size_ > 0);
  NamedBoard* previous = named->previous_by_id_;
  NamedBoard* next = named->next_by_id_;
  (previous == nullptr ? first_by_id_ : previous->next_by_id_) = next;
  (next == nullptr ? last_by_id_ : next->previous_by_id_) = previous;
  if (restored_last_ == named) restored_last_ = previous;
  --size_;
}

void Catalog::RaiseNextId(std::uint64_t id) { next_id_ = std::max(next_id_, id); }

// Restoring ---------------------------------------------------------------------------------------

void Catalog::BeginRestore() {
  LAUREL_ASSERT(!restoring() && first_by_id_ == nullptr && walker_ == nullptr);
  by_id_ = std::make_unique<std::unordered_map<std::uint64_t, NamedBoard*>>();
}

NamedBoard* Catalog::FindById(std::uint64_t id) const {
  LAUREL_ASSERT(restoring());
  const auto found = by_id_->find(id);
  return found == by_id_->end() ? nullptr : found->second;
}

Result<NamedBoard*> Catalog::Restore(std::uint64_t id, std::string_view name, const Spec& spec) {
  LAUREL_ASSERT(FindById(id) == nullptr);
  const Result<NamedBoard*> made = Make(name, id, spec);
  if (!made.ok()) return made;
  NamedBoard* previous = restored_last_ != nullptr ? restored_last_ : last_by_id_;
  while (previous != nullptr && previous->id > id) previous = previous->previous_by_id_;
  NamedBoard* next = previous != nullptr ? previous->next_by_id_ : nullptr;
  for (; next != nullptr && next->id < id; next = next->next_by_id_) previous = next;
  LAUREL_ASSERT(previous == nullptr || previous->id < id);
  LAUREL_ASSERT(next == nullptr || next->id > id);
  Link(*made, previous);
  restored_last_ = *made;
  by_id_->emplace(id, *made);
  RaiseNextId(id + 1);  // even if the board is dropped later in the restore: ids are not reused
  return made;
}

void Catalog::DropRestored(NamedBoard* named) {
  LAUREL_ASSERT(restoring());
  by_id_->erase(named->id);
  Unlink(named);
  Free(named);
  environment_.Reclaim(SIZE_MAX);  // no client waits during a restore
}

void Catalog::DropRestoredBelow(std::uint64_t id) {
  while (first_by_id_ != nullptr && first_by_id_->id < id) DropRestored(first_by_id_);
}

Status Catalog::FinishRestore() {
  LAUREL_ASSERT(restoring());
  for (NamedBoard* named = first_by_id_; named != nullptr; named = named->next_by_id_) {
    if (named->loading) continue;
    if (const NamedBoard* other = Find(named->name)) {
      Error error{ErrorCode::kErr, "boards " + std::to_string(other->id) + " and " +
                                       std::to_string(named->id) + " have one name, " +
                                       base::Quote(named->name)};
      for (NamedBoard* entered = first_by_id_; entered != named; entered = entered->next_by_id_) {
        if (!entered->loading) names_.Erase(entered);
      }
      return error;
    }
    names_.Insert(named);
  }
  by_id_.reset();
  restored_last_ = nullptr;
  return Ok{};
}

void Catalog::AbandonRestore() {
  while (first_by_id_ != nullptr) DropRestored(first_by_id_);
  by_id_.reset();
}

}  // namespace laurel::engine
