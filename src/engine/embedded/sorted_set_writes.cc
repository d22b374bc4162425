#include "engine/embedded/sorted_set_writes.h"

#include <vector>

#include "base/text.h"
#include "core/commands.h"
#include "core/decide.h"
#include "core/reads.h"
#include "engine/embedded/handlers.h"
#include "engine/embedded/ranges.h"
#include "engine/embedded/submission.h"

namespace laurel::engine {
namespace {

struct AddOptions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
  bool changed = false;    // CH: count changed ones too
  bool increment = false;  // INCR
  std::size_t first = 2;   // of the score-member pairs
};

// Reads the options; replies and returns false if they make no sense.
bool TakeAddOptions(Context& context, AddOptions* options) {
  const auto arguments = context.arguments;
  for (; options->first < arguments.size(); ++options->first) {
    const std::string_view word = arguments[options->first];
    if (IsWord(word, "NX")) {
      options->nx = true;
    } else if (IsWord(word, "XX")) {
      options->xx = true;
    } else if (IsWord(word, "CH")) {
      options->changed = true;
    } else if (IsWord(word, "INCR")) {
      options->increment = true;
    } else if (IsWord(word, "GT")) {
      options->gt = true;
    } else if (IsWord(word, "LT")) {
      options->lt = true;
    } else {
      break;
    }
  }
  const std::size_t pairs = arguments.size() - options->first;
  std::string_view error;
  if (pairs == 0 || pairs % 2 != 0) {
    error = kSyntaxError;
  } else if (options->nx && options->xx) {
    error = "ERR XX and NX options at the same time are not compatible";
  } else if ((options->gt && options->nx) || (options->lt && options->nx) ||
             (options->gt && options->lt)) {
    error = "ERR GT, LT, and/or NX options at the same time are not compatible";
  } else if (options->increment && pairs > 2) {
    error = "ERR INCR option supports a single increment-element pair";
  }
  if (error.empty()) return true;
  context.reply.Error(error);
  return false;
}

// The pairs as writes; replies and returns false at the first score that is none.
bool TakeWrites(Context& context, const core::Board& board, const AddOptions& options,
                std::vector<Write>* writes) {
  Write write;
  write.mode = options.increment ? WriteMode::kIncrement : WriteMode::kSet;
  write.condition = options.nx   ? Write::If::kAbsent
                    : options.xx ? Write::If::kPresent
                                 : Write::If::kAlways;
  write.only = options.gt   ? Write::Only::kGreater
               : options.lt ? Write::Only::kLess
                            : Write::Only::kAnyValue;
  writes->reserve((context.arguments.size() - options.first) / 2);
  for (std::size_t i = options.first; i < context.arguments.size(); i += 2) {
    const Result<Score> score = ReadNumber(board, context.arguments[i]);
    if (!score.ok()) {
      ReplyWriteError(context.reply, board, score.error());
      return false;
    }
    write.score = *score;
    write.member = context.arguments[i + 1];
    writes->push_back(write);
  }
  return true;
}

struct Counts {
  std::int64_t added = 0;
  std::int64_t updated = 0;

