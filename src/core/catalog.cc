#include "core/catalog.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "core/board_walk.h"
#include "laurel/limits.h"

namespace laurel::core {
namespace {

// What the string holds outside itself.
std::size_t HeapBytes(const std::pmr::string& text) {
  const std::size_t inline_capacity = std::pmr::string().capacity();
  return text.capacity() > inline_capacity ? text.capacity() + 1 : 0;
}

}  // namespace

Status CheckName(std::string_view name, const Spec& spec) { return CheckBoardName(name, spec); }

Catalog::Catalog(std::pmr::memory_resource* memory, std::uint64_t hash_seed, const Shape& shape)
    : environment_(memory, hash_seed, shape), names_(memory, hash_seed) {}

Catalog::~Catalog() {
  LAUREL_ASSERT(walk_ == nullptr);
  while (first_by_id_ != nullptr) {
    NamedBoard* board = first_by_id_;
    UnlinkById(board);
    Free(board);
  }
}

Result<NamedBoard*> Catalog::Create(std::string_view name, const Spec& spec) {
  if (const Status status = CheckName(name, spec); !status.ok()) return status.error();
  if (const Status status = CheckSpec(spec); !status.ok()) return status.error();
  if (NamedBoard* board = Find(name)) {
    if (board->board.spec() == spec) return board;
    return Error{ErrorCode::kExists, base::Quote(name) + " exists with another spec: " +
                                         DescribeSpec(board->board.spec())};
  }
  LAUREL_ASSERT(!restoring());
  NamedBoard* board = Make(name, next_id_++, spec);
  LinkById(board, last_by_id_);
  names_.Insert(board);
  return board;
}

std::vector<std::string> Catalog::List(std::string_view after, std::size_t limit) const {
  std::vector<std::string> names;
  names_.Scan(0, SIZE_MAX, [&](const Named& board) {
    if (std::string_view(board.name) > after) names.emplace_back(board.name);
  });
  const std::size_t listed = std::min(limit, names.size());
  std::partial_sort(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(listed),
                    names.end());
  names.resize(listed);
  return names;
}

Status Catalog::Rename(std::string_view from, std::string_view to) {
  NamedBoard* board = Find(from);
  if (board == nullptr) return Error{ErrorCode::kNoBoard, "no board " + base::Quote(from)};
  const Status named = CheckName(to, board->board.spec());
  if (!named.ok()) return named.error();
  if (from == to) return Ok{};
  std::pmr::string name(to, environment_.memory());  // `to` may be a view of a name that goes
  if (NamedBoard* replaced = Find(to)) DropNamed(replaced);
  names_.Erase(board);
  board->name = std::move(name);
  names_.Insert(board);
  return Ok{};
}

bool Catalog::Drop(std::string_view name) {
  NamedBoard* board = Find(name);
  if (board == nullptr) return false;
  DropNamed(board);
  return true;
}

void Catalog::DropNamed(NamedBoard* board) {
  while (board->parent && !board->parent->instances.empty()) {
    DropInstance(board->parent->instances.back());
  }
  Leave(board);
}

void Catalog::Leave(NamedBoard* board) {
  if (walk_ != nullptr) walk_->BoardLeaves(board);
  UnlinkById(board);
  if (!board->part) names_.Erase(board);
  Free(board);
}

NamedBoard* Catalog::Make(std::string_view name, std::uint64_t id, const Spec& spec) {
  void* memory = environment_.memory()->allocate(sizeof(NamedBoard), alignof(NamedBoard));
  auto* board = new (memory) NamedBoard(name, id, spec, &environment_);
  if (!spec.periods.empty()) board->parent = std::make_unique<NamedBoard::Parent>();
  return board;
}

// Instances ---------------------------------------------------------------------------------------

std::string InstanceName(std::string_view board, const Instance& span) {
  std::string name(board);
  name += '@';
  name += PeriodName(span.period);
  if (!span.label.empty()) name += ":" + span.label;
  return name;
}

NamedBoard* Catalog::MakeInstance(std::uint64_t id, NamedBoard* of, const Instance& span,
                                  const Spec& spec) {
  NamedBoard* instance = Make(InstanceName(of->name, span), id, spec);
  instance->part = std::make_unique<NamedBoard::Part>();
  instance->part->of = of;
  instance->part->span = span;
  of->parent->instances.push_back(instance);
  return instance;
}

NamedBoard* Catalog::CreateInstance(NamedBoard* of, const Instance& span) {
  LAUREL_ASSERT(!restoring());
  NamedBoard* instance = MakeInstance(next_id_++, of, span, InstanceSpec(of->board.spec()));
  LinkById(instance, last_by_id_);
  return instance;
}

void Catalog::DropInstance(NamedBoard* instance) {
  std::erase(instance->part->of->parent->instances, instance);
  Leave(instance);
}

Catalog::Detached Catalog::MakeDetached(const NamedBoard& of) {
  return {Make(of.name, 0, InstanceSpec(of.board.spec())), Freer{this}};
}

// Emptying and freeing ----------------------------------------------------------------------------

NamedBoard* Catalog::Clear(NamedBoard* board) {
  NamedBoard* fresh = Make(board->name, board->id, board->board.spec());
  fresh->board.TakeMarks(&board->board);
  fresh->ending = std::move(board->ending);
  fresh->requests = std::move(board->requests);
  if (board->part) {
    std::vector<NamedBoard*>& instances = board->part->of->parent->instances;
    std::replace(instances.begin(), instances.end(), board, fresh);
    fresh->part = std::move(board->part);
  }
  LinkById(fresh, board->previous_by_id_);
  UnlinkById(board);
  if (walk_ != nullptr) walk_->BoardIsReplaced(board, fresh);
  if (!fresh->part) {
    names_.Erase(board);
    names_.Insert(fresh);
  }
  Free(board);
  return fresh;
}

void Catalog::Free(NamedBoard* board) {
  board->~NamedBoard();
  environment_.memory()->deallocate(board, sizeof(NamedBoard), alignof(NamedBoard));
}

// Ids ---------------------------------------------------------------------------------------------

void Catalog::LinkById(NamedBoard* board, NamedBoard* previous) {
  NamedBoard*& link = previous == nullptr ? first_by_id_ : previous->next_by_id_;
  board->previous_by_id_ = previous;
  board->next_by_id_ = link;
  (link == nullptr ? last_by_id_ : link->previous_by_id_) = board;
  link = board;
  ++boards_;
}

void Catalog::UnlinkById(NamedBoard* board) {
  NamedBoard* previous = board->previous_by_id_;
  NamedBoard* next = board->next_by_id_;
  (previous == nullptr ? first_by_id_ : previous->next_by_id_) = next;
  (next == nullptr ? last_by_id_ : next->previous_by_id_) = previous;
  --boards_;
}

void Catalog::RaiseNextId(std::uint64_t id) { next_id_ = std::max(next_id_, id); }

// Restoring ---------------------------------------------------------------------------------------

void Catalog::BeginRestore() {
  LAUREL_ASSERT(!restoring() && first_by_id_ == nullptr && walk_ == nullptr);
  by_id_ = std::make_unique<std::unordered_map<std::uint64_t, NamedBoard*>>();
}

NamedBoard* Catalog::FindById(std::uint64_t id) const {
  LAUREL_ASSERT(restoring());
  const auto found = by_id_->find(id);
  return found == by_id_->end() ? nullptr : found->second;
}

NamedBoard* Catalog::Restore(std::uint64_t id, std::string_view name, const Spec& spec) {
  LAUREL_ASSERT(FindById(id) == nullptr);
  NamedBoard* board = Make(name, id, spec);
  LinkRestored(board);
  return board;
}

NamedBoard* Catalog::RestoreInstance(std::uint64_t id, NamedBoard* of, const Instance& span,
                                     const Spec& spec) {
  LAUREL_ASSERT(FindById(id) == nullptr);
  NamedBoard* instance = MakeInstance(id, of, span, spec);
  LinkRestored(instance);
  return instance;
}

void Catalog::LinkRestored(NamedBoard* board) {
  NamedBoard* previous = last_by_id_;
  while (previous != nullptr && previous->id > board->id) previous = previous->previous_by_id_;
  LinkById(board, previous);
  by_id_->emplace(board->id, board);
  RaiseNextId(board->id +
              1);  // also if it is dropped again before the end: ids are not given twice
}

void Catalog::ClearRestored(NamedBoard* board) {
  Effect clear;
  clear.kind = Effect::Kind::kClear;
  board->board.Apply(clear);
}

void Catalog::DropRestored(NamedBoard* board) {
  LAUREL_ASSERT(restoring());
  while (board->parent && !board->parent->instances.empty()) {
    DropRestored(board->parent->instances.back());
  }
  if (board->part) std::erase(board->part->of->parent->instances, board);
  by_id_->erase(board->id);
  UnlinkById(board);
  Free(board);
  Reclaim(SIZE_MAX);  // no client waits during a restore
}

void Catalog::DropRestoredBelow(std::uint64_t id) {
  while (first_by_id_ != nullptr && first_by_id_->id < id) DropRestored(first_by_id_);
}

Status Catalog::FinishRestore() {
  LAUREL_ASSERT(restoring());
  for (NamedBoard* board = first_by_id_; board != nullptr; board = board->next_by_id_) {
    if (board->part) continue;
    if (const NamedBoard* other = Find(board->name)) {
      Error error{ErrorCode::kErr, "boards " + std::to_string(other->id) + " and " +
                                       std::to_string(board->id) + " have one name, " +
                                       base::Quote(board->name)};
      for (NamedBoard* named = first_by_id_; named != board; named = named->next_by_id_) {
        if (!named->part) names_.Erase(named);
      }
      return error;
    }
    names_.Insert(board);
  }
  by_id_.reset();
  return Ok{};
}

void Catalog::AbandonRestore() {
  while (first_by_id_ != nullptr) DropRestored(first_by_id_);
  by_id_.reset();
}

// Memory ------------------------------------------------------------------------------------------

std::size_t Catalog::MemoryUsage() const {
  std::size_t bytes = names_.MemoryUsage();
  const auto add = [&](const NamedBoard& board) {
    bytes += sizeof(NamedBoard) - sizeof(Board) + HeapBytes(board.name) +
             board.board.MemoryUsage() + (board.requests ? board.requests->bytes() : 0);
  };
  for (const NamedBoard* board = first_by_id_; board != nullptr; board = board->next_by_id_) {
    add(*board);
  }
  return bytes + environment_.LeftoverBytes();
}

}  // namespace laurel::core
