// Limits of import and export. Each is tested at its edge.
#pragma once

#include <cstddef>
#include <cstdint>

#include "laurel/limits.h"

namespace laurel::transfer {

// Readers ---------------------------------------------------------------------------------------

// The bytes that a reader requests from its source at once.
inline constexpr std::size_t kReadBytes = std::size_t{256} << 10;

// The largest row of a file, with its line end. The bytes beyond this are skipped.
inline constexpr std::size_t kMaxRowBytes = std::size_t{64} << 10;
// The largest field of a row. The text of a number may be longer than any int64 because of leading
// zeros or an exponent.
inline constexpr std::size_t kMaxNumberBytes = 400;
inline constexpr std::size_t kMaxTimeBytes = 64;
inline constexpr std::size_t kMaxInstanceBytes = 128;
inline constexpr std::size_t kMaxColumns = 1024;

// Serialised members (`--member json|java`) contain class names around the member.
inline constexpr std::size_t kMaxWrappedMemberBytes = 4 * kMaxMemberBytes;

// Writers ---------------------------------------------------------------------------------------

// The bytes that a writer passes to its target at once.
inline constexpr std::size_t kWriteBytes = std::size_t{256} << 10;

// Rejects ---------------------------------------------------------------------------------------

inline constexpr std::uint64_t kDefaultMaxRejects = 1000;
// The kept parts of a bad row and of the reason.
inline constexpr std::size_t kMaxRejectRowBytes = 200;
inline constexpr std::size_t kMaxRejectReasonBytes = 400;
// Rejects that are kept in memory for the final report.
inline constexpr std::size_t kMaxRejectsShown = 10;

static_assert(kMaxRowBytes > 2 * (kMaxMemberBytes + kMaxMetaBytes + kMaxFields * kMaxNumberBytes),
              "the longest row fits, with every byte of its member and meta escaped as two");
static_assert(kReadBytes > kMaxRowBytes);

}  // namespace laurel::transfer
