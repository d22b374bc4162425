// Writes the answers of a leaderboard as RESP replies.
#pragma once

#include <cstddef>
#include <string_view>

#include "leaderboard/answer.h"
#include "leaderboard/answer_shape.h"
#include "wire/buffered_reply.h"
#include "wire/reply.h"

namespace laurel::wire {

// Returns the maximum size of one entry of a list in a reply, without its member and meta: see
// leaderboard::Answer::EntryBytes.
std::size_t EntryReplyBytes(const leaderboard::EntryShape& shape);

// Writes the answer to one operation.
class LeaderboardAnswer : private BufferedReply, public leaderboard::ShapedAnswer<BufferedReply> {
 public:
  // `board`: the board's own name. `max_reply_bytes`: the leaderboard answers LIMIT if a list of
  // entries may exceed it. `host` as in ShapedAnswer. All must outlive this object.
  LeaderboardAnswer(Reply* reply, std::string_view board, std::size_t max_reply_bytes,
                    leaderboard::AnswerHost* host = nullptr)
      : BufferedReply(reply),
        leaderboard::ShapedAnswer<BufferedReply>(this, board, host),
        max_reply_bytes_(max_reply_bytes) {}

  [[nodiscard]] std::size_t MaxBytes() const override { return max_reply_bytes_; }
  [[nodiscard]] std::size_t EntryBytes(const leaderboard::EntryShape& shape) const override {
    return EntryReplyBytes(shape);
  }

 private:
  std::size_t max_reply_bytes_;
};

}  // namespace laurel::wire
