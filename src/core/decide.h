// Deciding: computes the effects of a command from present standings. Pure: nothing here
// changes standings, reads a clock or draws a random number. All rules about what a write does are
// here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/effects.h"
#include "core/standings.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// CLOSED if the board's window does not admit a write that arrives at `now` with the calendar time
// `at` (without it: `now`). DecideWrite and DecideWrites include this check; a board with periods
// calls it alone, because its instances have no window.
Status CheckWindow(const Spec& spec, std::optional<Stamp> at, Stamp now);

// WRONGTYPE if the board is a sorted set, which has no `what`.
Status RefuseSortedSet(const Standings& standings, std::string_view what);

// The times that a write is judged by, for error texts: "AT 2026-…, now 2026-…".
std::string DescribeTimes(std::optional<Stamp> at, Stamp now);

// Decides one write. The verdict has no ranks yet. `found` is the location of the member's visible
// entry, for callers that have looked it up already.
Result<Verdict> DecideWrite(const Standings& standings, const Write& write, Moment moment,
                            EffectBatch* effects);
Result<Verdict> DecideWrite(const Standings& standings, const Write& write, Moment moment,
                            Location found, EffectBatch* effects);

// Decides all writes in order, or none if one is refused. Write i has the stamp moment.stamp + i.
// The cap is applied after the last write. The verdicts have no ranks yet.
Result<std::vector<Verdict>> DecideWrites(const Standings& standings, std::span<const Write> writes,
                                          Moment moment, EffectBatch* effects);

// Predicts the entry's words after the write, for fetching memory ahead. Returns the present words
// if the write would be refused or skipped. `present` is null for a new member.
Words PredictWords(const Standings& standings, const Write& write, const Words* present,
                   Stamp stamp);

Result<bool> DecideSetMeta(const Standings& standings, std::string_view member,
                           std::string_view meta, EffectBatch* effects);
std::uint64_t DecideRemove(const Standings& standings, std::span<const std::string_view> members,
                           EffectBatch* effects);
// Removes the visible entries [first, first + count), cut off at the end of the board. The effects
// list them one by one, or as one range if they are more than Shape::listed_removals.
std::uint64_t DecideRemoveRange(const Standings& standings, std::uint64_t first,
                                std::uint64_t count, EffectBatch* effects);
std::uint64_t DecideClear(const Standings& standings, EffectBatch* effects);
// Hides or shows the entries of the members. The caller changes the hidden marks itself, before it
// applies the effects. DecideHide returns how many of the members are not hidden yet, DecideShow
// how many are hidden.
Result<std::uint64_t> DecideHide(const Standings& standings,
                                 std::span<const std::string_view> members, EffectBatch* effects);
Result<std::uint64_t> DecideShow(const Standings& standings,
                                 std::span<const std::string_view> members, EffectBatch* effects);
// Evicts the entries beyond a new cap; 0 means no cap.
void DecideCap(const Standings& standings, std::uint64_t cap, EffectBatch* effects);
// LIMIT if the member is too long for the board.
Status CheckMember(const Standings& standings, std::string_view member);

}  // namespace laurel::core
