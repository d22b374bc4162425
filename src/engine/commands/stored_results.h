// Stores results as sorted sets: ZRANGESTORE, ZUNIONSTORE, ZINTERSTORE, ZDIFFSTORE.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/commands/context.h"

namespace laurel::engine {

struct StoredEntry {
  std::string member;
  double score;
};

// Field 1 as the nearest double. The only function that rounds a leaderboard's score.
double NumberAsDouble(const core::Standings& standings, std::uint64_t word);

// Sorts by score, then by member bytes, which is the order of a sorted set.
void SortEntries(std::vector<StoredEntry>* entries);

// Replaces the board at `name` by a sorted set of these entries, or deletes it if there are none.
// Replies the number of entries, or WRONGTYPE if `name` is a leaderboard.
void StoreResult(Context& context, std::string_view name, std::vector<StoredEntry> entries);

}  // namespace laurel::engine