  void Add(const Verdict& verdict) {
    if (verdict.status != WriteStatus::kAccepted) return;
    ++(verdict.previous_score ? updated : added);
  }
};

// Several members on a sorted set: each by itself, nothing can fail but the sizes checked before.
void AddMany(Context& context, Target& target, const std::vector<Write>& writes,
             bool count_changed) {
  for (const Write& write : writes) {
    if (write.member.size() > kMaxSortedSetMemberBytes) {
      return context.reply.Error("LIMIT a member exceeds 524288 bytes");
    }
  }
  Counts counts;
  const bool existed = Keyspace::Exists(*target.key());
  std::optional<Error> refused;
  core::ApplyBatch(
      &target.board(), writes, context.TakeMoment(writes.size()),
      [&](std::size_t, const Result<Verdict>& verdict, const core::EffectBatch& effects) {
        context.keys.Note(target.key(), effects);
        if (verdict.ok()) {
          counts.Add(*verdict);
        } else {
          refused = verdict.error();
        }
      });
  if (refused) {
    ReplyWriteError(context.reply, target.board(), *refused);
  } else {
    context.reply.Integer(counts.added + (count_changed ? counts.updated : 0));
  }
  if (counts.added + counts.updated > 0) target.Changed(existed);
}

// On a leaderboard, all or nothing.
void AddAll(Context& context, Target& target, const std::vector<Write>& writes,
            bool count_changed) {
  Submission submission(&context, &target);
  const Status decided = submission.Decide(writes);
  if (!decided.ok()) return ReplyWriteError(context.reply, target.board(), decided.error());
  const Verdict& first = submission.VerdictsOf(0)[0];
  if (writes[0].mode == WriteMode::kIncrement) {
    ReplyIncremented(context.reply, target.board(), first);
  } else {
    Counts counts;
    for (std::size_t i = 0; i < writes.size(); ++i) counts.Add(submission.VerdictsOf(i)[0]);
    context.reply.Integer(counts.added + (count_changed ? counts.updated : 0));
  }
  submission.Apply(/*ranks=*/false);
}

// XX on a name that is not there: what is wrong with the scores comes first all the same.
void AddNothing(Context& context, const AddOptions& options) {
  for (std::size_t i = options.first; i < context.arguments.size(); i += 2) {
    if (!ParseDouble(context.arguments[i]).ok()) return context.reply.Error(kNotFloat);
  }
  options.increment ? context.reply.Null() : context.reply.Integer(0);
}

void Add(Context& context, const AddOptions& options) {
  if (RefusesInstance(context, context.arguments[1])) return;
  Key* found = context.keys.Find(context.arguments[1]);
  if (found == nullptr && options.xx) return AddNothing(context, options);
  const Result<Key*> key = found != nullptr ? found : context.keys.Create(context.arguments[1]);
  if (!key.ok()) return ReplyError(context, key.error());
  Target target(&context.keys, *key, found == nullptr);
  const std::optional<Error> refused = RefuseZWrite(**key);
  if (refused) return ReplyError(context, *refused);
  std::vector<Write> writes;
  if (!TakeWrites(context, target.board(), options, &writes)) return;
  if (writes.size() == 1 || Keyspace::IsLeaderboard(**key)) {
    return AddAll(context, target, writes, options.changed);
  }
  AddMany(context, target, writes, options.changed);
}

void ZAdd(Context& context) {
  AddOptions options;
  if (TakeAddOptions(context, &options)) Add(context, options);
}

void ZIncrBy(Context& context) {
  AddOptions options;
  options.increment = true;
  if (TakeAddOptions(context, &options)) Add(context, options);  // as Redis: NX is no number
}

void ZRem(Context& context) {
  Key* key = context.keys.Find(context.arguments[1]);
  if (key == nullptr) return context.reply.Integer(0);
  RemoveMembers(context, key, context.arguments.subspan(2));
}

void RemoveRange(Context& context, Key* key, core::IndexRange range) {
  core::EffectBatch effects;
  const std::uint64_t removed =
      core::DecideRemoveRange(key->board, range.first, range.count, &effects);
  context.reply.Integer(static_cast<std::int64_t>(removed));
  context.keys.Apply(key, effects);
}

void ZRemRangeByRank(Context& context) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (!TakeInteger(context, context.arguments[2], &first)) return;
  if (!TakeInteger(context, context.arguments[3], &last)) return;
  Key* key = context.keys.Find(context.arguments[1]);
  if (RefusesPeriods(context, key)) return;
  if (key == nullptr) return context.reply.Integer(0);
  const OrderedRange range = RankRange(key->board, first, last, false);
  RemoveRange(context, key, range.ToIndexes());
}

void ZRemRangeByScore(Context& context) {
  Key* key = context.keys.Find(context.arguments[1]);
  if (RefusesPeriods(context, key)) return;
  const std::optional<core::IndexRange> range =
      TakeScoreRange(context, key, context.arguments[2], context.arguments[3]);
  if (!range) return;
  if (key == nullptr) return context.reply.Integer(0);
  RemoveRange(context, key, *range);
}

void ZRemRangeByLex(Context& context) {
  Key* key = context.keys.Find(context.arguments[1]);
  if (RefusesPeriods(context, key)) return;
  const std::optional<core::IndexRange> range =
      TakeLexRange(context, key, context.arguments[2], context.arguments[3]);
  if (!range) return;
  if (key == nullptr) return context.reply.Integer(0);
  RemoveRange(context, key, *range);
}

}  // namespace

Result<Score> ReadNumber(const core::Board& board, std::string_view text) {
  if (board.layout().is_double()) {
    const Result<double> number = ParseDouble(text);
    if (!number.ok()) return number.error();
    return Score::Double(*number);
  }
  const Result<std::int64_t> number = ParseNumber(text, board.spec().fields[0].decimals);
  if (!number.ok()) return number.error();
  return Score{*number};
}

std::optional<Error> RefuseZWrite(const Key& key) {
  const std::size_t fields = key.board.spec().fields.size();
  if (fields == 1) return std::nullopt;
  return Error{ErrorCode::kErr,
               base::Quote(key.name) + " has " + std::to_string(fields) + " fields: use LB.SUBMIT"};
}

void ReplyIncremented(wire::Reply& reply, const core::Board& board, const Verdict& verdict) {
  if (verdict.status == WriteStatus::kSkipped || !verdict.score) return reply.Null();
  ReplyNumber(reply, board, board.layout().FieldWord(0, (*verdict.score)[0]));
}

void ReplyWriteError(wire::Reply& reply, const core::Board& board, const Error& error) {
  if (!board.layout().is_double() || error.code == ErrorCode::kLimit) {
    return reply.Error(error.ToString());
  }
  reply.Error(error.code == ErrorCode::kErr ? "ERR resulting score is not a number (NaN)"
                                            : kNotFloat);
}

void RegisterSortedSetWrites(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kZAdd, ZAdd);
  Register(table, CommandId::kZIncrBy, ZIncrBy);
  Register(table, CommandId::kZRem, ZRem);
  Register(table, CommandId::kZRemRangeByRank, ZRemRangeByRank);
  Register(table, CommandId::kZRemRangeByScore, ZRemRangeByScore);
  Register(table, CommandId::kZRemRangeByLex, ZRemRangeByLex);
}

}  // namespace laurel::engine
