// LB.GET, LB.TOP and the other reads of leaderboards.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "core/reads.h"
#include "engine/embedded/handlers.h"
#include "engine/embedded/leaderboards.h"
#include "engine/limits.h"
#include "laurel/limits.h"

namespace laurel::engine {
namespace {

void Get(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  ReadOptions options;
  if (!TakeReadOptions(context, 3, &options)) return;
  const std::optional<Entry> entry = core::Get(key->board, context.arguments[2], options.kind);
  if (!entry) return context.reply.Null();
  ReplyEntry(context.reply, key->board.spec(), *entry, options, 1);
  context.reply.Bulk("count");
  context.reply.Integer(static_cast<std::int64_t>(key->board.entries().size()));
}

void Top(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  std::int64_t count = 0;
  if (!TakeIntegerBetween(context, context.arguments[2], 0, INT64_MAX, kMustBePositive, &count)) {
    return;
  }
  ReadOptions options;
  if (!TakeReadOptions(context, 3, &options)) return;
  ReplyPage(context, key->board, {0, static_cast<std::uint64_t>(count)}, false, options);
}

void Range(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (!TakeInteger(context, context.arguments[2], &first)) return;
  if (!TakeInteger(context, context.arguments[3], &last)) return;
  ReadOptions options;
  if (!TakeReadOptions(context, 4, &options)) return;
  const Result<core::IndexRange> range = core::BetweenRanks(key->board, first, last);
  if (!range.ok()) return ReplyError(context, range.error());
  ReplyPage(context, key->board, *range, false, options);
}

void Around(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  std::int64_t radius = 0;
  if (!TakeIntegerBetween(context, context.arguments[3], 0, INT64_MAX, kMustBePositive, &radius)) {
    return;
  }
  ReadOptions options;
  if (!TakeReadOptions(context, 4, &options)) return;
  const std::optional<core::IndexRange> range =
      core::Around(key->board, context.arguments[2], static_cast<std::uint64_t>(radius));
  if (!range) return context.reply.NullArray();
  ReplyPage(context, key->board, *range, false, options);
}

void ReplyAmong(wire::Reply& reply, const Spec& spec, const AmongEntry& line,
                const ReadOptions& options) {
  if (line.entry) {
    ReplyEntry(reply, spec, *line.entry, options, 1);
  } else {
    reply.Map(options.with_meta ? 6 : 5);
    reply.Bulk("rank");
    reply.Null();
    reply.Bulk("member");
    reply.Bulk(line.member);
    for (const std::string_view name : {"score", "stamp"}) {
      reply.Bulk(name);
      reply.Null();
    }
    if (options.with_meta) {
      reply.Bulk("meta");
      reply.Null();
    }
  }
  reply.Bulk("place");
  line.place ? reply.Integer(static_cast<std::int64_t>(*line.place)) : reply.Null();
}

void Among(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  std::int64_t count = 0;
  if (!TakeIntegerBetween(context, context.arguments[2], 0, INT64_MAX, kMustBePositive, &count)) {
    return;
  }
  if (count > kMaxAmong) {
    return context.reply.Error("LIMIT LB.AMONG takes at most " + std::to_string(kMaxAmong) +
                               " members");
  }
  const std::size_t given = context.arguments.size() - 3;
  if (static_cast<std::uint64_t>(count) > given) {
    return context.reply.Error("ERR " + std::to_string(count) + " members are announced, " +
                               std::to_string(given) + " given");
  }
  ReadOptions options;
  if (!TakeReadOptions(context, 3 + static_cast<std::size_t>(count), &options)) return;
  const std::vector<AmongEntry> lines = core::Among(
      key->board, context.arguments.subspan(3, static_cast<std::size_t>(count)), options.kind);
  const std::size_t start = context.reply.size();
  context.reply.Array(lines.size());
  for (const AmongEntry& line : lines) {
    ReplyAmong(context.reply, key->board.spec(), line, options);
    if (!WithinReplyLimit(context, start)) return;
  }
}

void RankOf(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  std::size_t end = 2;
  while (end < context.arguments.size() && !IsWord(context.arguments[end], "KIND")) ++end;
  const std::optional<Score> score = TakeScore(context, *key, 2, end - 2);
  if (!score) return;
  ReadOptions options;
  if (!TakeReadOptions(context, end, &options)) return;
  const auto rank = core::RankOf(key->board, *score, options.kind);
  if (!rank.ok()) return ReplyError(context, rank.error());
  *rank ? context.reply.Integer(static_cast<std::int64_t>(**rank)) : context.reply.Null();
}

// The entries between the bounds of arguments 2 and 3, low before high.
std::optional<core::IndexRange> TakeBounds(Context& context, const Key& key) {
  const Spec& spec = key.board.spec();
  const Result<ScoreBound> low = ParseBound(spec, context.arguments[2], BoundSide::kMin);
  const Result<ScoreBound> high = ParseBound(spec, context.arguments[3], BoundSide::kMax);
  if (low.ok() && high.ok()) return core::Between(key.board, *low, *high);
  ReplyError(context, low.ok() ? high.error() : low.error());
  return std::nullopt;
}

void Count(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  const std::optional<core::IndexRange> range = TakeBounds(context, *key);
  if (range) context.reply.Integer(static_cast<std::int64_t>(range->count));
}

void Between(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  std::int64_t offset = 0;
  std::int64_t limit = INT64_MAX;
  ReadOptions options;
  for (std::size_t at = 4; at < context.arguments.size();) {
    if (at + 2 < context.arguments.size() && IsWord(context.arguments[at], "LIMIT")) {
      if (!TakeIntegerBetween(context, context.arguments[at + 1], 0, INT64_MAX, kMustBePositive,
                              &offset) ||
          !TakeIntegerBetween(context, context.arguments[at + 2], 0, INT64_MAX, kMustBePositive,
                              &limit)) {
        return;
      }
      at += 3;
    } else if (!TakeReadOption(context.arguments, &at, &options)) {
      return context.reply.Error(kSyntaxError);
    }
  }
  const std::optional<core::IndexRange> range = TakeBounds(context, *key);
  if (!range) return;
  const std::uint64_t skipped = std::min(static_cast<std::uint64_t>(offset), range->count);
  const std::uint64_t count = std::min(static_cast<std::uint64_t>(limit), range->count - skipped);
  ReplyPage(context, key->board, {range->first + skipped, count}, false, options);
}

void Size(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  context.reply.Integer(static_cast<std::int64_t>(key->board.entries().size()));
}

void Percentile(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  const auto percentile = core::PercentileOf(key->board, context.arguments[2]);
  if (!percentile) return context.reply.Null();
  const auto integer = [&](std::string_view name, std::uint64_t value) {
    context.reply.Bulk(name);
    context.reply.Integer(static_cast<std::int64_t>(value));
  };
  context.reply.Map(4);
  context.reply.Bulk("percentile");
  context.reply.Double(FormatNumber(static_cast<std::int64_t>(percentile->ten_thousandths), 4));
  integer("worse", percentile->worse);
  integer("equal", percentile->equal);
  integer("count", percentile->count);
}

void Quantile(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  const Result<std::int64_t> percent = ParseNumber(context.arguments[2], 9);
  if (!percent.ok()) return context.reply.Error("ERR a quantile lies between 0 and 100");
  const Result<std::optional<Score>> score = core::Quantile(key->board, *percent);
  if (!score.ok()) return ReplyError(context, score.error());
  if (!*score) return context.reply.NullArray();
  ReplyScore(context.reply, key->board.spec(), **score);
}

void Histogram(Context& context) {
  const Key* key = FindShownLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  std::int64_t buckets = 0;
  if (!TakeIntegerBetween(context, context.arguments[2], 1, kMaxHistogramBuckets,
                          "ERR a histogram has 1 to 1000 buckets", &buckets)) {
    return;
  }
  const auto histogram = core::Histogram(key->board, static_cast<std::uint64_t>(buckets));
  if (!histogram.ok()) return ReplyError(context, histogram.error());
  const int decimals = key->board.spec().fields[0].decimals;
  context.reply.Array(histogram->size());
  for (const HistogramBucket& bucket : *histogram) {
    context.reply.Map(3);
    context.reply.Bulk("from");
    context.reply.Bulk(FormatNumber(bucket.from, decimals));
    context.reply.Bulk("to");
    context.reply.Bulk(FormatNumber(bucket.to, decimals));
    context.reply.Bulk("count");
    context.reply.Integer(static_cast<std::int64_t>(bucket.count));
  }
}

}  // namespace

void RegisterLeaderboardReads(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kLbGet, Get);
  Register(table, CommandId::kLbTop, Top);
  Register(table, CommandId::kLbRange, Range);
  Register(table, CommandId::kLbAround, Around);
  Register(table, CommandId::kLbAmong, Among);
  Register(table, CommandId::kLbRankOf, RankOf);
  Register(table, CommandId::kLbCount, Count);
  Register(table, CommandId::kLbBetween, Between);
  Register(table, CommandId::kLbSize, Size);
  Register(table, CommandId::kLbPercentile, Percentile);
  Register(table, CommandId::kLbQuantile, Quantile);
  Register(table, CommandId::kLbHistogram, Histogram);
}

}  // namespace laurel::engine
