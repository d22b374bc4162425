// The limits of boards: fields, names, members, options. Each is tested at its edge.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel {

inline constexpr std::size_t kMaxFields = 8;
inline constexpr std::size_t kMaxFieldNameBytes = 64;
inline constexpr int kMaxDecimals = 9;  // decimal9: nine digits after the point

inline constexpr std::size_t kMaxBoardNameBytes = 512;
inline constexpr std::size_t kMaxMemberBytes = 1024;                 // leaderboards
inline constexpr std::size_t kMaxSortedSetMemberBytes = 512 * 1024;  // sorted sets
inline constexpr std::size_t kMaxMetaBytes = 4096;

inline constexpr std::uint64_t kDefaultDedup = 100'000;  // request ids that a board remembers
inline constexpr std::uint64_t kMaxDedup = 10'000'000;

inline constexpr std::uint64_t kMaxKeptInstances = 10'000;  // KEEP
inline constexpr std::size_t kMaxZoneNameBytes = 64;

inline constexpr std::size_t kMaxHistogramBuckets = 1000;

// AT may lie this far ahead of the clock: the clocks of two machines always differ a little.
inline constexpr std::int64_t kMaxStampLeadMicros = 1'000'000;

static_assert(kMaxMemberBytes <= kMaxSortedSetMemberBytes);

}  // namespace laurel
