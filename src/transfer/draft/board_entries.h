// The entries of a leaderboard, one by one: of a draft, or of a loaded board.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/reads.h"
#include "core/standings.h"
#include "laurel/period.h"
#include "leaderboard/leaderboard.h"
#include "transfer/text/row.h"

namespace laurel::transfer {

// A board, or one of its instances.
struct BoardPart {
  const core::Standings* standings = nullptr;
  const Instance* span = nullptr;  // null: the board has no periods
  std::string instance{};          // "day:2026-11-15"; empty: the board has no periods
};

// Returns the board itself or, with periods, its instances.
std::vector<BoardPart> PartsOf(const leaderboard::Leaderboard& board);
// Returns the part with this instance; none if the board has no such instance yet.
std::optional<BoardPart> PartOf(const leaderboard::Leaderboard& board, std::string_view instance);

// Receives an entry, whose views are valid during the call. False ends the walk.
using VisitEntry = std::function<bool(const BoardEntry&)>;

// Visits the visible entries of the range, best first. False if `visit` has ended the walk.
bool ForEachVisible(const BoardPart& part, const core::IndexRange& range, const VisitEntry& visit);
// Visits the hidden entries. False if `visit` has ended the walk.
bool ForEachHidden(const BoardPart& part, const VisitEntry& visit);
// Visits the entries of each part: the visible ones, best first, then the hidden ones.
void ForEachEntry(const leaderboard::Leaderboard& board, const VisitEntry& visit);

// Returns the entry of a member, visible or hidden, without its rank; none if there is none. The
// views are valid while the board does not change.
std::optional<BoardEntry> FindEntry(const leaderboard::Leaderboard& board,
                                    std::string_view instance, std::string_view member);

}  // namespace laurel::transfer
