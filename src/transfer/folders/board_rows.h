// The rows of a board that was loaded from a data folder, for exports.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/keyspace/named_board.h"
#include "laurel/result.h"
#include "laurel/stamp.h"
#include "transfer/text/row.h"

namespace laurel::transfer {

// Selects rows.
struct RowChoice {
  // A period or instance ("day", "day:-1", "day:2026-11-15") of a board with periods. None: all
  // instances.
  std::optional<std::string> period;
  // Ranks within each instance, 1-based and inclusive; negative ranks count from the end. By
  // default all rows, including hidden entries and marks; with ranks, only visible entries.
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  Stamp now = 0;  // the clock, which determines the current instance

  [[nodiscard]] bool has_ranks() const { return first.has_value() || last.has_value(); }
};

// Calls visit(row) for the rows: for each instance the visible entries, best first, then the hidden
// ones; at the end the marks of members without an entry. Rows of a chosen instance do not name it.
// Stops at the first error. NOBOARD if there is no such instance; ERR if a rank is 0 or the board
// has no periods.
Status ForEachRow(const engine::NamedBoard& named, const RowChoice& choice,
                  const std::function<Status(const BoardEntry&)>& visit);

// The times of the board.
BoardTimes TimesOf(const engine::NamedBoard& named);

}  // namespace laurel::transfer
