// Commands on one board: decide, apply, and say what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/board.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// See laurel/board.h: Apply, ApplyAll, ApplyBatch, Pop, Load.
Result<Verdict> ApplyWrite(Board* board, const Write& write, Moment moment);
Result<std::vector<Verdict>> ApplyWrites(Board* board, std::span<const Write> writes,
                                         Moment moment);
// Calls visit(i, verdict, effects) for each write, after its effects were applied.
using WriteVisitor = std::function<void(std::size_t, const Result<Verdict>&, const EffectBatch&)>;
void ApplyBatch(Board* board, std::span<const Write> writes, Moment moment,
                const WriteVisitor& visit);
std::vector<Entry> Pop(Board* board, std::uint64_t count, bool worst);
Status Load(Board* board, std::span<const Entry> sorted);
// All entries and hidden marks. REQUIRES: equal specs, `to` is empty and has no marks.
void CopyEntries(const Board& from, Board* to);

}  // namespace laurel::core
