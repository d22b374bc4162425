#include "leaderboard/events.h"

#include <array>

namespace laurel::leaderboard {

std::string_view CauseName(Event::Cause cause) {
  constexpr std::array<std::string_view, 15> kNames = {
      "put",     "removed", "evicted", "removed-range", "evicted-range",
      "hidden",  "shown",   "cleared", "closed",        "created",
      "altered", "renamed", "dropped", "expired",       "loaded"};
  static_assert(kNames.size() == static_cast<std::size_t>(Event::Cause::kLoaded) + 1);
  return kNames[static_cast<std::size_t>(cause)];
}

}  // namespace laurel::leaderboard
