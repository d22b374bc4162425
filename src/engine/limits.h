// Bounds of an engine beyond those of the library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::engine {

inline constexpr std::size_t kMaxTemplates = 1000;
inline constexpr std::int64_t kMaxAmong = 10'000;        // members of one LB.AMONG
inline constexpr std::size_t kMaxWatchedNames = 10'000;  // of a client
inline constexpr std::size_t kMaxAwaitedNames = 10'000;  // of one blocking pop
inline constexpr std::int64_t kMaxSubmits = 100'000;     // members of one LB.MSUBMIT

}  // namespace laurel::engine
