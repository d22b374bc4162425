// The answers of a leaderboard as RESP replies.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "laurel/result.h"
#include "leaderboard/answer.h"
#include "leaderboard/answer_shape.h"
#include "wire/buffered_reply.h"
#include "wire/reply.h"

namespace laurel::wire {

// The maximum size of one entry of a list as a reply, without its member and meta: see
// leaderboard::Answer::EntryBytes.
std::size_t EntryReplyBytes(const leaderboard::EntryShape& shape);

// Writes the answer to one operation. A host with a change feed overrides CloseCursor.
class LeaderboardAnswer : private BufferedReply, public leaderboard::ShapedAnswer<BufferedReply> {
 public:
  // `board`: the board's own name. `max_reply_bytes`: the leaderboard answers LIMIT if a list of
  // entries may exceed it. `reply` and the bytes of `board` must outlive this object.
  LeaderboardAnswer(Reply* reply, std::string_view board, std::size_t max_reply_bytes)
      : BufferedReply(reply),
        leaderboard::ShapedAnswer<BufferedReply>(this, board),
        max_reply_bytes_(max_reply_bytes) {}

  // The code of the refusal; none if the operation was not refused.
  [[nodiscard]] const std::optional<ErrorCode>& refused() const { return refused_; }

  void Refused(const laurel::Error& error) override {
    refused_ = error.code;
    ShapedAnswer::Refused(error);
  }
  [[nodiscard]] std::size_t MaxBytes() const override { return max_reply_bytes_; }
  [[nodiscard]] std::size_t EntryBytes(const leaderboard::EntryShape& shape) const override {
    return EntryReplyBytes(shape);
  }

 private:
  std::size_t max_reply_bytes_;
  std::optional<ErrorCode> refused_;
};

}  // namespace laurel::wire
