// ZRANGE, ZREVRANGE, their BYSCORE and BYLEX forms, and ZRANGESTORE. All share one parser; the
// entries go to a reply or to a new sorted set.
#include <optional>
#include <utility>
#include <vector>

#include "core/commands.h"
#include "engine/commands/handlers.h"
#include "engine/commands/ranges.h"
#include "engine/commands/stored_results.h"

namespace laurel::engine {
namespace {

enum class By : std::uint8_t { kAny, kRank, kScore, kLex };  // kAny: the options decide
enum class Order : std::uint8_t { kAny, kForward, kReverse };

struct RangeOptions {
  By by = By::kRank;
  bool reverse = false;
  bool scores = false;
  std::int64_t offset = 0;
  std::int64_t limit = -1;
};

// Parses the options from argument `first` on. `stores`: WITHSCORES is refused.
bool TakeRangeOptions(Context& context, std::size_t first, By by, Order order, bool stores,
                      RangeOptions* options) {
  const auto arguments = context.arguments;
  for (std::size_t i = first; i < arguments.size(); ++i) {
    const std::size_t left = arguments.size() - i - 1;
    if (!stores && IsWord(arguments[i], "WITHSCORES")) {
      options->scores = true;
    } else if (IsWord(arguments[i], "LIMIT") && left >= 2) {
      if (!TakeInteger(context, arguments[i + 1], &options->offset)) return false;
      if (!TakeInteger(context, arguments[i + 2], &options->limit)) return false;
      i += 2;
    } else if (order == Order::kAny && IsWord(arguments[i], "REV")) {
      order = Order::kReverse;
    } else if (by == By::kAny && IsWord(arguments[i], "BYLEX")) {
      by = By::kLex;
    } else if (by == By::kAny && IsWord(arguments[i], "BYSCORE")) {
      by = By::kScore;
    } else {
      return Refuse(context, kSyntaxError);
    }
  }
  options->reverse = order == Order::kReverse;
  options->by = by == By::kAny ? By::kRank : by;
  std::string_view error;
  if (options->limit != -1 && options->by == By::kRank) {
    error = "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX";
  } else if (options->scores && options->by == By::kLex) {
    error = "ERR syntax error, WITHSCORES not supported in combination with BYLEX";
  }
  if (error.empty()) return true;
  return Refuse(context, error);
}

// Parses the range between arguments `at` and `at` + 1; an empty range if `board` is null.
// REQUIRES: `options` was filled by TakeRangeOptions.
std::optional<OrderedRange> TakeRange(Context& context, const core::Standings* standings,
                                      std::size_t at, const RangeOptions& options) {
  std::string_view low = context.arguments[at];
  std::string_view high = context.arguments[at + 1];
  if (options.by == By::kRank) {
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (!TakeInteger(context, low, &first)) return std::nullopt;
    if (!TakeInteger(context, high, &last)) return std::nullopt;
    return standings != nullptr ? RankRange(*standings, first, last, options.reverse)
                                : OrderedRange{};
  }
  if (options.reverse) std::swap(low, high);
  const std::optional<core::IndexRange> range = options.by == By::kScore
                                                    ? TakeScoreRange(context, standings, low, high)
                                                    : TakeLexRange(context, standings, low, high);
  if (!range) return std::nullopt;
  return standings != nullptr
             ? Walk(*standings, *range, options.reverse, options.offset, options.limit)
             : OrderedRange{};
}

void ReplyRange(Context& context, const core::Standings& standings, const OrderedRange& range,
                bool scores) {
  if (!TakeReturned(context, range.count)) return;
  const std::size_t start = context.reply.size();
  const bool nested = scores && context.reply.resp3();
  context.reply.Array(scores && !nested ? range.count * 2 : range.count);
  if (range.count == 0) return;
  standings.entries().ForRange(range.first, range.count, range.backward,
                               [&](const core::EntryView& view) {
                                 if (nested) context.reply.Array(2);
                                 context.reply.Bulk(view.member);
                                 if (scores) ReplyNumber(context.reply, standings, view.words[0]);
                                 return WithinReplyLimit(context, start);
                               });
}

void Range(Context& context, By by, Order order) {
  RangeOptions options;
  if (!TakeRangeOptions(context, 4, by, order, false, &options)) return;
  const core::Standings* standings = context.keys.ViewForRead(context.arguments[1]).standings;
  const std::optional<OrderedRange> range = TakeRange(context, standings, 2, options);
  if (!range) return;
  if (standings == nullptr) return context.reply.Array(0);
  ReplyRange(context, *standings, *range, options.scores);
}

void ZRangeStore(Context& context) {
  RangeOptions options;
  if (!TakeRangeOptions(context, 5, By::kAny, Order::kAny, true, &options)) return;
  const core::Standings* source = context.keys.ViewOf(context.arguments[2]).standings;
  const std::optional<OrderedRange> range = TakeRange(context, source, 3, options);
  if (!range || !TakeWork(context, range->count)) return;
  std::vector<StoredEntry> entries;
  if (source != nullptr && range->count > 0) {
    entries.reserve(range->count);
    source->entries().ForRange(
        range->first, range->count, range->backward, [&](const core::EntryView& view) {
          entries.push_back({std::string(view.member), NumberAsDouble(*source, view.words[0])});
          return true;
        });
  }
  StoreResult(context, context.arguments[1], std::move(entries));
}

}  // namespace

void RegisterSortedSetRanges(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kZRange,
           [](Context& context) { Range(context, By::kAny, Order::kAny); });
  Register(table, CommandId::kZRevRange,
           [](Context& context) { Range(context, By::kRank, Order::kReverse); });
  Register(table, CommandId::kZRangeByScore,
           [](Context& context) { Range(context, By::kScore, Order::kForward); });
  Register(table, CommandId::kZRevRangeByScore,
           [](Context& context) { Range(context, By::kScore, Order::kReverse); });
  Register(table, CommandId::kZRangeByLex,
           [](Context& context) { Range(context, By::kLex, Order::kForward); });
  Register(table, CommandId::kZRevRangeByLex,
           [](Context& context) { Range(context, By::kLex, Order::kReverse); });
  Register(table, CommandId::kZRangeStore, ZRangeStore);
}

}  // namespace laurel::engine
