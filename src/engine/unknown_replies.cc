#include "engine/unknown_replies.h"

#include <cstddef>

#include "wire/reply.h"

namespace laurel::engine {

void ReplaceUnknownReplies(Pipeline* pipeline) {
  if (pipeline->unknown.empty()) return;
  pipeline->replies.resize(pipeline->unconfirmed.reply_at);
  wire::Reply reply(&pipeline->replies, wire::Protocol::kResp2);  // errors are the same in RESP3
  const Error unknown{ErrorCode::kUnknown, pipeline->unknown};
  for (std::size_t i = 0; i < pipeline->unconfirmed.count; ++i) reply.Error(unknown);
  pipeline->unknown.clear();
}

}  // namespace laurel::engine
