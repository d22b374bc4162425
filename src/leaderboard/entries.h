// Shared by reads and writes of a leaderboard: parsing scores, answering with pages of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/reads.h"
#include "core/standings.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "leaderboard/answer.h"
#include "leaderboard/operation.h"

namespace laurel::leaderboard {

// The score that `values` give. A wrong number of values is an error that names the board:
// "'run' takes 3 values (points deaths best), got 2".
Result<Score> ReadScore(const Spec& spec, const Values& values, std::string_view board);

// The bounds of LB.COUNT and LB.BETWEEN. ERR if one is not a number or `min` is above `max`.
Result<ScoreBounds> ReadBounds(const Spec& spec, const Bounds& bounds);

// When a board ends by its own EXPIRE; INT64_MAX: never. `written_at`: of its last accepted write;
// 0: none yet.
Stamp EndsAt(const Spec& spec, Stamp written_at);
// ERR if a board of this spec would end at once.
Status CheckLasts(const Spec& spec, Stamp written_at, Stamp now);

// Ok if the specs differ only in what LB.ALTER may change; otherwise ERR names the other part.
Status CheckAltered(const Spec& present, const Spec& altered);

// The entries that a write touches because it concerns its members in all `instances` instances of
// a board with periods; 0 for all other writes. Hosts bound it (max-work).
std::uint64_t WorkOf(const WriteOperation& operation, std::size_t instances);

// The bytes of the meta of the entries of the range.
std::uint64_t MetaBytes(const core::Standings& standings, core::IndexRange range);
// The LIMIT error for an answer of more than `most` bytes.
Error TooLong(std::size_t most);
// LIMIT if the entries of the range would exceed answer.MaxBytes().
Status CheckRoom(const core::Standings& standings, core::IndexRange range, const EntryShape& shape,
                 const Answer& answer);

// Answers with the entries of the range, directly from the board's leaves. `backward`: last entry
// first. REQUIRES: the range is within the board; `backward` only with RankKind::kOrdinal.
void AnswerPage(const core::Standings& standings, core::IndexRange range, bool backward,
                const EntryShape& shape, RankKind kind, Answer* answer);

}  // namespace laurel::leaderboard
