// Named boards, by name and in order of their ids.
//
// Ids only rise, so the boards in order of ids are a linked list, and new boards are appended to
// it. A walk over the list (disk/snapshot_walk.h) is notified before a board is removed.
//
// The log and snapshots identify boards by id. While they are replayed, two boards may have the
// same name for some time. So during a restore boards are found by id only; FinishRestore enters
// all names at once.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <unordered_map>

#include "base/assert.h"
#include "core/store/environment.h"
#include "engine/keyspace/name_table.h"
#include "engine/keyspace/named_board.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::engine {

// Whether a board of this spec may have this name.
Status CheckName(std::string_view name, const Spec& spec);

class Catalog {
 public:
  // Notified before a board is removed from the list.
  class Walker {
   public:
    virtual ~Walker() = default;
    virtual void OnRemove(const NamedBoard& named) = 0;
  };

  // `calendars` must outlive the catalog.
  Catalog(std::pmr::memory_resource* memory, std::uint64_t hash_seed, const Calendars* calendars,
          const core::Shape& shape);
  ~Catalog();

  [[nodiscard]] core::Environment* environment() { return &environment_; }
  [[nodiscard]] const core::Totals& totals() const { return environment_.totals(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] NamedBoard* Find(std::string_view name) const {
    return static_cast<NamedBoard*>(names_.Find(name));
  }
  // Creates an empty board. Returns ERR or LIMIT for a bad name or spec or an unknown time zone.
  // REQUIRES: the name is free.
  Result<NamedBoard*> Create(std::string_view name, const Spec& spec);
  // As Create for a board that is not found by its name until Publish. The name may be taken.
  Result<NamedBoard*> CreateLoad(std::string_view name, const Spec& spec);
  // REQUIRES: a board of CreateLoad, whose name is free.
  void Publish(NamedBoard* named);
  // Renames the board and drops the board that has the new name. REQUIRES: CheckName is ok.
  void Rename(NamedBoard* named, std::string_view to);
  void Drop(NamedBoard* named);

  // The boards in order of ids; null at the end.
  [[nodiscard]] NamedBoard* FirstById() const { return first_by_id_; }
  [[nodiscard]] static NamedBoard* NextById(const NamedBoard* named) { return named->next_by_id_; }
  // The next board's id, greater than all ids given so far.
  [[nodiscard]] std::uint64_t next_id() const { return next_id_; }
  void RaiseNextId(std::uint64_t id);
  // Sets the walker to notify; null: none. REQUIRES: there is none yet, or walker is null.
  void SetWalker(Walker* walker) {
    LAUREL_ASSERT(walker == nullptr || walker_ == nullptr);
    walker_ = walker;
  }

  // Restoring. Between BeginRestore and FinishRestore no board is found by name. Only the functions
  // from here to AbandonRestore, FirstById, NextById, next_id and RaiseNextId may be called.
  // REQUIRES: the catalog is empty, and there is no walker.
  void BeginRestore();
  [[nodiscard]] bool restoring() const { return by_id_ != nullptr; }
  [[nodiscard]] NamedBoard* FindById(std::uint64_t id) const;
  // Creates a board with a given id. Fast if ids come in rising order, or in several such runs.
  // REQUIRES: CheckSpec(spec) is ok, and no board has this id.
  Result<NamedBoard*> Restore(std::uint64_t id, std::string_view name, const Spec& spec);
  void DropRestored(NamedBoard* named);
  void DropRestoredBelow(std::uint64_t id);
  // Enters the names and ends the restore. Returns an error if two boards have the same name; the
  // catalog is then still being restored.
  [[nodiscard]] Status FinishRestore();
  // Drops all boards and ends the restore.
  void AbandonRestore();

  // See NameTable::Scan.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, std::size_t count, const Visit& visit) const {
    return names_.Scan(cursor, count,
                       [&](Named& named) { visit(static_cast<NamedBoard&>(named)); });
  }

 private:
  Result<NamedBoard*> Make(std::string_view name, std::uint64_t id, const Spec& spec);
  void Free(NamedBoard* named);
  // Links the board after `previous`; null: as the first.
  void Link(NamedBoard* named, NamedBoard* previous);
  void Unlink(NamedBoard* named);

  core::Environment environment_;
  const Calendars& calendars_;
  NameTable names_;
  std::uint64_t next_id_ = 1;
  std::size_t size_ = 0;
  NamedBoard* first_by_id_ = nullptr;
  NamedBoard* last_by_id_ = nullptr;
  std::unique_ptr<std::unordered_map<std::uint64_t, NamedBoard*>> by_id_;  // while restoring
  NamedBoard* restored_last_ = nullptr;  // where Restore begins its search; null: at the end
  Walker* walker_ = nullptr;
};

}  // namespace laurel::engine
