// A board under test with a configurable shape, which counts every allocated byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/collection.h"
#include "base/memory.h"
#include "core/store/environment.h"
#include "laurel/board.h"
#include "laurel/boards.h"
#include "laurel/spec.h"

namespace laurel::model {

// The smallest shape allowed: a dozen entries cause splits, merges, promotion and demotion.
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

  explicit TestBoard(const Spec& spec, const core::Shape& shape = core::Shape(),
                     std::uint64_t hash_seed = kHashSeed)
      : memory_(base::SystemMemory()),
        boards_(std::make_unique<Boards>(
            std::make_unique<api::Collection>(&memory_, hash_seed, UtcCalendars(), shape))),
        board_(boards_->Create("board", spec).value()) {}

  Board& operator*() { return board_; }
  Board* operator->() { return &board_; }

  // Destroys the board and returns the bytes that were not freed. Call nothing else after it.
  std::size_t DestroyAndCountLeakedBytes() {
    boards_.reset();
    return static_cast<std::size_t>(memory_.bytes_in_use());
  }

 private:
  base::CountingMemory memory_;
  std::unique_ptr<Boards> boards_;
  Board board_;
};

// The verdict of a write without id to a board without periods, in the type of the naive board.
inline Result<Verdict> Plain(const Result<WriteVerdict>& verdict) {
  if (!verdict.ok()) return verdict.error();
  return Verdict(*verdict);
}
inline Result<std::vector<Verdict>> Plain(const Result<std::vector<WriteVerdict>>& verdicts) {
  if (!verdicts.ok()) return verdicts.error();
  return std::vector<Verdict>(verdicts->begin(), verdicts->end());
}

}  // namespace laurel::model
