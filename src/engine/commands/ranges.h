// Ranges as Redis' commands name them, turned into runs of the board's own order.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/reads.h"
#include "engine/commands/context.h"

namespace laurel::engine {

// A run of entries and the way to walk it: from `first`, `count` entries, upwards in the board's
// order or backward.
struct OrderedRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool backward = false;

  // The same entries, whatever the way.
  [[nodiscard]] core::IndexRange ToIndexes() const {
    return {backward && count > 0 ? first + 1 - count : first, count};
  }
};

// 0-based places from the lowest number upwards (`reverse`: from the highest downwards), inclusive,
// negative ones from the end, as ZRANGE takes them.
OrderedRange RankRange(const core::Board& board, std::int64_t first, std::int64_t last,
                       bool reverse);

// The entries of a run from low to high (`reverse`: high to low), without the first `offset`, at
// most `limit` (negative: all). A negative offset leaves nothing, as in Redis.
OrderedRange Walk(const core::Board& board, core::IndexRange range, bool reverse,
                  std::int64_t offset = 0, std::int64_t limit = -1);

// Bounds on field 1. Replies the error and gives nothing if they are none; an empty run if the key
// is null.
std::optional<core::IndexRange> TakeScoreRange(Context& context, const core::Board* board,
                                               std::string_view min, std::string_view max);
// Lexicographic bounds; refused on leaderboards.
std::optional<core::IndexRange> TakeLexRange(Context& context, const core::Board* board,
                                             std::string_view min, std::string_view max);

}  // namespace laurel::engine
