// Writes a RowTable as effects: the chunks of LB.LOAD, for a board that is not there yet, or those
// of LB.RESTORE, for a board that is in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "laurel/result.h"
#include "laurel/stamp.h"
#include "transfer/board_sink.h"
#include "transfer/effect_blocks.h"
#include "transfer/row_table.h"

namespace laurel::transfer {

// What was written of a table.
struct TableWritten {
  std::uint64_t entries = 0;   // hidden ones included
  std::uint64_t over_cap = 0;  // entries of the table that the cap keeps out
};

// Writes the effects that fill an empty board. `now`: the clock. Instances that are over are
// closed. `progress` may be null. REQUIRES: the table is finished, and has the spec of the board.
Result<TableWritten> WriteTable(const RowTable& table, Stamp now, const WriteProgress& progress,
                                EffectBlocks* blocks);
// The same after the effect that creates the board.
Result<TableWritten> WriteNewBoard(const RowTable& table, std::uint64_t id, std::string_view name,
                                   Stamp now, const WriteProgress& progress, EffectBlocks* blocks);

// Some entries of a table, by their numbers, in ascending order; none: all.
using SomeEntries = std::optional<std::span<const std::size_t>>;

// Writes entries, hidden ones among the others, for leaderboard::Restore: each block stands alone.
// `progress` may be null. REQUIRES: the table is finished.
Status WriteEntries(const RowTable& table, const SomeEntries& some, const WriteProgress& progress,
                    EffectBlocks* blocks);
// The members that must be hidden before: those of hidden entries, and all marks.
std::vector<std::string_view> HiddenMembers(const RowTable& table, const SomeEntries& some);
// Whether an entry of the table has meta.
bool HasMeta(const RowTable& table);

}  // namespace laurel::transfer
