// Registers the handlers of commands; one function per source file. Each handler writes exactly one
// reply, unless its request blocks.
#pragma once

#include <array>
#include <span>
#include <string_view>

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
void RegisterLoads(HandlerTable* table);

// Executes the LB.MSUBMITs, each on another board, all or nothing. Each goes to its own answer, or
// there is one error, in context.reply. REQUIRES: each request has an answer, and the client may
// access all the boards.
void SubmitToAll(const Context& context, std::span<const Request> requests);

// Pops from the board or instance in `view` and replies as a blocking pop does: [name, member,
// score] for count -1, [name, [[member, score] …]] otherwise. If the reply exceeds
// `max_reply_bytes`, replies LIMIT and removes nothing. REQUIRES: view.exists().
void PopForReply(Keyspace* keys, const Keyspace::View& view, std::string_view name,
                 const PopRequest& request, std::size_t max_reply_bytes, wire::Reply* reply);

inline void Register(HandlerTable* table, wire::CommandId id, Handler handler) {
  (*table)[static_cast<std::size_t>(id)] = handler;
}

}  // namespace laurel::engine
