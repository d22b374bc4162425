// The data type laurel-lb: how the server saves, loads, copies, measures and frees boards.
//
// RDB: format version (1), then chunks of effects (host_effects.h), ended by an empty chunk. Each
// chunk is a string of about 1 MiB. The first begins with the creation of the leaderboard.
// AOF rewrite: the same chunks, each as one LB.APPLY.
#pragma once

#include "module/redis_api.h"

namespace laurel::module {

inline constexpr char kTypeName[] = "laurel-lb";
static_assert(sizeof(kTypeName) == 9 + 1, "the servers want nine characters");
inline constexpr int kTypeVersion = 1;

// Registers the type. Null if the server refuses it.
Type* CreateType(Context* context);

}  // namespace laurel::module
