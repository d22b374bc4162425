// What boards share: memory, pages, the hash seed, the specs they have in common, and the work of
// freeing memory that is done in slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>

#include "core/store/page_pool.h"
#include "core/store/score_key.h"
#include "laurel/spec.h"

namespace laurel::core {

// Sizes of structures. Tests make them small, so that what is rare becomes common.
struct Shape {
  unsigned packed_entries = 64;     // a board with more leaves the packed form
  unsigned leaf_entries = 64;       // 4 to 64
  unsigned inner_children = 32;     // 4 to 32
  unsigned segment_buckets = 120;   // up to 120
  unsigned listed_removals = 1000;  // a removal of more neighbours is one effect, not one for each
};

// Memory to free that would take too long at once.
class Leftover {
 public:
  virtual ~Leftover() = default;
  // Frees about `entries` entries, and returns about how many; 0 when nothing is left.
  virtual std::size_t FreeSome(std::size_t entries) = 0;
  [[nodiscard]] virtual std::size_t MemoryUsage() const = 0;
};

// A spec with what is derived from it. 100,000 boards of one spec share one of these.
struct BoardType {
  BoardType(const Spec& from, const KeyLayout* key_layout);

  Spec spec;
  const KeyLayout* layout;     // lives as long as the environment
  bool has_operators = false;  // some field has an operator other than set
};

class Environment {
 public:
  explicit Environment(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
                       const Shape& shape = Shape());

  [[nodiscard]] std::pmr::memory_resource* memory() const { return pages_.memory(); }
  [[nodiscard]] PagePool* pages() { return &pages_; }
  [[nodiscard]] std::uint64_t hash_seed() const { return hash_seed_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }

  // The one BoardType of an equal spec.
  [[nodiscard]] std::shared_ptr<const BoardType> TypeOf(const Spec& spec);

  // Leftovers are freed by Reclaim, in the order in which they came.
  void Leave(std::unique_ptr<Leftover> leftover);
  // One that lives elsewhere. It is withdrawn before it dies, unless FreeSome has returned 0.
  void Leave(Leftover* leftover) { leftovers_.push_back(leftover); }
  void Withdraw(Leftover* leftover);
  // Frees about `entries` entries; false when nothing is left to free.
  bool Reclaim(std::size_t entries);
  // Of those that live here.
  [[nodiscard]] std::size_t LeftoverBytes() const;

 private:
  PagePool pages_;
  std::deque<Leftover*> leftovers_;
  std::map<Leftover*, std::unique_ptr<Leftover>> owned_leftovers_;
  std::uint64_t hash_seed_;
  Shape shape_;
  std::map<std::string, std::weak_ptr<const BoardType>> types_;  // by DescribeSpec
  std::map<std::uint32_t, KeyLayout> layouts_;  // by all that matters to a layout: at most 1,531
};

}  // namespace laurel::core
