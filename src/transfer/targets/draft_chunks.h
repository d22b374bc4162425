// Writes a draft as effects: as chunks of LB.LOAD for a new board, or of LB.RESTORE for an existing
// board.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "laurel/result.h"
#include "transfer/draft/board_entries.h"
#include "transfer/draft/draft.h"
#include "transfer/targets/board_sink.h"
#include "transfer/targets/effect_blocks.h"

namespace laurel::transfer {

// Walks a board in blocks of at most 512 KiB, best entries first, without the effect that creates
// it, and passes all but the last on. Request ids and the notes of closes are left out. `progress`
// may be null. Returns the number of entries, hidden ones included.
Result<std::uint64_t> WriteWalk(const leaderboard::Leaderboard& board,
                                const WriteProgress& progress, EffectBlocks* blocks);

// Writes the entries, including hidden ones, for leaderboard::Restore. Each block is
// self-contained. `since`: leaves out entries that this draft has as well; null: writes all.
// `progress` may be null.
Status WriteEntries(const Draft& draft, const Draft* since, const WriteProgress& progress,
                    EffectBlocks* blocks);
// Returns the hidden members, which must be hidden before the entries are written.
std::vector<std::string_view> HiddenMembers(const Draft& draft);
// Whether an entry of the draft has meta.
bool HasMeta(const Draft& draft);
// Whether the draft has an identical entry.
bool Has(const Draft& draft, const BoardEntry& entry);

}  // namespace laurel::transfer
