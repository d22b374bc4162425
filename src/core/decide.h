// Deciding: from a command and the present state of a board to effects. Pure: nothing here changes
// a board, looks at a clock or draws a random number. Every rule of what a write does is in here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/board.h"
#include "core/effects.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// Whether the board's window takes a write at `at`, or at `now` if it has no time of its own:
// CLOSED if not. Part of every write's decision; by itself for a board whose entries are in
// instances.
Status CheckWindow(const Spec& spec, std::optional<Stamp> at, Stamp now);

// The times that decide about a write, for errors: "AT 2026-…, now 2026-…".
std::string DescribeTimes(std::optional<Stamp> at, Stamp now);

// One write. The verdict is complete but for the ranks. `found` is where the member's visible entry
// is, if the caller has looked it up already.
Result<Verdict> DecideWrite(const Board& board, const Write& write, Moment moment,
                            EffectBatch* effects);
Result<Verdict> DecideWrite(const Board& board, const Write& write, Moment moment, Location found,
                            EffectBatch* effects);

// All writes, one after the other, or none: write i has the stamp moment.stamp + i, the cap is
// applied to what they leave. Verdicts are complete but for the ranks.
Result<std::vector<Verdict>> DecideWrites(const Board& board, std::span<const Write> writes,
                                          Moment moment, EffectBatch* effects);

// What the write would make of the entry's words, for fetching memory ahead of it; the present
// words if that is not known. `present` is null for a new member.
Words PredictWords(const Board& board, const Write& write, const Words* present, Stamp stamp);

Result<bool> DecideSetMeta(const Board& board, std::string_view member, std::string_view meta,
                           EffectBatch* effects);
std::uint64_t DecideRemove(const Board& board, std::span<const std::string_view> members,
                           EffectBatch* effects);
// Removes the visible entries [first, first + count), or as many of them as there are: one by one,
// or as one range if they are more than Shape::listed_removals.
std::uint64_t DecideRemoveRange(const Board& board, std::uint64_t first, std::uint64_t count,
                                EffectBatch* effects);
std::uint64_t DecideClear(const Board& board, EffectBatch* effects);
// The entries of members that become hidden, or visible again; the marks are the caller's to set,
// before the effects are applied. Returns how many members are not hidden yet, or are.
Result<std::uint64_t> DecideHide(const Board& board, std::span<const std::string_view> members,
                                 EffectBatch* effects);
Result<std::uint64_t> DecideShow(const Board& board, std::span<const std::string_view> members,
                                 EffectBatch* effects);
// Evicts what is beyond a new cap; 0: none.
void DecideCap(const Board& board, std::uint64_t cap, EffectBatch* effects);
// ERR or LIMIT if the member is too long for the board.
Status CheckMember(const Board& board, std::string_view member);

}  // namespace laurel::core
