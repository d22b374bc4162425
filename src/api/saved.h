// The format of a saved board (Board::Save, Boards::Restore):
//
//   "laurel1\n"   identifies the format and its version
//   spec          as in an effect (leaderboard/effect_codec.h)
//   effects       a leaderboard: of a walk over its whole state; a sorted set: its entries
//   CRC-32C       4 bytes, of all bytes before it
#pragma once

#include <string>
#include <string_view>

#include "api/collection.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::api {

std::string Save(const BoardSlot& held);
// See Boards::Restore.
Result<BoardSlot*> Restore(Collection* collection, std::string_view name, std::string_view saved,
                           Stamp now);

}  // namespace laurel::api
