// Boards by name.
//
// An ordered map: listing in byte order comes for free, and unlike a hash table it never stops the
// world to rehash a million names. A dropped board leaves its name at once; a large one then waits
// in a queue until Reclaim has freed it slice by slice.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "core/board.h"
#include "core/environment.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::core {

class Catalog {
 public:
  Catalog(std::pmr::memory_resource* memory, std::uint64_t hash_seed, const Shape& shape = Shape());
  ~Catalog();

  // See laurel/boards.h.
  Result<Board*> Create(std::string_view name, const Spec& spec);
  [[nodiscard]] Board* Find(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return boards_.size(); }
  [[nodiscard]] std::vector<std::string> List(std::string_view after, std::size_t limit) const;
  Status Rename(std::string_view from, std::string_view to);
  bool Drop(std::string_view name);
  bool Reclaim(std::size_t entries);
  [[nodiscard]] std::size_t MemoryUsage() const;

 private:
  using Boards = std::pmr::map<std::pmr::string, Board, std::less<>>;

  void Retire(Boards::iterator board);

  Environment environment_;
  Boards boards_;
  std::deque<Boards::node_type> retired_;
};

}  // namespace laurel::core
