// Writes a RowTable as a board that is not there yet: as the effects that make it, without a board
// in memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "laurel/result.h"
#include "laurel/stamp.h"
#include "transfer/board_sink.h"
#include "transfer/effect_blocks.h"
#include "transfer/row_table.h"

namespace laurel::transfer {

// What was written of a table.
struct TableWritten {
  std::uint64_t entries = 0;   // hidden ones included
  std::uint64_t over_cap = 0;  // entries, given or present, that the cap has removed
};

// Writes the effects that fill an empty board. `now`: the clock. Instances that are over are
// closed. `progress` may be null. REQUIRES: the table is finished, and has the spec of the board.
Result<TableWritten> WriteTable(const RowTable& table, Stamp now, const WriteProgress& progress,
                                EffectBlocks* blocks);
// The same after the effect that creates the board.
Result<TableWritten> WriteNewBoard(const RowTable& table, std::uint64_t id, std::string_view name,
                                   Stamp now, const WriteProgress& progress, EffectBlocks* blocks);

}  // namespace laurel::transfer
