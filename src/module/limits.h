// Bounds of the module.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "laurel/limits.h"
#include "laurel/stamp.h"
#include "leaderboard/limits.h"

namespace laurel::module {

// The size of a chunk of effects in RDB files and AOF rewrites. Only a single effect (the verdicts
// of a large LB.MSUBMIT with ID) can make a chunk longer.
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
// Entries, marks and ids that are encoded between two checks of a chunk's size.
inline constexpr std::size_t kWalkedAtOnce = 64;
inline constexpr std::size_t kMostWalkedBytes = kWalkedAtOnce * 6 * 1024;
static_assert(2 * kMostWalkedBytes < kChunkBytes);
// Each has a member, meta, the words, and less than 256 bytes of numbers and an id.
static_assert(kMostWalkedBytes >= kWalkedAtOnce * (kMaxMemberBytes + kMaxMetaBytes + 256));

// The end of the stamps that a board takes from the clock: in 2262.
inline constexpr Stamp kMaxStamp = base::kMaxClock;
// The latest stamp or time of a write in effects that are applied or loaded. No valid write is
// later: the stamps of one command are consecutive, and AT may be ahead of the clock.
inline constexpr Stamp kLatestStamp = kMaxStamp + kMaxStampLeadMicros;
static_assert(leaderboard::kMaxSubmits < kMaxStampLeadMicros);

// Bounds of the events that a board keeps.
inline constexpr std::uint64_t kMaxFeed = 1'000'000;
inline constexpr std::size_t kMaxFeedBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxFeedTerms = 64;  // an older place is a gap
inline constexpr std::uint64_t kMaxFeedSequence = std::uint64_t{1} << 62;  // then restarts at 0
inline constexpr std::size_t kMaxChangesReplyBytes = std::size_t{4} << 20;

// Memory for reuse is kept only after commands of at most this many words.
inline constexpr int kKeptWords = 1024;

// MIGRATE and RESTORE pass on the remaining time to live. The key's expiry therefore shifts by the
// duration of the move and the difference of the clocks. Up to this shift it still counts as set by
// the board's EXPIRE.
inline constexpr std::int64_t kMovedExpiryMs = 60'000;

inline constexpr std::size_t kMaxTemplates = 100;
inline constexpr std::size_t kKeptCommits = 16;  // of LB.LOAD; their replies may have been lost
inline constexpr std::size_t kMaxKeyBytes = std::size_t{512} << 20;  // the limit of the server
inline constexpr long long kDefaultMaxReply = 256LL << 20;           // bytes
inline constexpr long long kMostMaxWork = 1'000'000'000'000;

// The maximum that one call of Leaderboard::Advance handles: instances and request ids.
inline constexpr std::size_t kAdvancedAtOnce = 64;
// Bounds of one tick of the sweep.
inline constexpr long long kTickMs = 100;  // the setting tick
inline constexpr long long kMaxTickMs = 10'000;
inline constexpr long long kBusyTickMs = 5;  // if memory must be freed or work is left
inline constexpr std::size_t kBoardsPerTick = 16;
inline constexpr std::size_t kMostCountedHints = 10'000;  // for INFO
inline constexpr std::size_t kReclaimedPerTick = 20'000;  // entries; about a millisecond
inline constexpr std::size_t kScannedPerTick = 20;        // steps of the slow scan
// Stale hints are dropped when the hints exceed two per board by this many.
inline constexpr std::size_t kSpareHints = 1000;
inline constexpr std::size_t kPrunedPerTick = 1000;  // hints checked per tick while dropping

// Above this share of maxmemory, dropped memory is freed at once.
inline constexpr float kShortMemoryRatio = 0.9F;

}  // namespace laurel::module
