// Commands on one board: decide, apply, and return what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/board.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// Looks up the members of up to EntryStore::kBatch writes and the routes to their old and new
// places in the tree, fetching memory ahead. Write i has the stamp `stamp` + i.
void FindHints(const Board& board, std::span<const Write> writes, Stamp stamp,
               EntryStore::WriteHint* hint);
// The location of the member's visible entry. Returns `found`, which was looked up when the entries
// had that generation, if it is still valid; otherwise looks the member up again.
Location ValidLocation(const Board& board, std::string_view member, Location found,
                       std::uint32_t generation);

// See laurel/board.h: ApplyBatch, Load. ApplyBatch calls visit(i, verdict, effects) for each write
// after its effects were applied.
using WriteVisitor = std::function<void(std::size_t, const Result<Verdict>&, const EffectBatch&)>;
void ApplyBatch(Board* board, std::span<const Write> writes, Moment moment,
                const WriteVisitor& visit);
Status Load(Board* board, std::span<const Entry> sorted);

}  // namespace laurel::core
