// What a command's handler gets to see.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/glob.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/engine.h"
#include "engine/keyspace/keyspace.h"
#include "engine/keyspace/waiting.h"
#include "laurel/entry.h"
#include "laurel/stamp_clock.h"
#include "wire/error_texts.h"
#include "wire/reply.h"

namespace laurel::engine {

// What a command, or all commands of an EXEC together, may still do.
class Work {
 public:
  // `most` entries and names; 0: no bound.
  explicit Work(std::uint64_t most = 0) : most_(most), left_(most) {}

  [[nodiscard]] std::uint64_t most() const { return most_; }
  // Takes `entries` from what is left. False, and nothing is taken, if less is left.
  [[nodiscard]] bool Take(std::uint64_t entries) {
    if (most_ == 0) return true;
    if (entries > left_) return false;
    left_ -= entries;
    return true;
  }
  // A reply has outgrown --max-reply: an EXEC reads no more then, for it could do so again and
  // again.
  void EndReads() { ended_reads_ = true; }
  [[nodiscard]] bool ended_reads() const { return ended_reads_; }

 private:
  std::uint64_t most_;
  std::uint64_t left_;
  bool ended_reads_ = false;
};

struct Context {
  Keyspace& keys;
  Waiting& waiting;
  StampClock& stamps;
  base::Random& random;
  Client& client;
  Pipeline* pipeline;  // null inside EXEC, where nothing waits
  Stamp now;
  std::uint64_t durable;  // the log is on disk through here: what is not has not happened yet
  bool waits_for_disk;    // the replies behind Pipeline::NoteWrite do
  std::size_t max_reply_bytes;
  Work& work;
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

// For what touches more entries or names than its reply shows: takes them off the command's work
// before it begins. Replies LIMIT and returns false if that is more than --max-work allows.
bool TakeWork(Context& context, std::uint64_t entries);

// Replies LIMIT and returns none if the pattern is longer than base::kMaxGlobBytes.
std::optional<base::Glob> TakePattern(Context& context, std::string_view argument);

// Undoes and refuses a reply that has outgrown --max-reply. True while it has not.
bool WithinReplyLimit(wire::Reply& reply, std::size_t start, std::size_t max_reply_bytes);
bool WithinReplyLimit(Context& context, std::size_t start);
// The same for one that is known to outgrow it.
void RefuseReply(Context& context, std::size_t start);

// The text of field 1 as the board's number.
std::string NumberText(const core::Board& board, std::uint64_t word);
// A score of field 1: a bulk string or, in RESP3, a double whose text is the exact number.
void ReplyNumber(wire::Reply& reply, const core::Board& board, std::uint64_t word);

// Replies and returns true if the name is that of a board with periods, for what must say which one
// it means.
bool RefusesPeriods(Context& context, std::string_view name);
// Replies and returns true if the name is that of an instance, for what concerns whole boards.
bool RefusesInstance(Context& context, std::string_view name);

// WRONGTYPE, for LB commands on a sorted set.
Error SortedSetError(const NamedBoard& named);

// Executes a write that means an operation on a leaderboard. True if it was accepted.
bool ExecuteOn(Context& context, NamedBoard* named, const leaderboard::WriteOperation& operation,
               std::string_view name, leaderboard::Answer* answer);
// The same, and replies the count that it answers.
void ReplyCountOf(Context& context, NamedBoard* named, const leaderboard::WriteOperation& operation,
                  std::string_view name);

// Takes the members off the board, or off all instances of a board with periods. Replies how many
// there were.
void RemoveMembers(Context& context, const Keyspace::Place& place,
                   std::span<const std::string_view> members);

// Whether the board's own order starts with the lowest numbers of field 1.
inline bool LowFirst(const core::Board& board) {
  const Spec& spec = board.spec();
  return spec.kind == BoardKind::kSortedSet || spec.fields[0].direction == Direction::kAsc;
}

}  // namespace laurel::engine
