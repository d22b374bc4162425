// Bounds of the module.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "laurel/limits.h"
#include "laurel/stamp.h"
#include "leaderboard/limits.h"

namespace laurel::module {

// RDB and AOF rewrite write a board in chunks of effects of about this size; only a single effect
// (the verdicts of a large LB.MSUBMIT with ID) can be longer.
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
// Entries, marks and ids that are encoded before the size of a chunk is looked at again.
inline constexpr std::size_t kWalkedAtOnce = 64;
inline constexpr std::size_t kMostWalkedBytes = kWalkedAtOnce * 6 * 1024;
static_assert(2 * kMostWalkedBytes < kChunkBytes);

// Where stamps end that a board takes from the clock: in 2262.
inline constexpr Stamp kMaxStamp = base::kMaxClock;
// The latest stamp or time of a write that effects may have, applied or loaded. No write is later:
// the stamps of one command follow each other, and AT may be ahead of the clock.
inline constexpr Stamp kLatestStamp = kMaxStamp + kMaxStampLeadMicros;
static_assert(leaderboard::kMaxSubmits < kMaxStampLeadMicros);

// Events that a board keeps.
inline constexpr std::uint64_t kMaxFeed = 1'000'000;
inline constexpr std::size_t kMaxFeedBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxFeedTerms = 64;  // an older place is a gap
inline constexpr std::uint64_t kMaxFeedSequence = std::uint64_t{1} << 62;  // then from 0 again
inline constexpr std::size_t kMaxChangesReplyBytes = std::size_t{4} << 20;

// The memory that commands use again is kept after commands of this many words at most.
inline constexpr int kKeptWords = 1024;

// MIGRATE and RESTORE carry how long a key has to live, not until when: its expiry moves by the
// time that the move takes and by the difference of two clocks. Up to here it is still the board's
// own.
inline constexpr std::int64_t kMovedExpiryMs = 60'000;

inline constexpr std::size_t kMaxTemplates = 100;
inline constexpr std::size_t kKeptCommits = 16;  // of LB.LOAD, whose replies may be lost
inline constexpr std::size_t kMaxKeyBytes = std::size_t{512} << 20;  // the server's
inline constexpr std::size_t kDefaultMaxReply = std::size_t{256} << 20;
inline constexpr long long kMostMaxWork = 1'000'000'000'000;

// What one call of Leaderboard::Advance handles at most: instances and request ids.
inline constexpr std::size_t kAdvancedAtOnce = 64;
// Work of one tick of the sweep.
inline constexpr long long kTickMs = 100;  // the setting tick
inline constexpr long long kMaxTickMs = 10'000;
inline constexpr long long kBusyTickMs = 5;  // while there is memory to free or work is left
inline constexpr std::size_t kBoardsPerTick = 16;
inline constexpr std::size_t kMostCountedHints = 10'000;  // for INFO
inline constexpr std::size_t kReclaimedPerTick = 20'000;  // entries; about a millisecond
inline constexpr std::size_t kScannedPerTick = 20;        // steps of the slow scan
// Hints of boards that are gone are dropped when there are this many more than two for each board.
inline constexpr std::size_t kSpareHints = 1000;
inline constexpr std::size_t kPrunedPerTick = 1000;  // hints that are looked at meanwhile

// With more than this share of maxmemory in use, dropped memory is freed at once.
inline constexpr float kShortMemoryRatio = 0.9F;

}  // namespace laurel::module
