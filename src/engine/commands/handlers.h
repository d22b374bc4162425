// Registers the handlers of commands; one function per source file. Each handler writes exactly one
// reply, unless its request blocks.
#pragma once

#include <array>

#include "engine/commands/context.h"
#include "wire/command_id.h"

namespace laurel::engine {

using HandlerTable = std::array<Handler, wire::kCommandIds>;

void RegisterSortedSetWrites(HandlerTable* table);
void RegisterSortedSetReads(HandlerTable* table);
void RegisterSortedSetRanges(HandlerTable* table);
void RegisterSortedSetPops(HandlerTable* table);
void RegisterSortedSetAlgebra(HandlerTable* table);
void RegisterKeys(HandlerTable* table);
void RegisterExpiry(HandlerTable* table);
void RegisterLeaderboardDeclarations(HandlerTable* table);
void RegisterLeaderboardCommands(HandlerTable* table);

inline void Register(HandlerTable* table, wire::CommandId id, Handler handler) {
  (*table)[static_cast<std::size_t>(id)] = handler;
}

}  // namespace laurel::engine
