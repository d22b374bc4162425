// What ZADD and ZINCRBY make of their arguments: shared by one command and by runs of them.
#pragma once

#include <optional>
#include <string_view>

#include "engine/commands/context.h"
#include "laurel/entry.h"

namespace laurel::engine {

// Reads a score of the one-field board. Redis' error on sorted sets, ours on leaderboards.
Result<Score> ReadNumber(const Spec& spec, std::string_view text);

// Null, or why Z writes are refused on this board.
std::optional<Error> RefuseZWrite(const NamedBoard& named, bool increment);

// The reply of ZADD … INCR and ZINCRBY: the new number, or nil where the write did not happen.
void ReplyIncremented(wire::Reply& reply, const core::Board& board, const Verdict& verdict);

// The error of a refused Z write, as Redis words it on sorted sets.
void ReplyWriteError(wire::Reply& reply, const Spec& spec, const Error& error);

}  // namespace laurel::engine
