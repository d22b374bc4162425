// Boards by name and in order of their ids, and the memory of those that are gone.
//
// A dropped board leaves its name at once; the memory of its entries, if they are many, is freed in
// slices by Reclaim.
//
// Ids only rise, so the boards in order of ids are a linked list that new ones are appended to. A
// walk over it (board_walk.h) is told when a board leaves.
//
// A log or a snapshot knows boards by id, and on the way to the state that it ends with two may
// have one name. So while a catalog is restored, boards have ids only; they get their names, all
// at once, at the end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/board.h"
#include "core/environment.h"
#include "core/name_table.h"
#include "core/request_ids.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::core {

class BoardWalk;

// A leaderboard with periods has no entries of its own. Its instances do: boards that are known by
// id like all others, and by their parent instead of a name that could be looked up.
struct NamedBoard : Named {
  NamedBoard(std::string_view board_name, std::uint64_t board_id, const Spec& spec,
             Environment* environment)
      : Named(board_name, environment->memory()), id(board_id), board(spec, environment) {}

  std::uint64_t id;                // never used again in this catalog
  std::int64_t expires_at_ms = 0;  // 0: never
  Board board;

  // Of a board that goes by itself (Spec::expire_us); null otherwise. The host's to use.
  struct Ending {
    Stamp written_at = 0;  // the last accepted write; 0: none
    Stamp look_at = 0;     // when the host looks again whether it is over
  };
  std::unique_ptr<Ending> ending;
  std::unique_ptr<RequestIds> requests;  // null until there is one

  // Of a board with periods.
  struct Parent {
    std::vector<NamedBoard*> instances;  // in order of their ids
    Stamp turned_at = INT64_MIN;         // its calendar has come to here and does not go back
    // By period: instances that end by then are closed, whether they are kept or not.
    void CloseThrough(Period period, Stamp end) {
      Stamp& through = closed_through[static_cast<std::size_t>(period)];
      if (end > through) through = end;
    }
    [[nodiscard]] Stamp ClosedThrough(Period period) const {
      return closed_through[static_cast<std::size_t>(period)];
    }
    std::array<Stamp, kPeriods> closed_through = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN,
                                                  INT64_MIN};
  };
  std::unique_ptr<Parent> parent;

  // Of an instance.
  struct Part {
    NamedBoard* of;
    Instance span;
    bool closed = false;  // takes no more writes, for good
    // Where in the log that was said: an epoch, and the last record before it.
    std::uint64_t closed_epoch = 0;
    std::uint64_t closed_after = 0;
    Stamp due = INT64_MAX;  // when the host looks after it next
  };
  std::unique_ptr<Part> part;

  // What the host keeps with it.
  struct HostState {
    virtual ~HostState() = default;
  };
  std::unique_ptr<HostState> host;
  // Counts changes: two looks at one id that find the same number have seen the same entries.
  std::uint64_t changed_at = 0;
  bool fresh = false;  // made for a write that may not happen; the host's

  [[nodiscard]] RequestIds& Requests() {
    if (!requests) {
      requests = std::make_unique<RequestIds>(board.hasher(), name.get_allocator().resource());
    }
    return *requests;
  }

 private:
  friend class Catalog;
  NamedBoard* previous_by_id_ = nullptr;
  NamedBoard* next_by_id_ = nullptr;
};

class Catalog {
 public:
  Catalog(std::pmr::memory_resource* memory, std::uint64_t hash_seed, const Shape& shape = Shape());
  ~Catalog();

  // See laurel/boards.h.
  Result<NamedBoard*> Create(std::string_view name, const Spec& spec);
  [[nodiscard]] NamedBoard* Find(std::string_view name) const {
    return static_cast<NamedBoard*>(names_.Find(name));
  }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  // Instances included.
  [[nodiscard]] std::size_t boards() const { return boards_; }
  [[nodiscard]] std::vector<std::string> List(std::string_view after, std::size_t limit) const;
  Status Rename(std::string_view from, std::string_view to);
  bool Drop(std::string_view name);
  // That all boards of the catalog share.
  [[nodiscard]] Environment* environment() { return &environment_; }
  bool Reclaim(std::size_t entries) { return environment_.Reclaim(entries); }
  [[nodiscard]] std::size_t MemoryUsage() const;

