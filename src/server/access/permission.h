// Decides whether a client may send a command, by its token's role and by the boards that the
// request names. All protocols call this before they queue or execute a request.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/access.h"
#include "laurel/result.h"
#include "server/config/tokens.h"
#include "wire/command_table.h"
#include "wire/error_texts.h"

namespace laurel::server {

// Returns the access that the token grants.
engine::Access AccessOf(const Token& token);

// Returns the error if the request is refused, none if it is allowed. `token` is null if the client
// has presented none; `access` is AccessOf(*token). Without arguments only the role is checked.
// REQUIRES: `arguments` is empty or fits the command.
//
// A name with '@' may be an instance of a board. Only the engine can decide that, and only when it
// executes the request. Such names pass here; the engine checks them with the same
// Access::RefusalOf.
std::optional<Error> RefusalOf(const Token* token, const engine::Access& access,
                               const wire::CommandInfo& command,
                               std::span<const std::string_view> arguments,
                               const wire::WaysOut& ways);

}  // namespace laurel::server
