// The identity of a request id: what two writes must have in common to be one.
#pragma once

#include <cstdint>
#include <span>

#include "laurel/entry.h"

namespace laurel::leaderboard {

// A hash of the canonical operation: of each write its mode, member, scaled score, conditions, AT
// if it was given (never the stamp that was assigned) and meta. So `10` and `10.0`, another order
// of options, and another protocol are one. It is kept on disk: the same for ever. `many`: a list
// of writes, even if it has one. `beside`: SubmitMany::beside.
std::uint64_t IdentityOf(std::span<const Write> writes, bool many, std::uint64_t beside);

}  // namespace laurel::leaderboard
