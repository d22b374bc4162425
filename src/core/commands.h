// Commands on one board's standings: decide, apply, and return what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/standings.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// Looks up the members of up to EntryStore::kBatch writes and the routes to their old and new
// places in the tree, fetching memory ahead. Write i has the stamp `stamp` + i.
void FindHints(const Standings& standings, std::span<const Write> writes, Stamp stamp,
               EntryStore::WriteHint* hint);
// The location of the member's visible entry. Returns `found`, which was looked up when the entries
// had that generation, if it is still valid; otherwise looks the member up again.
Location ValidLocation(const Standings& standings, std::string_view member, Location found,
                       std::uint32_t generation);

// See laurel/board.h: ApplyBatch, Load. ApplyBatch calls visit(i, verdict, effects) for each write
// after its effects were applied.
using WriteVisitor = std::function<void(std::size_t, const Result<Verdict>&, const EffectBatch&)>;
void ApplyBatch(Standings* standings, std::span<const Write> writes, Moment moment,
                const WriteVisitor& visit);
Status Load(Standings* standings, std::span<const Entry> sorted);

}  // namespace laurel::core
