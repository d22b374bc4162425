#include "module/server_reply.h"

#include "base/bytes.h"

namespace laurel::module {

std::optional<std::string> ServerAnswer::CloseCursor(const leaderboard::PeriodLine& line) {
  if (!value_.feed || line.close_note.size() != 2 * sizeof(std::uint64_t)) return std::nullopt;
  FeedCursor place;
  place.term = base::Load<std::uint64_t>(line.close_note.data());
  place.sequence = base::Load<std::uint64_t>(line.close_note.data() + sizeof(std::uint64_t));
  return FormatCursor(place);
}

}  // namespace laurel::module
