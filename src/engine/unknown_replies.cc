#include "engine/unknown_replies.h"

#include <cstddef>

#include "wire/reply.h"

namespace laurel::engine {

void ReplaceUnknownReplies(Turn* turn) {
  if (turn->unknown.empty()) return;
  turn->replies.resize(turn->unsettled.reply_at);
  wire::Reply reply(&turn->replies, wire::Protocol::kResp2);  // errors are the same in RESP3
  const Error unknown{ErrorCode::kUnknown, turn->unknown};
  for (std::size_t i = 0; i < turn->unsettled.count; ++i) reply.Error(unknown.ToString());
  turn->unknown.clear();
}

}  // namespace laurel::engine
