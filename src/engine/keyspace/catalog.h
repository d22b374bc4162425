// Keys by name and in order of their ids.
//
// Ids only rise, so the keys in order of ids are a linked list that new ones are appended to. A
// walk over it (disk/snapshot_walk.h) is told when a key leaves.
//
// A log or a snapshot knows boards by id, and on the way to the state that it ends with two may
// have one name. So while a catalog is restored, keys have ids only; they get their names, all at
// once, at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <unordered_map>

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
  // Hears that a key leaves the list, before it does.
  class Walker {
   public:
    virtual ~Walker() = default;
    virtual void OnRemove(const NamedBoard& named) = 0;
  };

  // `calendars` outlives the catalog.
  Catalog(std::pmr::memory_resource* memory, std::uint64_t hash_seed, const Calendars* calendars,
          const core::Shape& shape);
  ~Catalog();

  [[nodiscard]] core::Environment* environment() { return &environment_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] NamedBoard* Find(std::string_view name) const {
    return static_cast<NamedBoard*>(names_.Find(name));
  }
  // ERR or LIMIT for a bad name or spec, and for a time zone that is not known.
  // REQUIRES: the name is free.
  Result<NamedBoard*> Create(std::string_view name, const Spec& spec);
  // The key that has the new name is dropped. REQUIRES: CheckName is ok.
  void Rename(NamedBoard* named, std::string_view to);
  void Drop(NamedBoard* named);

  // Keys in order of ids; null at the end.
  [[nodiscard]] NamedBoard* FirstById() const { return first_by_id_; }
  [[nodiscard]] static NamedBoard* NextById(const NamedBoard* named) { return named->next_by_id_; }
  // All ids given so far are below it.
  [[nodiscard]] std::uint64_t next_id() const { return next_id_; }
  void RaiseNextId(std::uint64_t id);
  // One at a time; null: none.
  void SetWalker(Walker* walker) { walker_ = walker; }

  // Restoring. Between BeginRestore and FinishRestore no key is found by name; only what is named
  // here may be called besides FirstById, NextById and the ids' functions.
  // REQUIRES: the catalog is empty, and there is no walker.
  void BeginRestore();
  [[nodiscard]] bool restoring() const { return by_id_ != nullptr; }
  [[nodiscard]] NamedBoard* FindById(std::uint64_t id) const;
  // REQUIRES: CheckSpec(spec) is ok; no key has this id. Quick for ids that rise.
  Result<NamedBoard*> Restore(std::uint64_t id, std::string_view name, const Spec& spec);
  void DropRestored(NamedBoard* named);
  void DropRestoredBelow(std::uint64_t id);
  // Gives the keys their names. An error if two have one name: it is still being restored then.
  [[nodiscard]] Status FinishRestore();
  // Drops everything and ends the restoring.
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
  // Links the key behind `previous`; null: as the first.
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
  Walker* walker_ = nullptr;
};

}  // namespace laurel::engine
