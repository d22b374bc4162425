// What a command's handler works with, and functions that handlers share.
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
#include "wire/beside_words.h"
#include "wire/command_answer.h"
#include "wire/error_texts.h"
#include "wire/reply.h"

namespace laurel::engine {

// The work budget (--max-work) of one command, or of all commands of an EXEC together, and what the
// reads of an EXEC may return (--max-exec-entries).
class Work {
 public:
  // `most`: entries and names that may be touched; 0: no limit.
  explicit Work(std::uint64_t most = 0) : most_(most), left_(most) {}
  // Of an EXEC. `most_returned`: entries that its reads may return together; 0: no limit. `writes`:
  // the EXEC has write commands too.
  Work(std::uint64_t most, std::uint64_t most_returned, bool writes)
      : most_(most),
        left_(most),
        most_returned_(most_returned),
        returned_left_(most_returned),
        writes_(writes) {}

  [[nodiscard]] std::uint64_t most() const { return most_; }
  // Subtracts `entries` from the budget. If less is left, subtracts nothing and returns false.
  [[nodiscard]] bool Take(std::uint64_t entries) {
    if (most_ == 0) return true;
    if (entries > left_) return false;
    left_ -= entries;
    return true;
  }

  // Begins a read of an EXEC. A read counts as one entry, or as what it returns if that is more.
  // Returns LIMIT if no more reads are executed.
  [[nodiscard]] Status BeginRead();
  // Subtracts what the read returns. If less is left, ends the reads and returns the LIMIT error.
  [[nodiscard]] Status TakeReturned(std::uint64_t entries);
  // Ends the read that has begun. Entries that are larger than usual count as several, and so does
  // each step of another kind of work that it took.
  void EndRead(std::size_t reply_bytes, std::uint64_t steps);
  // A reply has exceeded --max-reply. An EXEC executes no more reads after that, since each of them
  // could build a reply as large.
  void EndReads() { EndReads("the replies of the transaction exceed max-reply"); }

 private:
  void EndReads(std::string reason);

  std::uint64_t most_;
  std::uint64_t left_;
  std::uint64_t most_returned_ = 0;
  std::uint64_t returned_left_ = 0;
  bool writes_ = false;
  std::uint64_t read_returned_ = 0;  // what the present read has taken
  bool counts_as_one_ = false;       // the read has begun and taken nothing else
  std::optional<Error> ended_;       // why no more reads are executed
};

struct Context {
  Keyspace& keys;
  Waiting& waiting;
  StampClock& stamps;
  base::Random& random;
  Client& client;
  Pipeline* pipeline;  // null inside EXEC, where no command may block
  Stamp now;
  std::uint64_t publishable_record;  // the last record that a reply may show (PublishableRecord)
  bool waits_for_disk;  // replies from Pipeline::NoteWrite on are held until they are durable
  std::size_t max_reply_bytes;
  Work& work;
  const wire::CommandInfo& command;
  std::span<const std::string_view> arguments;
  const wire::BesideWords* beside;  // of the request
  std::string_view run;             // a text that no other run of the engine has
  wire::Reply& reply;

  // Errors tell the client what to do in these words.
  [[nodiscard]] const wire::WaysOut& ways_out() const { return wire::WaysOutOf(reply.answer()); }
  // Takes `count` stamps for the writes of this command.
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

// The conditions NX, XX, GT and LT of ZADD and EXPIRE.
struct Conditions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;

