// Cursors of a board's change feed, as clients hold them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "wire/leaderboard_words.h"

namespace laurel::engine {

// The position after log batch `number`, and after the first `skipped` events of the board in the
// batch that follows. The epoch identifies one run of one server, so that a cursor of another log
// is recognised.
struct FeedCursor {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
  std::uint64_t skipped = 0;
  std::uint64_t board = 0;  // the board's id, since a later board may have the same name

  bool operator==(const FeedCursor&) const = default;
};

inline std::string FormatCursor(const FeedCursor& cursor) {
  const std::uint64_t parts[] = {cursor.epoch, cursor.number, cursor.skipped, cursor.board};
  return wire::FormatCursor(parts);
}
inline Result<FeedCursor> ParseCursor(std::string_view text) {
  FeedCursor cursor;
  std::uint64_t* const parts[] = {&cursor.epoch, &cursor.number, &cursor.skipped, &cursor.board};
  const Status parsed = wire::ParseCursor(text, parts);
  return parsed.ok() ? Result<FeedCursor>(cursor) : parsed.error();
}

}  // namespace laurel::engine
