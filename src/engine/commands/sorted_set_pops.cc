// ZPOPMIN, ZPOPMAX, ZMPOP, and the blocking BZPOPMIN, BZPOPMAX, BZMPOP.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "engine/commands/handlers.h"
#include "engine/commands/ranges.h"
#include "engine/limits.h"
#include "leaderboard/no_answer.h"

namespace laurel::engine {
namespace {

enum class Shape : std::uint8_t {
  kFlat,    // member, score, member, score …
  kNested,  // [member, score] …
};

// Where the reply of a pop begins and how large it may become. A pop whose reply would be larger
// removes nothing.
struct ReplyRoom {
  std::size_t start;
  std::size_t bytes;
};

// Removes the entries of the range from the sorted set, leaderboard or instance.
void RemoveAt(Keyspace* keys, const Keyspace::View& view, core::IndexRange range) {
  leaderboard::NoAnswer answer;
  keys->Execute(view.named, leaderboard::RemoveRange{range.first, range.count, view.instance},
                view.named->name, 0, &answer);
}

// Replies `count` entries from one end and removes them. The caller has written the array header
// that they belong to.
void Pop(Keyspace* keys, const Keyspace::View& view, bool lowest, std::uint64_t count, Shape shape,
         ReplyRoom room, wire::Reply* reply) {
  const core::Standings& standings = *view.standings;
  const OrderedRange range =
      Walk(standings, {0, standings.entries().size()}, !lowest, 0,
           static_cast<std::int64_t>(std::min<std::uint64_t>(count, standings.entries().size())));
  standings.entries().ForRange(range.first, range.count, range.backward,
                               [&](const core::EntryView& entry) {
                                 if (shape == Shape::kNested) reply->Array(2);
                                 reply->Bulk(entry.member);
                                 ReplyNumber(*reply, standings, entry.words[0]);
                                 return reply->size() - room.start <= room.bytes;
                               });
  if (!WithinReplyLimit(*reply, room.start, room.bytes)) return;
  RemoveAt(keys, view, range.ToIndexes());
}

void ZPop(Context& context, bool lowest) {
  const auto arguments = context.arguments;
  if (arguments.size() > 3) return context.reply.Error(kSyntaxError);
  std::int64_t count = 1;
  const bool counted = arguments.size() == 3;
  if (counted &&
      !TakeIntegerBetween(context, arguments[2], 0, INT64_MAX, kMustBePositive, &count)) {
    return;
  }
  if (RefusesPeriods(context, arguments[1])) return;
  const Keyspace::View view = context.keys.ViewOf(arguments[1]);
  if (!view.exists() || count == 0) return context.reply.Array(0);
  const auto popped = std::min(static_cast<std::uint64_t>(count), view.standings->entries().size());
  const bool nested = counted && context.reply.resp3();
  const ReplyRoom room{context.reply.size(), context.max_reply_bytes};
  context.reply.Array(nested ? popped : popped * 2);
  Pop(&context.keys, view, lowest, popped, nested ? Shape::kNested : Shape::kFlat, room,
      &context.reply);
}

// Parses "numkeys key … MIN|MAX [COUNT n]" from argument `at` on.
bool TakeMultiPop(Context& context, std::size_t at, PopRequest* request) {
  const auto arguments = context.arguments;
  std::int64_t keys = 0;
  if (!TakeIntegerBetween(context, arguments[at], 1, INT64_MAX,
                          "ERR numkeys should be greater than 0", &keys)) {
    return false;
  }
  if (static_cast<std::uint64_t>(keys) >= arguments.size() - at - 1) {
    return Refuse(context, kSyntaxError);
  }
  for (std::int64_t i = 0; i < keys; ++i) request->names.emplace_back(arguments[++at]);
  const std::string_view where = arguments[++at];
  if (!IsWord(where, "MIN") && !IsWord(where, "MAX")) return Refuse(context, kSyntaxError);
  request->lowest = IsWord(where, "MIN");
  for (++at; at < arguments.size(); at += 2) {
    if (request->count != -1 || !IsWord(arguments[at], "COUNT") || at + 1 == arguments.size()) {
      return Refuse(context, kSyntaxError);
    }
    if (!TakeIntegerBetween(context, arguments[at + 1], 1, INT64_MAX,
                            "ERR count should be greater than 0", &request->count)) {
      return false;
    }
  }
  if (request->count == -1) request->count = 1;
  return true;
}

// Replies an error and returns true if one of the names is the bare name of a board with periods.
bool RefusesPeriods(Context& context, const PopRequest& request) {
  return std::any_of(request.names.begin(), request.names.end(),
                     [&](const std::string& name) { return RefusesPeriods(context, name); });
}

// Pops from the first name that has entries. Returns false if none has.
bool PopFirst(Context& context, const PopRequest& request) {
  for (const std::string& name : request.names) {
    const Keyspace::View view = context.keys.ViewOf(name);
    if (!view.exists()) continue;
    PopForReply(&context.keys, view, name, request, context.max_reply_bytes, &context.reply);
    return true;
  }
  return false;
}

void ZMPop(Context& context) {
  PopRequest request;
  if (!TakeMultiPop(context, 1, &request) || RefusesPeriods(context, request)) return;
  if (!PopFirst(context, request)) context.reply.NullArray();
}

// Parses a timeout in seconds, with a fraction, to milliseconds; 0: no timeout.
bool TakeTimeout(Context& context, std::string_view argument, std::int64_t* timeout_ms) {
  // A long double, as in Redis, so that values such as -0.001 s round as in Redis.
  const std::string text(argument);
  char* end = nullptr;
  errno = 0;
  const long double seconds = std::strtold(text.c_str(), &end);
  const bool blank_first = text.empty() || std::isspace(static_cast<unsigned char>(text[0])) != 0;
  const bool out_of_range = errno == ERANGE && (std::isinf(seconds) || seconds == 0);
  if (blank_first || end != text.c_str() + text.size() || out_of_range || std::isnan(seconds)) {
    return Refuse(context, "ERR timeout is not a float or out of range");
  }
  const long double ms = std::ceil(seconds * 1000);
  if (ms < 0 || ms >= 0x1p63L) {
    context.reply.Error("ERR timeout is negative");  // Redis' text for too long timeouts, too
    return false;
  }
  *timeout_ms = static_cast<std::int64_t>(ms);
  return true;
}

void PopOrWait(Context& context, PopRequest request, std::int64_t timeout_ms) {
  if (RefusesPeriods(context, request) || PopFirst(context, request)) return;
  if (context.pipeline == nullptr) return context.reply.NullArray();
  if (request.names.size() > kMaxAwaitedNames) {
    return context.reply.Error("LIMIT a pop waits for at most " + std::to_string(kMaxAwaitedNames) +
                               " names");
  }
  for (const std::string& name : request.names) {
    if (context.keys.OwnerOf(name) != name) request.instances.push_back(name);
  }
  context.waiting.Add(context.pipeline, context.reply, std::move(request));
  context.pipeline->Blocked(DeadlineOf(context.now, timeout_ms));
}

void BZPop(Context& context, bool lowest) {
  std::int64_t timeout_ms = 0;
  if (!TakeTimeout(context, context.arguments.back(), &timeout_ms)) return;
  PopRequest request;
  request.lowest = lowest;
  for (const std::string_view name : context.arguments.subspan(1, context.arguments.size() - 2)) {
    request.names.emplace_back(name);
  }
  PopOrWait(context, std::move(request), timeout_ms);
}

void BZMPop(Context& context) {
  PopRequest request;
  if (!TakeMultiPop(context, 2, &request)) return;
  std::int64_t timeout_ms = 0;
  if (!TakeTimeout(context, context.arguments[1], &timeout_ms)) return;
  PopOrWait(context, std::move(request), timeout_ms);
}

}  // namespace

void PopForReply(Keyspace* keys, const Keyspace::View& view, std::string_view name,
                 const PopRequest& request, std::size_t max_reply_bytes, wire::Reply* reply) {
  const ReplyRoom room{reply->size(), max_reply_bytes};
  const bool single = request.count == -1;
  reply->Array(single ? 3 : 2);
  reply->Bulk(name);
  if (single) return Pop(keys, view, request.lowest, 1, Shape::kFlat, room, reply);
  const auto popped =
      std::min(static_cast<std::uint64_t>(request.count), view.standings->entries().size());
  reply->Array(popped);
  Pop(keys, view, request.lowest, popped, Shape::kNested, room, reply);
}

void RegisterSortedSetPops(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kZPopMin, [](Context& context) { ZPop(context, true); });
  Register(table, CommandId::kZPopMax, [](Context& context) { ZPop(context, false); });
  Register(table, CommandId::kZMPop, ZMPop);
  Register(table, CommandId::kBZPopMin, [](Context& context) { BZPop(context, true); });
  Register(table, CommandId::kBZPopMax, [](Context& context) { BZPop(context, false); });
  Register(table, CommandId::kBZMPop, BZMPop);
}

}  // namespace laurel::engine
