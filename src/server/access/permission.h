// Whether a client may send a command: by its token's role, and by the boards that the request
// names. One function for all protocols, asked before a request is queued or executed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/access.h"
#include "server/config/tokens.h"
#include "wire/command_table.h"

namespace laurel::server {

// The access of a client that has shown the token.
engine::Access AccessOf(const Token& token);

// The error that the request is refused with; none if it is not refused. `token` is null if the
// client has shown none; `access` is AccessOf(*token). REQUIRES: the command's arity holds.
//
// Names with '@' may be instances of a board, which only the engine knows, at the time of
// execution: it decides about them then, by the same Access::RefusalOf.
std::optional<std::string> RefusalOf(const Token* token, const engine::Access& access,
                                     const wire::CommandInfo& command,
                                     std::span<const std::string_view> arguments);

}  // namespace laurel::server
