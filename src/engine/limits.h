// Limits of an engine, beyond those of the library (laurel/limits.h) and of a leaderboard
// (leaderboard/limits.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::engine {

inline constexpr std::size_t kMaxTemplates = 1000;
inline constexpr std::size_t kMaxScanned = 10'000;       // caps COUNT of SCAN, ZSCAN and LB.LIST
inline constexpr std::size_t kMaxWatchedNames = 10'000;  // per client
inline constexpr std::size_t kMaxAwaitedNames = 10'000;  // per blocking pop

// Live readers: readers per engine, entries of a reader's top, members per reader, and members of
// all readers together.
inline constexpr std::size_t kMaxLiveReaders = 20'000;
inline constexpr std::size_t kMaxLiveTop = 1000;
inline constexpr std::size_t kMaxLiveMembers = 100;
inline constexpr std::size_t kMaxLiveMembersOfAll = 100'000;

}  // namespace laurel::engine
