// Replies of LB commands in RESP2 or RESP3, in the form of ConformanceAnswer.
#pragma once

#include <string>
#include <string_view>

#include "leaderboard/operation.h"
#include "tests/support/resp.h"

namespace laurel::conformance {

inline constexpr std::string_view kBoard = "lb";  // the leaderboard, or how its name begins

// The value of a pair of the map. Throws std::runtime_error if there is none.
const resp::Value& Named(const resp::Value& map, std::string_view name);

// `operation`: the one that was asked.
std::string ReplyText(const resp::Value& reply, const leaderboard::Operation& operation);

}  // namespace laurel::conformance
