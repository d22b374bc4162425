// ZADD, ZINCRBY, ZREM and ZREMRANGEBY….
#include <vector>

#include "base/text.h"
#include "core/reads.h"
#include "engine/commands/handlers.h"
#include "engine/commands/ranges.h"
#include "leaderboard/no_answer.h"

namespace laurel::engine {
namespace {

struct AddOptions : Conditions {
  bool changed = false;    // CH: the reply counts updated entries, too
  bool increment = false;  // INCR
  std::size_t first = 2;   // index of the first score-member pair
};

// Parses the options. Replies the error and returns false if they are invalid.
bool TakeAddOptions(Context& context, AddOptions* options) {
  const auto arguments = context.arguments;
  for (; options->first < arguments.size(); ++options->first) {
    const std::string_view word = arguments[options->first];
    if (IsWord(word, "CH")) {
      options->changed = true;
    } else if (IsWord(word, "INCR")) {
      options->increment = true;
    } else if (!options->Take(word)) {
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
  return Refuse(context, error);
}

// Parses the score-member pairs into writes. Replies the error and returns false at the first
// invalid score.
bool TakeWrites(Context& context, const Spec& spec, const AddOptions& options,
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
    const Result<Score> score = ReadNumber(spec, context.arguments[i]);
    if (!score.ok()) {
      ReplyWriteError(context.reply, spec, score.error());
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

// Writes to a sorted set, one member after the other. After the check of member sizes only the sum
// of an increment can fail, and an increment is always a single write.
void AddToSet(Context& context, NamedBoard* named, const std::vector<Write>& writes,
              const AddOptions& options) {
  for (const Write& write : writes) {
    if (write.member.size() > kMaxSortedSetMemberBytes) {
      return context.reply.Error("LIMIT a member exceeds 524288 bytes");
    }
  }
  const core::Standings& standings = named->board.standings();
  Counts counts;
  std::optional<Error> refused;
  const bool existed = named->exists();
  const Moment moment = context.TakeMoment(writes.size());
  const leaderboard::Summary summary = named->board.ApplyBatch(
      writes, {named->name, moment.now, moment.stamp}, context.keys.EffectsOf(named),
      [&](std::size_t, const Result<Verdict>& verdict) {
        if (!verdict.ok()) {
          refused = verdict.error();
          return;
        }
        counts.Add(*verdict);
        if (options.increment) ReplyIncremented(context.reply, standings, *verdict);
      });
  if (refused) {
    ReplyWriteError(context.reply, standings.spec(), *refused);
  } else if (!options.increment) {
    context.reply.Integer(counts.added + (options.changed ? counts.updated : 0));
  }
  context.keys.journal().DiscardIfEmpty();
  context.keys.AfterChange(named, existed, summary);
}

// Replies to a ZADD or ZINCRBY on a leaderboard.
class AddAnswer : public leaderboard::NoAnswer {
 public:
  AddAnswer(wire::Reply* reply, const AddOptions& options) : reply_(*reply), options_(options) {}

  void Refused(const Error& error) override { reply_.Error(error); }
  void Verdicts(const leaderboard::VerdictList& list) override {
    if (options_.increment) {
      const Verdict& verdict = list.verdicts[0];
      if (verdict.status == WriteStatus::kSkipped || !verdict.score) return reply_.Null();
      return reply_.Double(FormatNumber((*verdict.score)[0], list.spec->fields[0].decimals));
    }
    Counts counts;
    for (std::size_t i = 0; i < list.verdicts.size(); i += list.boards()) {
      counts.Add(list.verdicts[i]);
    }
    reply_.Integer(counts.added + (options_.changed ? counts.updated : 0));
  }

 private:
  wire::Reply& reply_;
  const AddOptions& options_;
};

// Writes to a leaderboard, all or nothing.
void AddToLeaderboard(Context& context, NamedBoard* named, const std::vector<Write>& writes,
                      const AddOptions& options) {
  AddAnswer answer(&context.reply, options);
  if (writes.size() > 1) {
    leaderboard::SubmitMany many;
    many.writes = writes;
    many.ranks = false;
    ExecuteOn(context, named, many, named->name, &answer);
    return;
  }
  leaderboard::Submit submit;
  submit.mode = writes[0].mode;
  submit.member = writes[0].member;
  submit.values.score = &writes[0].score;
  submit.condition = writes[0].condition;
  submit.only = writes[0].only;
  submit.ranks = false;
  ExecuteOn(context, named, submit, named->name, &answer);
}

// ZADD XX on an absent name: replies that nothing was added, after checking the scores as Redis
// does.
void AddNothing(Context& context, const AddOptions& options) {
  for (std::size_t i = options.first; i < context.arguments.size(); i += 2) {
    if (!ParseDouble(context.arguments[i]).ok()) return context.reply.Error(kNotFloat);
  }
  options.increment ? context.reply.Null() : context.reply.Integer(0);
}

void Add(Context& context, const AddOptions& options) {
  if (RefusesInstance(context, context.arguments[1])) return;
  NamedBoard* found = context.keys.Find(context.arguments[1]);
  if (found == nullptr && options.xx) return AddNothing(context, options);
  const Result<NamedBoard*> named =
      found != nullptr ? found : context.keys.Create(context.arguments[1]);
  if (!named.ok()) return context.reply.Error(named.error());
  const FreshBoardGuard target(&context.keys, *named);
  if (const auto refused = RefuseZWrite(**named, options.increment)) {
    return context.reply.Error(*refused);
  }
  std::vector<Write> writes;
  if (!TakeWrites(context, (*named)->spec(), options, &writes)) return;
  (*named)->is_leaderboard() ? AddToLeaderboard(context, *named, writes, options)
                             : AddToSet(context, *named, writes, options);
}

void ZAdd(Context& context) {
  AddOptions options;
  if (TakeAddOptions(context, &options)) Add(context, options);
}

void ZIncrBy(Context& context) {
  AddOptions options;
  options.increment = true;
  // As in Redis, the options of ZADD are parsed here too: NX in place of the increment is an
  // option, not a bad number.
  if (TakeAddOptions(context, &options)) Add(context, options);
}

void ZRem(Context& context) {
  const Keyspace::Resolved place = context.keys.Resolve(context.arguments[1]);
  if (!context.keys.ViewOf(context.arguments[1])) return context.reply.Integer(0);
  RemoveMembers(context, place, context.arguments.subspan(2));
}

void RemoveRange(Context& context, const Keyspace::View& view, core::IndexRange range) {
  if (!view) return context.reply.Integer(0);
  const leaderboard::RemoveRange remove{range.first, range.count, view.instance};
  ReplyCountOf(context, view.named, remove, view.named->name);
}

void ZRemRangeByRank(Context& context) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (!TakeInteger(context, context.arguments[2], &first)) return;
  if (!TakeInteger(context, context.arguments[3], &last)) return;
  if (RefusesPeriods(context, context.arguments[1])) return;
  const Keyspace::View view = context.keys.ViewOf(context.arguments[1]);
  RemoveRange(
      context, view,
      view ? RankRange(*view.standings, first, last, false).ToIndexes() : core::IndexRange{});
}

void ZRemRangeByScore(Context& context) {
  if (RefusesPeriods(context, context.arguments[1])) return;
  const Keyspace::View view = context.keys.ViewOf(context.arguments[1]);
  const auto range =
      TakeScoreRange(context, view.standings, context.arguments[2], context.arguments[3]);
  if (range) RemoveRange(context, view, *range);
}

void ZRemRangeByLex(Context& context) {
  if (RefusesPeriods(context, context.arguments[1])) return;
  const Keyspace::View view = context.keys.ViewOf(context.arguments[1]);
  const auto range =
      TakeLexRange(context, view.standings, context.arguments[2], context.arguments[3]);
  if (range) RemoveRange(context, view, *range);
}

}  // namespace

Result<Score> ReadNumber(const Spec& spec, std::string_view text) {
  if (spec.kind == BoardKind::kSortedSet) {
    const Result<double> number = ParseDouble(text);
    if (!number.ok()) return number.error();
    return Score::Double(*number);
  }
  const Result<std::int64_t> number = ParseNumber(text, spec.fields[0].decimals);
  if (!number.ok()) return ParseScore(spec, {&text, 1});  // its error names the field
  return Score{*number};
}

std::optional<Error> RefuseZWrite(const NamedBoard& named, bool increment) {
  const std::size_t fields = named.spec().fields.size();
  if (fields == 1) return std::nullopt;
  return Error{ErrorCode::kErr, base::Quote(named.name) + " has " + std::to_string(fields) +
                                    " fields: use " + (increment ? "LB.INCR" : "LB.SUBMIT")};
}

void ReplyIncremented(wire::Reply& reply, const core::Standings& standings,
                      const Verdict& verdict) {
  if (verdict.status == WriteStatus::kSkipped || !verdict.score) return reply.Null();
  ReplyNumber(reply, standings, standings.layout().FieldWord(0, (*verdict.score)[0]));
}

void ReplyWriteError(wire::Reply& reply, const Spec& spec, const Error& error) {
  if (spec.kind == BoardKind::kLeaderboard || error.code == ErrorCode::kLimit) {
    return reply.Error(error);
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