  // The same as an effect kClear on the board, but in one step whatever the number of entries: a
  // fresh board takes over name, id, spec, hidden marks and remembered requests, the old one is
  // dropped. Returns the fresh one.
  NamedBoard* Clear(NamedBoard* board);

  // A new instance of a board with periods, empty and without marks.
  NamedBoard* CreateInstance(NamedBoard* of, const Instance& span);
  void DropInstance(NamedBoard* instance);
  // A board like an instance of `of`, which is nobody's: no id, in no list.
  struct Freer {
    Catalog* catalog;
    void operator()(NamedBoard* board) const { catalog->Free(board); }
  };
  using Detached = std::unique_ptr<NamedBoard, Freer>;
  [[nodiscard]] Detached MakeDetached(const NamedBoard& of);

  // Boards in order of ids, instances among them; null at the end.
  [[nodiscard]] NamedBoard* FirstById() const { return first_by_id_; }
  [[nodiscard]] static NamedBoard* NextById(const NamedBoard* board) { return board->next_by_id_; }
  // All ids given so far are below it.
  [[nodiscard]] std::uint64_t next_id() const { return next_id_; }
  // At least `id` from now on.
  void RaiseNextId(std::uint64_t id);

  // Restoring. Between BeginRestore and FinishRestore no board is found by name; only what is named
  // here may be called besides FirstById, NextById and the ids' functions.
  // REQUIRES: the catalog has no boards, and no walk.
  void BeginRestore();
  [[nodiscard]] bool restoring() const { return by_id_ != nullptr; }
  [[nodiscard]] NamedBoard* FindById(std::uint64_t id) const;
  // REQUIRES: CheckSpec(spec) is ok; no board has this id. Quick for ids that rise.
  NamedBoard* Restore(std::uint64_t id, std::string_view name, const Spec& spec);
  // REQUIRES: as Restore, and `of` has periods.
  NamedBoard* RestoreInstance(std::uint64_t id, NamedBoard* of, const Instance& span,
                              const Spec& spec);
  static void SetRestoredName(NamedBoard* board, std::string_view name) { board->name = name; }
  // An effect kClear; the board stays where it is.
  static void ClearRestored(NamedBoard* board);
  // With its instances, if it has any.
  void DropRestored(NamedBoard* board);
  // All whose id is below.
  void DropRestoredBelow(std::uint64_t id);
  // Gives the boards their names; next_id() is above all their ids. An error if two have one name:
  // the catalog is still being restored then.
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
  friend class BoardWalk;  // registers itself

  NamedBoard* Make(std::string_view name, std::uint64_t id, const Spec& spec);
  void Free(NamedBoard* board);
  // Links the board behind `previous`; null: as the first.
  void LinkById(NamedBoard* board, NamedBoard* previous);
  void UnlinkById(NamedBoard* board);
  void LinkRestored(NamedBoard* board);
  // With its instances.
  void DropNamed(NamedBoard* board);
  void Leave(NamedBoard* board);
  NamedBoard* MakeInstance(std::uint64_t id, NamedBoard* of, const Instance& span,
                           const Spec& spec);

  Environment environment_;
  NameTable names_;
  std::uint64_t next_id_ = 1;
  std::size_t boards_ = 0;
  NamedBoard* first_by_id_ = nullptr;
  NamedBoard* last_by_id_ = nullptr;
  std::unique_ptr<std::unordered_map<std::uint64_t, NamedBoard*>> by_id_;  // while restoring
  BoardWalk* walk_ = nullptr;                                              // that is under way
};

// "lb@day:2026-11-15": how an instance of the board is called.
std::string InstanceName(std::string_view board, const Instance& span);

// Whether a board of this spec may have this name.
Status CheckName(std::string_view name, const Spec& spec);

}  // namespace laurel::core
