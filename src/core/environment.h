// What boards share: memory, pages, the hash seed, and the specs they have in common.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>

#include "core/page_pool.h"
#include "core/score_key.h"
#include "laurel/spec.h"

namespace laurel::core {

// Sizes of structures. Tests make them small, so that what is rare becomes common.
struct Shape {
  unsigned packed_entries = 64;    // a board with more leaves the packed form
  unsigned leaf_entries = 64;      // 4 to 64
  unsigned inner_children = 32;    // 4 to 32
  unsigned segment_buckets = 120;  // up to 120
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

 private:
  PagePool pages_;
  std::uint64_t hash_seed_;
  Shape shape_;
  std::map<std::string, std::weak_ptr<const BoardType>> types_;  // by DescribeSpec
  std::map<std::uint32_t, KeyLayout> layouts_;  // by all that matters to a layout: at most 1,531
};

}  // namespace laurel::core
