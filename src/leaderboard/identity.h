// The identity of a write with a request id: two writes with the same id must have the same
// identity, or the second is REUSED.
#pragma once

#include <cstdint>
#include <span>

#include "laurel/entry.h"

namespace laurel::leaderboard {

// A hash of the canonical operation: for each write its mode, member, scaled score, conditions, AT
// if given (never the assigned stamp) and meta. So `10` and `10.0`, or the same options in another
// order or by another protocol, have the same identity. It is stored on disk, so the function must
// never change. `many`: the operation is a SubmitMany, even if it has one write.
// `other_boards_hash`: SubmitMany::other_boards_hash.
std::uint64_t IdentityOf(std::span<const Write> writes, bool many, std::uint64_t other_boards_hash);

}  // namespace laurel::leaderboard
