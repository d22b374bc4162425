// Commands on one board: decide, apply, and say what happened.
#pragma once

#include <cstdint>
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
void ApplyBatch(Board* board, std::span<const Write> writes, Moment moment,
                std::vector<Result<Verdict>>* verdicts);
std::vector<Entry> Pop(Board* board, std::uint64_t count, bool worst);
Status Load(Board* board, std::span<const Entry> sorted);

}  // namespace laurel::core
