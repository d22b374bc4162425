// Limits of an engine, beyond those of the library (laurel/limits.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::engine {

inline constexpr std::size_t kMaxTemplates = 1000;
inline constexpr std::int64_t kMaxAmong = 10'000;        // members of one LB.AMONG
inline constexpr std::size_t kMaxScanned = 10'000;       // caps COUNT of SCAN, ZSCAN and LB.LIST
inline constexpr std::size_t kMaxWatchedNames = 10'000;  // per client
inline constexpr std::size_t kMaxAwaitedNames = 10'000;  // per blocking pop
inline constexpr std::int64_t kMaxSubmits = 100'000;     // members of one LB.MSUBMIT

inline constexpr std::size_t kMaxLabelBytes = 32;  // of an instance
inline constexpr std::size_t kClosingTop = 100;    // entries in the event of a closed instance

// Live readers: readers per engine, entries of a reader's top, members per reader, and members of
// all readers together.
inline constexpr std::size_t kMaxLiveReaders = 20'000;
inline constexpr std::size_t kMaxLiveTop = 1000;
inline constexpr std::size_t kMaxLiveMembers = 100;
inline constexpr std::size_t kMaxLiveMembersOfAll = 100'000;

// Request ids: bytes of one id, bytes of one remembered verdict, bytes of all ids of a board, and
// how long a board remembers an id.
inline constexpr std::size_t kMaxRequestIdLength = 128;
inline constexpr std::size_t kMaxOutcomeBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMaxRequestIdBytes = std::size_t{256} << 20;
inline constexpr std::int64_t kRequestIdLifeMicros = std::int64_t{24} * 3600 * 1'000'000;

}  // namespace laurel::engine
