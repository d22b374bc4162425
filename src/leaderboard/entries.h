// What reading and writing a leaderboard share: scores from text, pages of entries to an answer.
#pragma once

#include <string_view>

#include "core/board.h"
#include "core/reads.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "leaderboard/answer.h"
#include "leaderboard/operation.h"

namespace laurel::leaderboard {

// A wrong number of values names the board: "'run' takes 3 values (points deaths best), got 2".
Result<Score> ReadScore(const Spec& spec, const Values& values, std::string_view board);

// When a board ends by its own EXPIRE; INT64_MAX: never. `written_at`: of its last accepted write;
// 0: none yet.
Stamp EndsAt(const Spec& spec, Stamp written_at);
// ERR if a board of this spec would end at once.
Status CheckLasts(const Spec& spec, Stamp written_at, Stamp now);

// Whether the two specs differ in what may be altered only: ERR names what may not.
Status CheckAltered(const Spec& present, const Spec& altered);

// The LIMIT error for an answer of more than `most` bytes.
Error TooLong(std::size_t most);
// LIMIT if the entries would take more than the answer may have.
Status CheckRoom(const core::Board& board, core::IndexRange range, const EntryShape& shape,
                 const Answer& answer);

// The entries of the range, straight out of the leaves. REQUIRES: the range is within the board;
// backward with ordinal ranks only.
void AnswerPage(const core::Board& board, core::IndexRange range, bool backward,
                const EntryShape& shape, RankKind kind, Answer* answer);

}  // namespace laurel::leaderboard
