// Limits of an engine, beyond those of the library (laurel/limits.h) and of a leaderboard
// (leaderboard/limits.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::engine {

// DBSIZE and INFO of a client with access to some boards look at no more boards than this.
inline constexpr std::size_t kMaxCountedBoards = 20'000;

inline constexpr std::size_t kMaxTemplates = 1000;
// Elements between the first and the last star of a template's pattern: matching a name of 512
// bytes with all patterns takes about a millisecond at most. Patterns of older logs, and those of
// the configuration, may have more.
inline constexpr std::size_t kMaxTemplateElements = 64;
inline constexpr std::size_t kMaxScanned = 10'000;       // caps COUNT of SCAN, ZSCAN and LB.LIST
inline constexpr std::size_t kMaxWatchedNames = 10'000;  // per client
// Of these names. An EXEC asks the calendar for each.
inline constexpr std::size_t kMaxWatchedInstances = 128;
inline constexpr std::size_t kMaxAwaitedNames = 10'000;  // per blocking pop

inline constexpr std::size_t kMaxLoads = 4;  // LB.LOAD

// Live readers: readers per engine, entries of a reader's top, members per reader, and members of
// all readers together.
inline constexpr std::size_t kMaxLiveReaders = 20'000;
inline constexpr std::size_t kMaxLiveTop = 1000;
inline constexpr std::size_t kMaxLiveMembers = 100;
inline constexpr std::size_t kMaxLiveMembersOfAll = 100'000;

}  // namespace laurel::engine
