// Laurel: exact leaderboards in C++. This is the one header to include.
//
//   laurel::Boards boards;
//   laurel::StampClock clock;
//   laurel::Board board = boards.Create("run").value();
//   const laurel::Stamp now = laurel::SystemNow();
//   auto verdict = board.Submit("ann", {100}, {now, clock.Take(now)});
//   for (const laurel::Entry& entry : board.Top(10)) …
#pragma once

#include "laurel/board.h"        // IWYU pragma: export
#include "laurel/boards.h"       // IWYU pragma: export
#include "laurel/calendar.h"     // IWYU pragma: export
#include "laurel/codecs.h"       // IWYU pragma: export
#include "laurel/entry.h"        // IWYU pragma: export
#include "laurel/limits.h"       // IWYU pragma: export
#include "laurel/period.h"       // IWYU pragma: export
#include "laurel/ranking.h"      // IWYU pragma: export
#include "laurel/result.h"       // IWYU pragma: export
#include "laurel/score.h"        // IWYU pragma: export
#include "laurel/spec.h"         // IWYU pragma: export
#include "laurel/stamp_clock.h"  // IWYU pragma: export
