// UNKNOWN errors in RESP for requests whose outcome is unknown.
#pragma once

#include <cstddef>

#include "engine/engine.h"
#include "wire/reply.h"

namespace laurel::engine {

// If Pipeline::unknown is set, replaces the reply of each unconfirmed request by an UNKNOWN error
// and clears Pipeline::unknown. Call it once, after the engine called Done and before the replies
// are sent.
inline void ReplaceUnknownReplies(Pipeline* pipeline) {
  if (pipeline->unknown.empty()) return;
  pipeline->replies.resize(pipeline->unconfirmed.reply_at);
  wire::Reply reply(&pipeline->replies, wire::Protocol::kResp2);  // errors are the same in RESP3
  const Error unknown{ErrorCode::kUnknown, pipeline->unknown};
  for (std::size_t i = 0; i < pipeline->unconfirmed.count; ++i) reply.Error(unknown);
  pipeline->unknown.clear();
}

}  // namespace laurel::engine
