// Limits of the protocol, and the defaults of the configurable ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "laurel/limits.h"

namespace laurel::wire {

inline constexpr std::size_t kMaxArguments = std::size_t{1} << 20;
inline constexpr std::size_t kMaxBulkBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxInlineBytes = std::size_t{64}
                                               << 10;  // also for the line of a count or length
inline constexpr std::size_t kDefaultMaxRequestBytes = std::size_t{64} << 20;
inline constexpr std::uint64_t kDefaultMaxWork = 1'000'000;  // entries that one command touches

inline constexpr std::int64_t kMaxChanges = 10'000;  // events of one LB.CHANGES

// Limits before authentication, if it is required: enough for AUTH and HELLO.
inline constexpr std::size_t kMaxArgumentsBeforeAuth = 10;
inline constexpr std::size_t kMaxBulkBytesBeforeAuth = std::size_t{16} << 10;

static_assert(kMaxBulkBytes > kMaxSortedSetMemberBytes, "the longest member fits a request");
static_assert(kDefaultMaxRequestBytes > kMaxBulkBytes);

}  // namespace laurel::wire
