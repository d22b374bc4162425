// Bounds of a leaderboard beyond those of include/laurel/limits.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laurel::leaderboard {

inline constexpr std::uint64_t kMaxAmong = 10'000;  // members of one Among
// A read of several counts as one entry for each that it returns, and as one more for each
// kBytesPerEntry beyond kUsualEntryBytes.
inline constexpr std::size_t kUsualEntryBytes = 512;
inline constexpr std::size_t kBytesPerEntry = 64;
inline constexpr std::uint64_t kMaxMetaBytesOfRead = std::uint64_t{8} << 20;  // WITHMETA
inline constexpr std::uint64_t kMaxSubmits = 100'000;  // writes of one SubmitMany

inline constexpr std::uint32_t kMaxInstanceNumber = UINT32_MAX - 1;
inline constexpr std::size_t kMaxCloseNoteBytes = 64;  // StoredInstance::close_note
inline constexpr std::size_t kClosingTop = 100;  // entries in the effect that closes an instance

// Request ids.
inline constexpr std::size_t kMaxRequestIdLength = 128;
inline constexpr std::size_t kMaxOutcomeBytes = std::size_t{32} << 20;  // verdicts of one request
inline constexpr std::size_t kMaxRequestIdBytes = std::size_t{256} << 20;  // all of one board
static_assert(kMaxOutcomeBytes < kMaxRequestIdBytes, "a board remembers any one request");
inline constexpr std::int64_t kRequestIdLifeMicros = std::int64_t{24} * 3600 * 1'000'000;
inline constexpr std::size_t kMaxForgottenPerWrite = 100'000;  // most ids that one write forgets

}  // namespace laurel::leaderboard