  // Sets the condition that the word names. Returns false if it names none.
  bool Take(std::string_view word) {
    bool* named = IsWord(word, "NX")   ? &nx
                  : IsWord(word, "XX") ? &xx
                  : IsWord(word, "GT") ? &gt
                  : IsWord(word, "LT") ? &lt
                                       : nullptr;
    if (named != nullptr) *named = true;
    return named != nullptr;
  }
};

// When a wait of `timeout_ms` ends, for Pipeline::Blocked. 0: never.
inline std::int64_t DeadlineOf(Stamp now, std::int64_t timeout_ms) {
  std::int64_t deadline_ms = 0;
  const bool is_far =
      timeout_ms > 0 && __builtin_add_overflow(now / 1000, timeout_ms, &deadline_ms);
  return is_far ? INT64_MAX : deadline_ms;
}

// Replies the error and returns false: for functions that return whether the command goes on.
inline bool Refuse(Context& context, std::string_view error) {
  context.reply.Error(error);
  return false;
}
inline bool Refuse(Context& context, const Error& error, std::size_t word = wire::kNoWord) {
  context.reply.Error(error, word);
  return false;
}

// Parses an integer. If the argument is not an integer (in the range), replies `error` and returns
// false.
bool TakeInteger(Context& context, std::string_view argument, std::int64_t* value,
                 std::string_view error = kNotInteger);
bool TakeIntegerBetween(Context& context, std::string_view argument, std::int64_t least,
                        std::int64_t most, std::string_view error, std::int64_t* value);

// Takes `entries` from the command's work budget. Commands that touch more entries or names than
// their reply shows call it before they begin. Replies LIMIT and returns false if --max-work does
// not leave that much. For a read, what it touches counts as returned.
bool TakeWork(Context& context, std::uint64_t entries);
// Takes `entries` from what the reads of an EXEC may return. Reads of more than one entry, name or
// member call it before they begin. Replies LIMIT and returns false if that exceeds
// --max-exec-entries.
bool TakeReturned(Context& context, std::uint64_t entries);

// Parses a glob pattern. Replies LIMIT and returns none if it is longer than base::kMaxGlobBytes.
// `word`: the index of the argument.
std::optional<base::Glob> TakePattern(Context& context, std::string_view argument,
                                      std::size_t word = wire::kNoWord);

// Whether the text matches. Counts the steps that it takes.
bool MatchesIn(const Context& context, const base::Glob& pattern, std::string_view text);

// Returns true if the reply that begins at offset `start` is within --max-reply. Otherwise replaces
// it by a LIMIT error and returns false.
bool WithinReplyLimit(wire::Reply& reply, std::size_t start, std::size_t max_reply_bytes);
bool WithinReplyLimit(Context& context, std::size_t start);
// Replaces the reply that begins at `start` by the LIMIT error: it would exceed --max-reply.
void RefuseReply(Context& context, std::size_t start);

// The value of field 1 as text; `word`: the field's word in the entry.
std::string NumberText(const core::Standings& standings, std::uint64_t word);
// Replies the value of field 1: a bulk string or, in RESP3, a double whose text is the exact
// number.
void ReplyNumber(wire::Reply& reply, const core::Standings& standings, std::uint64_t word);

// For commands that need one instance: if the name is the bare name of a board with periods,
// replies an error and returns true.
bool RefusesPeriods(Context& context, std::string_view name);
// For commands on whole boards: if the name is an instance name, replies an error and returns true.
bool RefusesInstance(Context& context, std::string_view name);

// WRONGTYPE, for LB commands on a sorted set.
Error SortedSetError(const NamedBoard& named, const wire::WaysOut& ways);

// The leaderboard as the subject of an answer. The caller sets has_version and host.
wire::Subject SubjectOf(const NamedBoard& named, std::string_view run, std::size_t max_bytes);
// Answers that the leaderboard is declared, with its description; in RESP with OK.
void ReplyDeclared(Context& context, const NamedBoard& named, bool created);

// Takes stamps for a write operation on a leaderboard and executes it. Returns whether the
// operation was accepted; if it was not, the stamps are returned to the clock.
bool ExecuteOn(Context& context, NamedBoard* named, const leaderboard::WriteOperation& operation,
               std::string_view name, leaderboard::Answer* answer);
// As ExecuteOn, and replies the operation's answer, a count, or its error.
void ReplyCountOf(Context& context, NamedBoard* named, const leaderboard::WriteOperation& operation,
                  std::string_view name);

// Removes the members from the board or the instance; for the bare name of a board with periods,
// from all its instances. Replies how many were removed.
void RemoveMembers(Context& context, const Keyspace::Resolved& place,
                   std::span<const std::string_view> members);

// ZADD and ZINCRBY, for handlers and runs.

// Parses a score of a one-field board: a double for sorted sets, an exact number for leaderboards.
Result<Score> ReadNumber(const Spec& spec, std::string_view text);
// Returns why Z writes are refused on this board; none if they are accepted. `increment`: which
// LB command the error suggests.
std::optional<Error> RefuseZWrite(const NamedBoard& named, bool increment);
// Replies to ZADD … INCR and ZINCRBY: the new score, or nil if the write was skipped.
void ReplyIncremented(wire::Reply& reply, const core::Standings& standings, const Verdict& verdict);
// Replies the error of a refused Z write; on sorted sets with Redis' text.
void ReplyWriteError(wire::Reply& reply, const Spec& spec, const Error& error);

// Whether the board's own order starts with the lowest numbers of field 1.
inline bool LowFirst(const core::Standings& standings) {
  const Spec& spec = standings.spec();
  return spec.kind == BoardKind::kSortedSet || spec.fields[0].direction == Direction::kAsc;
}

}  // namespace laurel::engine
