// Boards by name, and the memory of those that are gone.
//
// A dropped board leaves its name at once; a large one then waits in a queue until Reclaim has
// freed it slice by slice.
#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "core/board.h"
#include "core/environment.h"
#include "core/name_table.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::core {

struct NamedBoard {
  NamedBoard(std::string_view board_name, std::uint64_t board_id, const Spec& spec,
             Environment* environment)
      : name(board_name, environment->memory()), id(board_id), board(spec, environment) {}

  std::pmr::string name;
  std::uint64_t id;                // never used again in this catalog
  std::int64_t expires_at_ms = 0;  // 0: never
  Board board;
};

class Catalog {
 public:
  Catalog(std::pmr::memory_resource* memory, std::uint64_t hash_seed, const Shape& shape = Shape());
  ~Catalog();

  // See laurel/boards.h.
  Result<NamedBoard*> Create(std::string_view name, const Spec& spec);
  [[nodiscard]] NamedBoard* Find(std::string_view name) const { return names_.Find(name); }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] std::vector<std::string> List(std::string_view after, std::size_t limit) const;
  Status Rename(std::string_view from, std::string_view to);
  bool Drop(std::string_view name);
  bool Reclaim(std::size_t entries);
  // Whether Reclaim has anything to do.
  [[nodiscard]] bool has_retired() const { return !retired_.empty(); }
  [[nodiscard]] std::size_t MemoryUsage() const;

  // The same as an effect kClear on the board, but in one step whatever the number of entries: a
  // fresh board takes over name, id, spec and hidden marks, the old one is dropped. Returns the
  // fresh one.
  NamedBoard* Clear(NamedBoard* board);

  // See NameTable::Scan.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, std::size_t count, const Visit& visit) const {
    return names_.Scan(cursor, count, visit);
  }

 private:
  NamedBoard* Make(std::string_view name, std::uint64_t id, const Spec& spec);
  void Free(NamedBoard* board);
  void Retire(NamedBoard* board);

  Environment environment_;
  NameTable names_;
  std::uint64_t next_id_ = 1;
  std::deque<NamedBoard*> retired_;
};

// Whether a board of this spec may have this name.
Status CheckName(std::string_view name, const Spec& spec);

}  // namespace laurel::core
