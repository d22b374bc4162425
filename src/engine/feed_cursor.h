// Places in a board's change feed, as clients carry them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"

namespace laurel::engine {

// Behind the batch `number` of the log, and behind the first `skipped` of the board's events after
// that. An epoch belongs to one run of one server, so a cursor cannot be taken for another log's.
struct FeedCursor {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
  std::uint64_t skipped = 0;
  std::uint64_t board = 0;  // its id: a board of the same name may follow it

  bool operator==(const FeedCursor&) const = default;
};

std::string FormatCursor(const FeedCursor& cursor);
Result<FeedCursor> ParseCursor(std::string_view text);

}  // namespace laurel::engine
