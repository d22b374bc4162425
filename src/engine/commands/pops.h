// Popping entries by number, for commands and for those who wait.
#pragma once

#include "engine/commands/context.h"

namespace laurel::engine {

// Pops from the key and replies as a blocking pop does: [name, member, number] for count -1,
// [name, [[member, number] …]] otherwise. REQUIRES: the key exists.
void PopForReply(Keyspace* keys, const Keyspace::View& view, std::string_view name,
                 const PopRequest& request, std::size_t max_reply_bytes, wire::Reply* reply);

}  // namespace laurel::engine
