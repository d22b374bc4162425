// COMMAND and its subcommands, and the HELP of every container: the command table, told to clients.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "wire/command_id.h"
#include "wire/command_table.h"
#include "wire/reply.h"

namespace laurel::wire {

// COMMAND INFO and COMMAND DOCS take this many names at most, more than there are twice over: each
// may cost kilobytes of reply.
inline constexpr std::size_t kMaxCommandNames = 1000;
static_assert(kMaxCommandNames >= 2 * kCommandIds);

// The reply to a request for COMMAND or COMMAND|….
// REQUIRES: command is LookUp(arguments).command.
void WriteCommandReply(const CommandInfo& command, std::span<const std::string_view> arguments,
                       Reply* reply);

// The reply to CLIENT HELP, CONFIG HELP, …: one line per subcommand and what it does.
// REQUIRES: container.Has(kContainer).
void WriteHelp(const CommandInfo& container, Reply* reply);

}  // namespace laurel::wire
