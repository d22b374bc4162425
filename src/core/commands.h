// Commands on one board: decide, apply, and say what happened.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/board.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// Sets a rank of the verdict of each write, as it is now; those verdicts stand `stride` apart.
// `found`: of a single write, where its member's entry is; null: not known.
void NoteRanks(const Board& board, std::span<const Write> writes, const Location* found,
               std::optional<std::uint64_t> Verdict::*rank, Verdict* verdicts,
               std::size_t stride = 1);

// Looks up the members of up to EntryStore::kBatch writes, and then the ways to their old and new
// places, with memory fetched ahead. Write i has the stamp `stamp` + i.
void LookAhead(const Board& board, std::span<const Write> writes, Stamp stamp,
               EntryStore::Ahead* ahead);
// Where the member's entry is: where it was found when the entries had that generation, unless
// other writes may have moved, evicted or added it since.
Location FoundAhead(const Board& board, std::string_view member, Location found,
                    std::uint32_t generation);

// See laurel/board.h: ApplyAll, ApplyBatch, Pop, Load.
Result<std::vector<Verdict>> ApplyWrites(Board* board, std::span<const Write> writes, Moment moment,
                                         bool ranks = true);
// Calls visit(i, verdict, effects) for each write, after its effects were applied.
using WriteVisitor = std::function<void(std::size_t, const Result<Verdict>&, const EffectBatch&)>;
void ApplyBatch(Board* board, std::span<const Write> writes, Moment moment,
                const WriteVisitor& visit);
std::vector<Entry> Pop(Board* board, std::uint64_t count, bool worst);
Status Load(Board* board, std::span<const Entry> sorted);
// All visible entries. REQUIRES: equal specs, `to` is empty.
void CopyEntries(const Board& from, Board* to);

}  // namespace laurel::core
