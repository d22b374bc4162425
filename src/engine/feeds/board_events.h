// The events of one board in a log batch, as followers see them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/journal/journal.h"
#include "engine/journal/log_effects.h"
#include "laurel/result.h"
#include "leaderboard/events.h"

namespace laurel::engine {

// The views point into the batch.
using BoardEvent = leaderboard::Event;

// Calls visit(i, event) for the events of the board in `batch`, in order, with i from 0 on, until
// visit returns false. Events are not collected, because a batch may hold millions.
using EventVisitor = std::function<bool(std::size_t, const BoardEvent&)>;
Status VisitEvents(std::uint64_t board, std::string_view batch, const EventVisitor& visit);

// Appends the ids of the boards that a batch is about, possibly with duplicates; kEveryBoard for
// all boards. Tags are stored in index files on disk: a change of this function needs a new
// kTagScheme.
void TagBatch(std::string_view batch, std::vector<std::uint64_t>* boards);
inline constexpr std::uint64_t kTagScheme = 2;

}  // namespace laurel::engine
