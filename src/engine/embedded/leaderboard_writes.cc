// LB.SUBMIT, LB.SET, LB.INCR, LB.MSUBMIT, LB.META and the removals.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/time_text.h"
#include "core/commands.h"
#include "core/decide.h"
#include "core/reads.h"
#include "engine/embedded/handlers.h"
#include "engine/embedded/leaderboards.h"
#include "engine/embedded/outcome.h"
#include "engine/limits.h"
#include "laurel/limits.h"

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
    return FindLeaderboard(context, name);
  }
  const Result<Key*> made = context.keys.Create(name);
  if (!made.ok()) {
    ReplyError(context, made.error());
    return nullptr;
  }
  *fresh = true;
  return *made;
}

bool IsOption(std::string_view word) {
  return IsWord(word, "NX") || IsWord(word, "XX") || IsWord(word, "AT") || IsWord(word, "ID") ||
         IsWord(word, "META");
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
    const std::string_view word = arguments[at];
    const bool has_value = at + 1 < arguments.size();
    if (single && (IsWord(word, "NX") || IsWord(word, "XX"))) {
      if (write->condition != Write::If::kAlways) return refuse(kSyntaxError);
      write->condition = IsWord(word, "NX") ? Write::If::kAbsent : Write::If::kPresent;
      ++at;
    } else if (has_value && IsWord(word, "AT") && !write->at) {
      const Result<Stamp> time = base::ParseTime(arguments[at + 1]);
      if (!time.ok()) return refuse(time.error().ToString());
      if (!context.client.may_set_time) return refuse("NOPERM AT needs a token of role write");
      write->at = *time;
      at += 2;
    } else if (has_value && single && IsWord(word, "META") && !write->meta) {
      write->meta = arguments[at + 1];
      at += 2;
    } else if (has_value && IsWord(word, "ID") && !request->id) {
      if (key.board.spec().dedup == 0) return refuse("ERR the board remembers no ids: DEDUP is 0");
      if (arguments[at + 1].empty() || arguments[at + 1].size() > kMaxRequestIdLength) {
        return refuse("LIMIT an id has 1 to 128 bytes");
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
  while (at + count < arguments.size() && !IsOption(arguments[at + count])) ++count;
  return count;
}

std::optional<std::uint64_t> RankOf(const core::Board& board, std::string_view member) {
  const core::Location location = board.entries().Find(core::MemberKey(member));
  if (location == core::kNowhere) return std::nullopt;
  return board.entries().IndexOf(location) + 1;
}

// True if the request has been carried out before, or its id was another's: it is answered then.
bool AnswerRetry(Context& context, Key* key, const RequestId& request, bool single) {
  if (!request.id) return false;
  context.keys.ForgetOldRequests(key);
  core::RememberedRequest first;
  if (!key->requests || !key->requests->Find(*request.id, &first)) return false;
  if (first.arguments != request.arguments) {
    ReplyError(context, {ErrorCode::kReused,
                         "id " + base::Quote(*request.id) + " came with other arguments before"});
    return true;
  }
  std::vector<Verdict> verdicts;
  const bool whole = DecodeVerdicts(first.outcome, &verdicts);
  LAUREL_ASSERT(whole && (!single || verdicts.size() == 1));
  if (!single) context.reply.Array(verdicts.size());
  for (const Verdict& verdict : verdicts) {
    ReplyVerdict(context.reply, key->board.spec(), verdict, /*duplicate=*/true);
  }
  return true;
}

void RememberRequest(Context& context, Target& target, const RequestId& request,
                     const std::vector<Verdict>& verdicts) {
  if (!request.id) return;
  target.Keep();
  context.keys.Remember(target.key(), *request.id, request.arguments, EncodeVerdicts(verdicts));
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
  core::EffectBatch effects;
  Result<Verdict> verdict = core::DecideWrite(key->board, write, context.TakeMoment(), &effects);
  if (!verdict.ok()) return ReplyError(context, verdict.error());
  verdict->previous_rank = RankOf(key->board, write.member);
  target.Apply(effects);
  verdict->rank = effects.empty() ? verdict->previous_rank : RankOf(key->board, write.member);
  ReplyVerdict(context.reply, key->board.spec(), *verdict);
  RememberRequest(context, target, request, {*verdict});
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
  if (AnswerRetry(context, key, request, false)) return;
  std::vector<Write> writes;
  for (std::size_t at = 3; at < end; at += fields + 1) {
    const std::optional<Score> score = TakeScore(context, *key, at + 1, fields);
    if (!score) return;
    Write& write = writes.emplace_back();
    write.member = context.arguments[at];
    write.score = *score;
    write.at = options.at;
  }
  core::EffectBatch effects;
  Result<std::vector<Verdict>> verdicts =
      core::DecideWrites(key->board, writes, context.TakeMoment(writes.size()), &effects);
  if (!verdicts.ok()) return ReplyError(context, verdicts.error());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    (*verdicts)[i].previous_rank = RankOf(key->board, writes[i].member);
  }
  target.Apply(effects);
  context.reply.Array(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    (*verdicts)[i].rank = RankOf(key->board, writes[i].member);
    ReplyVerdict(context.reply, key->board.spec(), (*verdicts)[i]);
  }
  RememberRequest(context, target, request, *verdicts);
}

void Meta(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  core::EffectBatch effects;
  const Result<bool> set =
      core::DecideSetMeta(key->board, context.arguments[2], context.arguments[3], &effects);
  if (!set.ok()) return ReplyError(context, set.error());
  context.keys.Apply(key, effects);
  context.reply.Integer(*set ? 1 : 0);
}

void ReplyCount(Context& context, const Result<std::uint64_t>& count, Key* key,
                const core::EffectBatch& effects) {
  if (!count.ok()) return ReplyError(context, count.error());
  context.reply.Integer(static_cast<std::int64_t>(*count));
  context.keys.Apply(key, effects);
}

void Remove(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  core::EffectBatch effects;
  const std::uint64_t removed =
      core::DecideRemove(key->board, context.arguments.subspan(2), &effects);
  ReplyCount(context, removed, key, effects);
}

void Hide(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  core::EffectBatch effects;
  ReplyCount(context, core::DecideHide(key->board, context.arguments.subspan(2), &effects), key,
             effects);
}

void Show(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  core::EffectBatch effects;
  ReplyCount(context, core::DecideShow(key->board, context.arguments.subspan(2), &effects), key,
             effects);
}

void Pop(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
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
  if (key == nullptr) return;
  std::int64_t kept = 0;
  if (!TakeIntegerBetween(context, context.arguments[2], 0, INT64_MAX, kMustBePositive, &kept)) {
    return;
  }
  core::EffectBatch effects;
  ReplyCount(
      context,
      core::DecideRemoveRange(key->board, static_cast<std::uint64_t>(kept), UINT64_MAX, &effects),
      key, effects);
}

void Clear(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  const std::uint64_t cleared = key->board.entries().size() + key->board.hidden_entries();
  context.keys.Delete(context.arguments[1]);
  context.reply.Integer(static_cast<std::int64_t>(cleared));
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
