// Results that become sorted sets: ZRANGESTORE, ZUNIONSTORE and their kin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/commands/context.h"

namespace laurel::engine {

struct StoredEntry {
  std::string member;
  double score;
};

// Field 1 as the nearest double: the one place where a leaderboard's number is rounded.
double NumberAsDouble(const core::Board& board, std::uint64_t word);

// By score, then bytes: the order of a sorted set.
void SortEntries(std::vector<StoredEntry>* entries);

// Replaces the board at `name` by a sorted set of these entries, or deletes it if there are none;
// replies their number. A leaderboard there is WRONGTYPE.
void StoreResult(Context& context, std::string_view name, std::vector<StoredEntry> entries);

}  // namespace laurel::engine
