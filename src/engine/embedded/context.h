// What a command's handler gets to see.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/text.h"
#include "engine/embedded/keyspace.h"
#include "engine/embedded/waiting.h"
#include "engine/engine.h"
#include "laurel/entry.h"
#include "laurel/stamp_clock.h"
#include "wire/error_texts.h"
#include "wire/reply.h"

namespace laurel::engine {

struct Context {
  Keyspace& keys;
  Waiting& waiting;
  StampClock& stamps;
  base::Random& random;
  Client& client;
  Turn* turn;  // null inside EXEC, where nothing waits
  Stamp now;
  std::uint64_t durable;  // the log is on disk through here: what is not has not happened yet
  bool waits_for_disk;    // the replies behind Turn::NoteWrite do
  std::size_t max_reply_bytes;
  const wire::CommandInfo& command;
  std::span<const std::string_view> arguments;
  wire::Reply& reply;

  // `count` stamps for the writes of this command.
  [[nodiscard]] Moment TakeMoment(std::uint64_t count = 1) {
    return {now, stamps.Take(now, count)};
  }
};

using Handler = void (*)(Context&);

using base::IsWord;
using wire::kMustBePositive;
using wire::kNoSuchKey;
using wire::kNotFloat;
using wire::kNotInteger;
using wire::kNotLexRange;
using wire::kNotScoreRange;
using wire::kSyntaxError;
using wire::kWrongTypeError;

// Replies `error` and returns false if it is no integer (in the range).
bool TakeInteger(Context& context, std::string_view argument, std::int64_t* value,
                 std::string_view error = kNotInteger);
bool TakeIntegerBetween(Context& context, std::string_view argument, std::int64_t least,
                        std::int64_t most, std::string_view error, std::int64_t* value);

void ReplyError(Context& context, const Error& error);

// Undoes and refuses a reply that has outgrown --max-reply. True while it has not.
bool WithinReplyLimit(wire::Reply& reply, std::size_t start, std::size_t max_reply_bytes);
bool WithinReplyLimit(Context& context, std::size_t start);
// The same for one that is known to outgrow it.
void RefuseReply(Context& context, std::size_t start);

// The text of field 1 as the board's number.
std::string NumberText(const core::Board& board, std::uint64_t word);
// A score of field 1: a bulk string or, in RESP3, a double whose text is the exact number.
void ReplyNumber(wire::Reply& reply, const core::Board& board, std::uint64_t word);

// Replies and returns true if the board has periods, for what must say which one it means.
bool RefusesPeriods(Context& context, const Key* key);
// Replies and returns true if the name is that of an instance, for what concerns whole boards.
bool RefusesInstance(Context& context, std::string_view name);

// Takes the members off the board, or off all instances of a board with periods. Returns how many
// there were.
std::uint64_t RemoveMembers(Context& context, Key* key, std::span<const std::string_view> members);

// Whether the board's own order starts with the lowest numbers of field 1.
inline bool LowFirst(const core::Board& board) {
  const Spec& spec = board.spec();
  return spec.kind == BoardKind::kSortedSet || spec.fields[0].direction == Direction::kAsc;
}

}  // namespace laurel::engine
