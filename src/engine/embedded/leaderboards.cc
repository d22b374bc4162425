#include "engine/embedded/leaderboards.h"

#include <algorithm>

#include "base/text.h"

namespace laurel::engine {
namespace {

void ReplyRank(wire::Reply& reply, const std::optional<std::uint64_t>& rank) {
  rank ? reply.Integer(static_cast<std::int64_t>(*rank)) : reply.Null();
}

void ReplyScoreOrNull(wire::Reply& reply, const Spec& spec, const std::optional<Score>& score) {
  score ? ReplyScore(reply, spec, *score) : reply.Null();
}

}  // namespace

Error SortedSetError(const Key& key) {
  return {ErrorCode::kWrongType,
          base::Quote(key.name) + " is a sorted set: LB.CREATE … ADOPT makes it a leaderboard"};
}

Key* FindLeaderboard(Context& context, std::string_view name) {
  Key* key = context.keys.Find(name);
  if (key == nullptr) {
    ReplyError(context, {ErrorCode::kNoBoard, "no leaderboard " + base::Quote(name)});
    return nullptr;
  }
  if (Keyspace::IsLeaderboard(*key)) return key;
  ReplyError(context, SortedSetError(*key));
  return nullptr;
}

const Key* FindShownLeaderboard(Context& context, std::string_view name) {
  const Key* key = FindLeaderboard(context, name);
  return key != nullptr && key->parent ? context.keys.FindShown(name) : key;
}

Key* FindWholeLeaderboard(Context& context, std::string_view name) {
  if (RefusesInstance(context, name)) return nullptr;
  return FindLeaderboard(context, name);
}

bool TakeReadOption(std::span<const std::string_view> arguments, std::size_t* at,
                    ReadOptions* options) {
  if (*at < arguments.size() && IsWord(arguments[*at], "WITHMETA")) {
    options->with_meta = true;
    ++*at;
    return true;
  }
  if (*at + 1 >= arguments.size() || !IsWord(arguments[*at], "KIND")) return false;
  const std::string_view kind = arguments[*at + 1];
  if (IsWord(kind, "ORDINAL")) {
    options->kind = RankKind::kOrdinal;
  } else if (IsWord(kind, "COMPETITION")) {
    options->kind = RankKind::kCompetition;
  } else if (IsWord(kind, "DENSE")) {
    options->kind = RankKind::kDense;
  } else {
    return false;
  }
  *at += 2;
  return true;
}

bool TakeReadOptions(Context& context, std::size_t at, ReadOptions* options) {
  while (at < context.arguments.size()) {
    if (TakeReadOption(context.arguments, &at, options)) continue;
    context.reply.Error(kSyntaxError);
    return false;
  }
  return true;
}

std::optional<Score> TakeScore(Context& context, const Key& key, std::size_t at,
                               std::size_t count) {
  const Spec& spec = key.board.spec();
  const Result<Score> score = ParseScore(spec, context.arguments.subspan(at, count));
  if (score.ok()) return *score;
  const bool miscounted = count != spec.fields.size();
  ReplyError(context, {score.error().code,
                       (miscounted ? base::Quote(key.name) + " " : "") + score.error().message});
  return std::nullopt;
}

void ReplyScore(wire::Reply& reply, const Spec& spec, const Score& score) {
  const std::vector<std::string> texts = FormatScore(spec, score);
  reply.Array(texts.size());
  for (const std::string& text : texts) reply.Bulk(text);
}

void ReplyEntry(wire::Reply& reply, const Spec& spec, const Entry& entry,
                const ReadOptions& options, std::size_t more) {
  reply.Map(4 + (options.with_meta ? 1 : 0) + more);
  reply.Bulk("rank");
  ReplyRank(reply, entry.rank);
  reply.Bulk("member");
  reply.Bulk(entry.member);
  reply.Bulk("score");
  ReplyScore(reply, spec, entry.score);
  reply.Bulk("stamp");
  reply.Integer(entry.stamp);
  if (!options.with_meta) return;
  reply.Bulk("meta");
  entry.meta.empty() ? reply.Null() : reply.Bulk(entry.meta);
}

bool ReplyPage(Context& context, const core::Board& board, core::IndexRange range, bool backward,
               const ReadOptions& options) {
  constexpr std::uint64_t kSlice = 256;
  const std::uint64_t size = board.entries().size();
  range.first = std::min(range.first, size);
  range.count = std::min(range.count, size - range.first);
  const std::size_t start = context.reply.size();
  context.reply.Array(range.count);
  for (std::uint64_t done = 0; done < range.count;) {
    const std::uint64_t count = std::min(kSlice, range.count - done);
    const std::uint64_t first = range.first + (backward ? range.count - done - count : done);
    std::vector<Entry> slice = core::Page(board, first, count, options.kind);
    if (backward) std::reverse(slice.begin(), slice.end());
    for (const Entry& entry : slice) ReplyEntry(context.reply, board.spec(), entry, options);
    if (!WithinReplyLimit(context, start)) return false;
    done += count;
  }
  return true;
}

namespace {

// `more` further pairs follow, which the caller writes.
void ReplyVerdict(wire::Reply& reply, const Spec& spec, const Verdict& verdict, std::size_t more) {
  reply.Map(6 + (verdict.needs ? 1 : 0) + (verdict.hidden ? 1 : 0) + more);
  reply.Bulk("status");
  reply.Bulk(StatusName(verdict.status));
  reply.Bulk("rank");
  ReplyRank(reply, verdict.rank);
  reply.Bulk("previous_rank");
  ReplyRank(reply, verdict.previous_rank);
  reply.Bulk("score");
  ReplyScoreOrNull(reply, spec, verdict.score);
  reply.Bulk("previous_score");
  ReplyScoreOrNull(reply, spec, verdict.previous_score);
  reply.Bulk("stamp");
  verdict.stamp ? reply.Integer(*verdict.stamp) : reply.Null();
  if (verdict.needs) {
    reply.Bulk("needs");
    ReplyScore(reply, spec, *verdict.needs);
  }
  if (verdict.hidden) {
    reply.Bulk("hidden");
    reply.Bool(true);
  }
}

}  // namespace

void ReplyVerdict(wire::Reply& reply, const Spec& spec, std::span<const Verdict> verdicts,
                  bool duplicate) {
  ReplyVerdict(reply, spec, verdicts[0], (duplicate ? 1 : 0) + (verdicts.size() > 1 ? 1 : 0));
  if (duplicate) {
    reply.Bulk("duplicate");
    reply.Bool(true);
  }
  if (verdicts.size() == 1) return;
  reply.Bulk("periods");
  reply.Map(verdicts.size() - 1);
  for (std::size_t i = 1; i < verdicts.size(); ++i) {
    reply.Bulk(PeriodName(spec.periods[i]));
    ReplyVerdict(reply, spec, verdicts[i], std::size_t{0});
  }
}

}  // namespace laurel::engine
