// LB.SUBMIT, LB.SET, LB.INCR, LB.MSUBMIT, LB.META and the removals.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "base/time_text.h"
#include "core/commands.h"
#include "core/decide.h"
#include "core/reads.h"
#include "engine/embedded/handlers.h"
#include "engine/embedded/leaderboards.h"
#include "engine/embedded/submission.h"
#include "engine/limits.h"
#include "laurel/limits.h"
#include "leaderboard/outcome.h"

namespace laurel::engine {
namespace {

WriteMode ModeOf(wire::CommandId id) {
  switch (id) {
    case wire::CommandId::kLbSet:
      return WriteMode::kSet;
    case wire::CommandId::kLbIncr:
      return WriteMode::kIncrement;
    default:
      return WriteMode::kSubmit;
  }
}

// The leaderboard that a write goes to, made by a template where there is none. Replies and gives
// null where there is none to be had; *fresh says whether it was made.
Key* FindOrMake(Context& context, bool* fresh) {
  const std::string_view name = context.arguments[1];
  *fresh = false;
  if (context.keys.Find(name) != nullptr || context.keys.TemplateFor(name) == nullptr) {
    return FindWholeLeaderboard(context, name);
  }
  const Result<Key*> made = context.keys.Create(name);
  if (!made.ok()) {
    ReplyError(context, made.error());
    return nullptr;
  }
  *fresh = true;
  return *made;
}

enum class Option : std::uint8_t { kNone, kNx, kXx, kAt, kId, kMeta };

Option OptionOf(std::string_view word) {
  if (IsWord(word, "NX")) return Option::kNx;
  if (IsWord(word, "XX")) return Option::kXx;
  if (IsWord(word, "AT")) return Option::kAt;
  if (IsWord(word, "ID")) return Option::kId;
  if (IsWord(word, "META")) return Option::kMeta;
  return Option::kNone;
}

// What makes a write exactly-once.
struct RequestId {
  std::optional<std::string_view> id;
  std::uint64_t arguments = 0;  // a hash of all that the request asks for
};

// The hash of the request without its ID: what a retry has in common with the first.
std::uint64_t HashRequest(const Context& context, std::size_t id_at) {
  constexpr std::uint64_t kSeed = 0x6c617572656c6964;  // the same for ever: it is kept on disk
  std::uint64_t hash = base::HashBytes(context.command.name, kSeed);
  for (std::size_t i = 1; i < context.arguments.size(); ++i) {
    if (i == id_at || i == id_at + 1) continue;
    hash = base::HashInteger(hash, base::HashBytes(context.arguments[i], kSeed + i));
  }
  return hash;
}

// NX, XX, AT, ID and META from argument `at` on; of several writes AT and ID only.
bool TakeWriteOptions(Context& context, const Key& key, std::size_t at, bool single, Write* write,
                      RequestId* request) {
  const auto arguments = context.arguments;
  const auto refuse = [&](std::string_view error) {
    context.reply.Error(error);
    return false;
  };
  while (at < arguments.size()) {
    const Option option = OptionOf(arguments[at]);
    const bool has_value = at + 1 < arguments.size();
    if (single && (option == Option::kNx || option == Option::kXx)) {
      if (write->condition != Write::If::kAlways) return refuse(kSyntaxError);
      write->condition = option == Option::kNx ? Write::If::kAbsent : Write::If::kPresent;
      ++at;
    } else if (has_value && option == Option::kAt && !write->at) {
      const Result<Stamp> time = base::ParseTime(arguments[at + 1]);
      if (!time.ok()) return refuse(time.error().ToString());
      if (!context.client.may_set_time) return refuse("NOPERM AT needs a token of role write");
      write->at = *time;
      at += 2;
    } else if (has_value && single && option == Option::kMeta && !write->meta) {
      write->meta = arguments[at + 1];
      at += 2;
    } else if (has_value && option == Option::kId && !request->id) {
      if (key.board.spec().dedup == 0) return refuse("ERR the board remembers no ids: DEDUP is 0");
      if (arguments[at + 1].empty() || arguments[at + 1].size() > kMaxRequestIdLength) {
        return refuse("LIMIT an id has 1 to 128 bytes");
      }
      if (key.requests && key.requests->IsSpent()) {
        return refuse("LIMIT the board has no number left for another request");
      }
      request->id = arguments[at + 1];
      request->arguments = HashRequest(context, at);
      at += 2;
    } else {
      return refuse(kSyntaxError);
    }
  }
  return true;
}

// How many arguments from `at` on are values: up to the first option.
std::size_t CountValues(std::span<const std::string_view> arguments, std::size_t at) {
  std::size_t count = 0;
  while (at + count < arguments.size() && OptionOf(arguments[at + count]) == Option::kNone) ++count;
  return count;
}

// True if the request has been carried out before, or its id was another's: it is answered then.
bool AnswerRetry(Context& context, Key* key, const RequestId& request, bool single) {
  if (!request.id) return false;
  context.keys.ForgetOldRequests(key);
  core::RememberedRequest first;
  if (!key->requests || !key->requests->Find(*request.id, &first)) return false;
  const Spec& spec = key->board.spec();
  const std::size_t boards = std::max<std::size_t>(spec.periods.size(), 1);
  std::vector<Verdict> verdicts;
  const bool same =
      first.arguments == request.arguments && leaderboard::DecodeVerdicts(first.outcome, &verdicts);
  const std::size_t writes = verdicts.size() / boards;
  if (!same || (single && writes != 1)) {
    ReplyError(context, {ErrorCode::kReused,
                         "id " + base::Quote(*request.id) + " came with other arguments before"});
    return true;
  }
  if (!single) context.reply.Array(writes);
  for (std::size_t i = 0; i < writes; ++i) {
    ReplyVerdict(context.reply, spec, std::span(verdicts).subspan(i * boards, boards),
                 /*duplicate=*/true);
  }
  return true;
}

void RememberRequest(Context& context, Target& target, const RequestId& request,
                     std::span<const Verdict> verdicts) {
  if (!request.id) return;
  target.Keep();
  context.keys.Remember(target.key(), *request.id, request.arguments, verdicts);
}

void Submit(Context& context) {
  bool fresh = false;
  Key* key = FindOrMake(context, &fresh);
  if (key == nullptr) return;
  Target target(&context.keys, key, fresh);
  const std::size_t values = CountValues(context.arguments, 3);
  const std::optional<Score> score = TakeScore(context, *key, 3, values);
  if (!score) return;
  Write write;
  write.member = context.arguments[2];
  write.score = *score;
  write.mode = ModeOf(context.command.id);
  RequestId request;
  if (!TakeWriteOptions(context, *key, 3 + values, true, &write, &request)) return;
  if (AnswerRetry(context, key, request, true)) return;
  Submission submission(&context, &target);
  const Status decided = submission.Decide({&write, 1});
  if (!decided.ok()) return ReplyError(context, decided.error());
  submission.Apply(/*ranks=*/true);
  ReplyVerdict(context.reply, key->board.spec(), submission.VerdictsOf(0));
  RememberRequest(context, target, request, submission.verdicts());
}

void MSubmit(Context& context) {
  bool fresh = false;
  Key* key = FindOrMake(context, &fresh);
  if (key == nullptr) return;
  Target target(&context.keys, key, fresh);
  std::int64_t count = 0;
  if (!TakeIntegerBetween(context, context.arguments[2], 1, INT64_MAX, kMustBePositive, &count)) {
    return;
  }
  if (count > kMaxSubmits) {
    return context.reply.Error("LIMIT LB.MSUBMIT takes at most " + std::to_string(kMaxSubmits) +
                               " members");
  }
  const std::size_t fields = key->board.spec().fields.size();
  const std::size_t given = context.arguments.size() - 3;
  if (static_cast<std::size_t>(count) > given / (fields + 1)) {
    return ReplyError(
        context,
        {ErrorCode::kErr, base::Quote(key->name) + " takes a member and " + std::to_string(fields) +
                              " values for each of " + std::to_string(count) + ", got " +
                              std::to_string(given) + " words"});
  }
  Write options;
  const std::size_t end = 3 + static_cast<std::size_t>(count) * (fields + 1);
  RequestId request;
  if (!TakeWriteOptions(context, *key, end, false, &options, &request)) return;
  const std::size_t boards = std::max<std::size_t>(key->board.spec().periods.size(), 1);
  if (request.id && static_cast<std::size_t>(count) * boards > kMaxSubmits) {
    return context.reply.Error("LIMIT with ID, members times periods are at most " +
                               std::to_string(kMaxSubmits));
  }
  if (AnswerRetry(context, key, request, false)) return;
  std::vector<Write> writes;
  for (std::size_t at = 3; at < end; at += fields + 1) {
    const Result<Score> score =
        ParseScore(key->board.spec(), context.arguments.subspan(at + 1, fields));
    if (!score.ok()) {
      return ReplyError(context,
                        {score.error().code,
                         score.error().message + " (" + base::Quote(context.arguments[at]) + ")"});
    }
    Write& write = writes.emplace_back();
    write.member = context.arguments[at];
    write.score = *score;
    write.at = options.at;
  }
  Submission submission(&context, &target);
  const Status decided = submission.Decide(writes);
  if (!decided.ok()) return ReplyError(context, decided.error());
  submission.Apply(/*ranks=*/true);
  context.reply.Array(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    ReplyVerdict(context.reply, key->board.spec(), submission.VerdictsOf(i));
  }
  RememberRequest(context, target, request, submission.verdicts());
}

// Decides on each of the boards and, if none refuses, applies. Returns what each decision returned.
template <typename Decide>
Result<std::vector<std::uint64_t>> OnEach(Context& context, const std::vector<Key*>& boards,
                                          const Decide& decide) {
  std::vector<std::uint64_t> counts;
  std::deque<core::EffectBatch> effects;
  for (const Key* board : boards) {
    const Result<std::uint64_t> decided = decide(board->board, &effects.emplace_back());
    if (!decided.ok()) return decided.error();
    counts.push_back(*decided);
  }
  for (std::size_t i = 0; i < boards.size(); ++i) context.keys.Apply(boards[i], effects[i]);
  return counts;
}

void ReplyCount(Context& context, std::uint64_t count) {
  context.reply.Integer(static_cast<std::int64_t>(count));
}

void Meta(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  const auto set =
      OnEach(context, Keyspace::PartsOf(key),
             [&](const core::Board& board, core::EffectBatch* effects) -> Result<std::uint64_t> {
               const Result<bool> changed =
                   core::DecideSetMeta(board, context.arguments[2], context.arguments[3], effects);
               if (!changed.ok()) return changed.error();
               return *changed ? 1 : 0;
             });
  if (!set.ok()) return ReplyError(context, set.error());
  context.keys.NoteAccepted(key);
  ReplyCount(context, std::any_of(set->begin(), set->end(), [](auto count) { return count > 0; }));
}

void Remove(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  RemoveMembers(context, key, context.arguments.subspan(2));
}

// Marks belong to the board and are set on each of its instances too.
template <typename Decide>
void Mark(Context& context, const Decide& decide) {
  Key* key = FindWholeLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  std::vector<Key*> boards = {key};
  if (key->parent) {
    const std::vector<Key*>& instances = key->parent->instances;
    if (!TakeWork(context, (context.arguments.size() - 2) * instances.size())) return;
    boards.insert(boards.end(), instances.begin(), instances.end());
  }
  const auto marked =
      OnEach(context, boards, [&](const core::Board& board, core::EffectBatch* effects) {
        return decide(board, context.arguments.subspan(2), effects);
      });
  marked.ok() ? ReplyCount(context, marked->front()) : ReplyError(context, marked.error());
}

void Hide(Context& context) { Mark(context, core::DecideHide); }

void Show(Context& context) { Mark(context, core::DecideShow); }

void Pop(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr || RefusesPeriods(context, key)) return;
  std::int64_t count = 0;
  if (!TakeIntegerBetween(context, context.arguments[2], 0, INT64_MAX, kMustBePositive, &count)) {
    return;
  }
  bool bottom = false;
  ReadOptions options;
  for (const std::string_view word : context.arguments.subspan(3)) {
    if (IsWord(word, "BOTTOM")) {
      bottom = true;
    } else if (IsWord(word, "WITHMETA")) {
      options.with_meta = true;
    } else {
      return context.reply.Error(kSyntaxError);
    }
  }
  const std::uint64_t size = key->board.entries().size();
  const std::uint64_t popped = std::min(static_cast<std::uint64_t>(count), size);
  const std::uint64_t first = bottom ? size - popped : 0;
  // Beyond --max-reply nothing is popped.
  if (!ReplyPage(context, key->board, {first, popped}, bottom, options)) return;
  core::EffectBatch effects;
  core::DecideRemoveRange(key->board, first, popped, &effects);
  context.keys.Apply(key, effects);
}

void Trim(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr || RefusesPeriods(context, key)) return;
  std::int64_t kept = 0;
  if (!TakeIntegerBetween(context, context.arguments[2], 0, INT64_MAX, kMustBePositive, &kept)) {
    return;
  }
  core::EffectBatch effects;
  const std::uint64_t trimmed =
      core::DecideRemoveRange(key->board, static_cast<std::uint64_t>(kept), UINT64_MAX, &effects);
  ReplyCount(context, trimmed);
  context.keys.Apply(key, effects);
}

void Clear(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  std::uint64_t cleared = 0;
  for (const Key* part : Keyspace::PartsOf(key)) {
    cleared += part->board.entries().size() + part->board.hidden_entries();
  }
  if (!key->part) {
    context.keys.Delete(context.arguments[1]);
  } else if (key->id != 0) {
    context.keys.ClearInstance(key);
  }
  ReplyCount(context, cleared);
}

}  // namespace

void RegisterLeaderboardWrites(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kLbSubmit, Submit);
  Register(table, CommandId::kLbSet, Submit);
  Register(table, CommandId::kLbIncr, Submit);
  Register(table, CommandId::kLbMSubmit, MSubmit);
  Register(table, CommandId::kLbMeta, Meta);
  Register(table, CommandId::kLbRemove, Remove);
  Register(table, CommandId::kLbHide, Hide);
  Register(table, CommandId::kLbShow, Show);
  Register(table, CommandId::kLbPop, Pop);
  Register(table, CommandId::kLbTrim, Trim);
  Register(table, CommandId::kLbClear, Clear);
}

}  // namespace laurel::engine
