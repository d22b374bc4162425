// Replies generated from the command table: COMMAND and its subcommands, and the HELP of every
// container.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "wire/command_id.h"
#include "wire/command_table.h"
#include "wire/reply.h"

namespace laurel::wire {

// COMMAND INFO and COMMAND DOCS accept at most this many names, because each may add kilobytes to
// the reply. At least twice the number of commands.
inline constexpr std::size_t kMaxCommandNames = 1000;
static_assert(kMaxCommandNames >= 2 * kCommandIds);

// Writes the reply to COMMAND or COMMAND|….
// REQUIRES: command is LookUp(arguments).command.
void WriteCommandReply(const CommandInfo& command, std::span<const std::string_view> arguments,
                       Reply* reply);

// Writes the reply to CLIENT HELP, CONFIG HELP, …: for each subcommand its usage and its summary.
// REQUIRES: container.Has(kContainer).
void WriteHelp(const CommandInfo& container, Reply* reply);

}  // namespace laurel::wire
