// Limits of import and export. Each is tested at its edge.
#pragma once

#include <cstddef>
#include <cstdint>

#include "laurel/limits.h"

namespace laurel::transfer {

// Readers ---------------------------------------------------------------------------------------

// What a reader asks its source for at once.
inline constexpr std::size_t kReadBytes = std::size_t{256} << 10;

// One row of a file with its line end. The bytes of a longer row beyond these are skipped.
inline constexpr std::size_t kMaxRowBytes = std::size_t{64} << 10;
// One field of a row. The text of a number is longer than any int64 because it may have leading
// zeros or an exponent.
inline constexpr std::size_t kMaxNumberBytes = 400;
inline constexpr std::size_t kMaxTimeBytes = 64;
inline constexpr std::size_t kMaxInstanceBytes = 128;
inline constexpr std::size_t kMaxColumns = 1024;

// Serialised members (`--member json|java`) hold names of classes around the member.
inline constexpr std::size_t kMaxWrappedMemberBytes = 4 * kMaxMemberBytes;

// Writers ---------------------------------------------------------------------------------------

// What a writer gives its target at once.
inline constexpr std::size_t kWriteBytes = std::size_t{256} << 10;

// Rejects ---------------------------------------------------------------------------------------

inline constexpr std::uint64_t kDefaultMaxRejects = 1000;
// What is kept of a bad row, and of the reason.
inline constexpr std::size_t kMaxRejectRowBytes = 200;
inline constexpr std::size_t kMaxRejectReasonBytes = 400;
// Rejects that stay in memory for the report at the end.
inline constexpr std::size_t kMaxRejectsShown = 10;

static_assert(kMaxRowBytes > 2 * (kMaxMemberBytes + kMaxMetaBytes + kMaxFields * kMaxNumberBytes),
              "the longest row fits, with every byte of its member and meta escaped as two");
static_assert(kReadBytes > kMaxRowBytes);

}  // namespace laurel::transfer
