// Converts ranges of Redis' commands into index ranges of a board.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/reads.h"
#include "engine/commands/context.h"

namespace laurel::engine {

// Entries in the order of a reply: `count` entries from index `first` on, in the board's order or
// backward.
struct OrderedRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool backward = false;

  // Returns these entries as a range in the board's order.
  [[nodiscard]] core::IndexRange ToIndexes() const {
    return {backward && count > 0 ? first + 1 - count : first, count};
  }
};

// The entries from 0-based rank `first` to `last`, both inclusive, as in ZRANGE. Rank 0 is the
// lowest score (`reverse`: the highest); negative ranks count from the end.
OrderedRange RankRange(const core::Standings& standings, std::int64_t first, std::int64_t last,
                       bool reverse);

// The entries of `range` from low to high score (`reverse`: from high to low), without the first
// `offset`, at most `limit` (negative: all). A negative offset gives no entries, as in Redis.
OrderedRange Walk(const core::Standings& standings, core::IndexRange range, bool reverse,
                  std::int64_t offset = 0, std::int64_t limit = -1);

// Parses bounds on field 1 and returns the entries between them; an empty range if `board` is null.
// Replies the error and returns none if the bounds are invalid.
std::optional<core::IndexRange> TakeScoreRange(Context& context, const core::Standings* standings,
                                               std::string_view min, std::string_view max);
// As TakeScoreRange, with lexicographic bounds. Refused on leaderboards.
std::optional<core::IndexRange> TakeLexRange(Context& context, const core::Standings* standings,
                                             std::string_view min, std::string_view max);

}  // namespace laurel::engine
