// Merges a RowTable into a leaderboard that is there, as LB.SET … AT … META of each entry would,
// all in one step.
#pragma once

#include "laurel/result.h"
#include "laurel/stamp.h"
#include "leaderboard/leaderboard.h"
#include "transfer/board_sink.h"
#include "transfer/new_board.h"
#include "transfer/row_table.h"

namespace laurel::transfer {

// `now`: the clock. Instances that are over and not there yet are made closed. `progress` may be
// null. On an error some entries may be merged. REQUIRES: the table is finished, and has the spec
// of the board.
Result<TableWritten> MergeIntoBoard(const RowTable& table, leaderboard::Leaderboard* board,
                                    Stamp now, const WriteProgress& progress);

}  // namespace laurel::transfer
