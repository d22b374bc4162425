// Bounds of the module.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::module {

// RDB and AOF rewrite write a board in chunks of effects of about this size; only a single effect
// (the verdicts of a large LB.MSUBMIT with ID) can be longer.
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
// Entries, marks and ids that are encoded before the size of a chunk is looked at again.
inline constexpr std::size_t kWalkedAtOnce = 64;
inline constexpr std::size_t kMostWalkedBytes = kWalkedAtOnce * 6 * 1024;
static_assert(2 * kMostWalkedBytes < kChunkBytes);

// The highest stamp or time of a write that a saved board may have: 2262, as of a server's clock.
// Beyond it stamps would overflow.
inline constexpr std::int64_t kMaxStamp = INT64_MAX / 1000;

// Events that a board keeps.
inline constexpr std::uint64_t kMaxFeed = 1'000'000;
inline constexpr std::size_t kMaxFeedBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxFeedTerms = 64;  // an older place is a gap
inline constexpr std::size_t kMaxChangesReplyBytes = std::size_t{4} << 20;

inline constexpr std::size_t kMaxTemplates = 100;
inline constexpr std::size_t kDefaultMaxReply = std::size_t{256} << 20;

// What one call of Leaderboard::Advance handles at most: instances and request ids.
inline constexpr std::size_t kAdvancedAtOnce = 64;
// Work of one tick of the sweep.
inline constexpr long long kTickMs = 100;  // the setting tick
inline constexpr long long kMaxTickMs = 10'000;
inline constexpr long long kBusyTickMs = 5;  // while there is memory to free or work is left
inline constexpr std::size_t kBoardsPerTick = 16;
inline constexpr std::size_t kReclaimedPerTick = 20'000;  // entries; about a millisecond
inline constexpr std::size_t kScannedPerTick = 20;        // steps of the slow scan
inline constexpr std::size_t kScannedAtOnce = 1000;       // of the scan after a promotion

}  // namespace laurel::module
