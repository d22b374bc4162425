// A board under test, with nodes of any size and every byte counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/memory.h"
#include "core/board.h"
#include "laurel/board.h"
#include "laurel/spec.h"

namespace laurel::model {

// The least the structures allow: splits, merges, promotion and demotion with a dozen entries.
inline core::Shape TinyShape() {
  core::Shape shape;
  shape.packed_entries = 4;
  shape.leaf_entries = 4;
  shape.inner_children = 4;
  shape.segment_buckets = 2;
  shape.listed_removals = 3;
  return shape;
}

inline std::string DescribeShape(const core::Shape& shape) {
  return "packed " + std::to_string(shape.packed_entries) + " leaf " +
         std::to_string(shape.leaf_entries) + " inner " + std::to_string(shape.inner_children) +
         " segment " + std::to_string(shape.segment_buckets) + " listed " +
         std::to_string(shape.listed_removals);
}

class TestBoard {
 public:
  static constexpr std::uint64_t kHashSeed = 0x9e3779b97f4a7c15;

  explicit TestBoard(Spec spec, const core::Shape& shape = core::Shape(),
                     std::uint64_t hash_seed = kHashSeed)
      : memory_(base::SystemMemory()),
        environment_(std::make_unique<core::Environment>(&memory_, hash_seed, shape)),
        core_(std::make_unique<core::Board>(std::move(spec), environment_.get())),
        board_(core_.get()) {}

  Board& operator*() { return board_; }
  Board* operator->() { return &board_; }

  // Destroys the board; the bytes that were not given back. Nothing else may be called after it.
  std::size_t DestroyAndCountLeakedBytes() {
    core_.reset();
    environment_.reset();
    return static_cast<std::size_t>(memory_.bytes_in_use());
  }

 private:
  base::CountingMemory memory_;
  std::unique_ptr<core::Environment> environment_;
  std::unique_ptr<core::Board> core_;
  Board board_;
};

}  // namespace laurel::model
