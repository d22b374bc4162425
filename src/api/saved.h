// A board as bytes.
//
//   "laurel1\n"   what it is, and the version of what follows
//   spec          as in an effect (leaderboard/effect_codec.h)
//   effects       of a walk over everything; of a sorted set, its entries
//   CRC-32C       4 bytes, of all that is in front of it
#pragma once

#include <string>
#include <string_view>

#include "api/collection.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::api {

std::string Save(const Held& held);
// See Boards::Restore.
Result<Held*> Restore(Collection* collection, std::string_view name, std::string_view saved,
                      Stamp now);

}  // namespace laurel::api
