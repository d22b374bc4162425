// Pops entries, for the pop commands and for blocked pipelines that are served later.
#pragma once

#include <string_view>

#include "engine/commands/context.h"

namespace laurel::engine {

// Pops from the board or instance in `view` and replies as a blocking pop does: [name, member,
// score] for count -1, [name, [[member, score] …]] otherwise. If the reply exceeds
// `max_reply_bytes`, replies LIMIT and removes nothing. REQUIRES: view.exists().
void PopForReply(Keyspace* keys, const Keyspace::View& view, std::string_view name,
                 const PopRequest& request, std::size_t max_reply_bytes, wire::Reply* reply);

}  // namespace laurel::engine
