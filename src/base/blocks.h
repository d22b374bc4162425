// An append-only sequence whose elements never move.
//
// It allocates few large blocks: they go back to the system when they are freed, small ones do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/assert.h"

namespace laurel::base {

template <typename T>
class Blocks {
 public:
  // Copies the elements into one block. The result stays valid as long as this object, or the one
  // that it is moved to.
  std::span<T> Append(std::span<const T> elements) {
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < elements.size()) {
      const std::size_t more = blocks_.empty() ? kFewest : kGrowth * blocks_.back().capacity();
      blocks_.emplace_back().reserve(std::max(elements.size(), std::min(more, kMost)));
    }
    std::vector<T>& block = blocks_.back();
    const std::size_t begin = block.size();
    LAUREL_ASSERT(block.capacity() - begin >= elements.size());  // or elements would move
    block.insert(block.end(), elements.begin(), elements.end());
    return std::span<T>(block).subspan(begin);
  }

 private:
  static constexpr std::size_t kFewest = 1024 / sizeof(T);
  static constexpr std::size_t kGrowth = 32;  // few small blocks
  static constexpr std::size_t kMost = (std::size_t{1} << 20) / sizeof(T);

  std::vector<std::vector<T>> blocks_;
};

}  // namespace laurel::base
