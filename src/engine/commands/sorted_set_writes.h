// Functions for ZADD and ZINCRBY that the handlers and runs share.
#pragma once

#include <optional>
#include <string_view>

#include "engine/commands/context.h"
#include "laurel/entry.h"

namespace laurel::engine {

// Parses a score of a one-field board: a double for sorted sets, an exact number for leaderboards.
Result<Score> ReadNumber(const Spec& spec, std::string_view text);

// Returns why Z writes are refused on this board; none if they are accepted. `increment`: which
// LB command the error suggests.
std::optional<Error> RefuseZWrite(const NamedBoard& named, bool increment);

// Replies to ZADD … INCR and ZINCRBY: the new score, or nil if the write was skipped.
void ReplyIncremented(wire::Reply& reply, const core::Standings& standings, const Verdict& verdict);

// Replies the error of a refused Z write; on sorted sets with Redis' text.
void ReplyWriteError(wire::Reply& reply, const Spec& spec, const Error& error);

}  // namespace laurel::engine
