// Commands on keys: DEL, EXISTS, SCAN, RENAME, …
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "engine/commands/handlers.h"
#include "engine/commands/scanning.h"
#include "engine/limits.h"

namespace laurel::engine {
namespace {

void Del(Context& context) {
  for (const std::string_view name : context.arguments.subspan(1)) {
    if (RefusesInstance(context, name)) return;
  }
  std::int64_t deleted = 0;
  for (const std::string_view name : context.arguments.subspan(1)) {
    deleted += context.keys.Delete(name) ? 1 : 0;
  }
  context.reply.Integer(deleted);
}

// EXISTS and TOUCH: a name given twice counts twice.
void CountExisting(Context& context) {
  if (!TakeReturned(context, context.arguments.size() - 1)) return;
  std::int64_t existing = 0;
  for (const std::string_view name : context.arguments.subspan(1)) {
    existing += context.keys.FindExisting(name) != nullptr ? 1 : 0;
  }
  context.reply.Integer(existing);
}

void Type(Context& context) {
  context.reply.Simple(context.keys.FindExisting(context.arguments[1]) != nullptr ? "zset"
                                                                                  : "none");
}

void Get(Context& context) {
  if (context.keys.FindExisting(context.arguments[1]) != nullptr) {
    return context.reply.Error(kWrongTypeError);
  }
  context.reply.Null();
}

// Filters the names that a listing shows: existing ones that match the command's pattern and that
// the client may access.
class ShownNames {
 public:
  ShownNames(const Context& context, base::Glob pattern)
      : context_(context), pattern_(std::move(pattern)) {}

  [[nodiscard]] bool Has(const NamedBoard& named) const {
    return named.exists() && !context_.keys.IsExpired(named) &&
           MatchesIn(context_, pattern_, named.name) &&
           context_.keys.MayTouch(context_.client, named.name);
  }

 private:
  const Context& context_;
  base::Glob pattern_;
};

void ReplyNames(Context& context, const std::vector<std::string_view>& names) {
  context.reply.Array(names.size());
  for (const std::string_view name : names) context.reply.Bulk(name);
}

void Keys(Context& context) {
  std::optional<base::Glob> pattern = TakePattern(context, context.arguments[1]);
  if (!pattern || !TakeWork(context, context.keys.boards())) return;
  const ShownNames shown(context, std::move(*pattern));
  std::vector<std::string_view> names;
  context.keys.Scan(0, SIZE_MAX, [&](const NamedBoard& named) {
    if (shown.Has(named)) names.emplace_back(named.name);
  });
  ReplyNames(context, names);
}

void Scan(Context& context) {
  std::uint64_t cursor = 0;
  if (!TakeCursor(context, context.arguments[1], &cursor)) return;
  ScanOptions options;
  if (!TakeScanOptions(context, 2, &options)) return;
  if (!TakeReturned(context, std::min(options.count, context.keys.boards()))) return;
  const bool any = options.type.empty() || IsWord(options.type, "ZSET");
  const ShownNames shown(context, std::move(options.pattern));
  std::vector<std::string_view> names;
  const std::uint64_t next = context.keys.Scan(cursor, options.count, [&](const NamedBoard& named) {
    if (any && shown.Has(named)) names.emplace_back(named.name);
  });
  context.reply.Array(2);
  context.reply.Bulk(std::to_string(next));
  ReplyNames(context, names);
}

void RandomKey(Context& context) {
  constexpr std::size_t kLookedAt = 64;
  const ShownNames shown(context, base::Glob("*"));
  const std::uint64_t start = context.random.Next() >> (64 - NameTable::kCursorBits);
  // Scans from a random cursor to the end, then from the beginning.
  for (const std::uint64_t from : {start, std::uint64_t{0}}) {
    std::uint64_t cursor = from;
    do {
      // The scan may pass many names that are empty or that the client may not access.
      if (!TakeWork(context, std::min(kLookedAt, context.keys.boards()))) return;
      std::string_view found;
      cursor = context.keys.Scan(cursor, kLookedAt, [&](const NamedBoard& named) {
        if (found.data() == nullptr && shown.Has(named)) found = named.name;
      });
      if (found.data() != nullptr) return context.reply.Bulk(found);
    } while (cursor != 0);
  }
  context.reply.Null();
}

void DbSize(Context& context) {
  const Access& access = context.client.access;
  if (!TakeReturned(context, context.keys.BoardsToCount(access))) return;
  const auto counted = context.keys.CountBoards(access);
  if (counted) return context.reply.Integer(static_cast<std::int64_t>(counted->existing));
  context.reply.Error("LIMIT there are more than " + std::to_string(kMaxCountedBoards) +
                      " boards: count those of a token's pattern with SCAN");
}

void Flush(Context& context) {
  const auto arguments = context.arguments;
  if (arguments.size() > 2 ||
      (arguments.size() == 2 && !IsWord(arguments[1], "ASYNC") && !IsWord(arguments[1], "SYNC"))) {
    return context.reply.Error(kSyntaxError);
  }
  context.keys.Flush();
  context.reply.Ok();
}

// Replies an error and returns true if one of the two names is a board with periods or an instance.
bool RefusesToMove(Context& context, std::string_view from, std::string_view to) {
  for (const std::string_view name : {from, to}) {
    if (RefusesInstance(context, name)) return true;
    const NamedBoard* named = context.keys.Find(name);
    if (named == nullptr || !named->has_periods()) continue;
    context.reply.Error("ERR " + base::Quote(name) + " has periods: such a board keeps its name");
    return true;
  }
  return false;
}

// Whether the board may be renamed or copied to the name. Replies the error if not.
bool MayMove(Context& context, const NamedBoard& from, std::string_view to) {
  const Status named = CheckName(to, from.spec());
  if (!named.ok()) return Refuse(context, named.error());
  const NamedBoard* there = context.keys.Find(to);
  if (there != nullptr && there->is_leaderboard() && !from.is_leaderboard()) {
    return Refuse(context,
                  "WRONGTYPE " + base::Quote(to) +
                      " is a leaderboard: a sorted set there would end its declaration, which "
                      "LB.DROP does");
  }
  return true;
}

void Rename(Context& context) {
  const bool unless_exists = context.command.id == wire::CommandId::kRenameNx;
  const std::string_view to = context.arguments[2];
  if (RefusesToMove(context, context.arguments[1], to)) return;
  NamedBoard* from = context.keys.FindExisting(context.arguments[1]);
  if (from == nullptr) return context.reply.Error(kNoSuchKey);
  if (unless_exists && context.keys.FindExisting(to) != nullptr) return context.reply.Integer(0);
  if (!MayMove(context, *from, to)) return;
  context.keys.Rename(from, to);
  unless_exists ? context.reply.Integer(1) : context.reply.Ok();
}

// Parses COPY's options. Replies the error and returns false if they are invalid.
bool TakeCopyOptions(Context& context, bool* replace) {
  const auto arguments = context.arguments;
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    if (IsWord(arguments[i], "REPLACE")) {
      *replace = true;
    } else if (IsWord(arguments[i], "DB") && i + 1 < arguments.size()) {
      std::int64_t index = 0;
      if (!TakeInteger(context, arguments[++i], &index)) return false;
      if (index < INT32_MIN || index > INT32_MAX) return Refuse(context, wire::kNotInt32);
      if (index != 0) return Refuse(context, wire::kNoSuchDatabase);
    } else {
      return Refuse(context, kSyntaxError);
    }
  }
  return true;
}

void Copy(Context& context) {
  bool replace = false;
  if (!TakeCopyOptions(context, &replace)) return;
  const std::string_view to = context.arguments[2];
  if (context.arguments[1] == to) {
    return context.reply.Error("ERR source and destination objects are the same");
  }
  if (RefusesToMove(context, context.arguments[1], to)) return;
  const NamedBoard* from = context.keys.FindExisting(context.arguments[1]);
  if (from == nullptr) return context.reply.Integer(0);
  if (!replace && context.keys.FindExisting(to) != nullptr) return context.reply.Integer(0);
  if (!MayMove(context, *from, to)) return;
  context.keys.Copy(*from, to);
  context.reply.Integer(1);
}

// The encoding that Redis would report for a sorted set with these entries.
std::string_view EncodingOf(const core::Standings& standings) {
  constexpr std::uint64_t kListpackEntries = 128;
  constexpr std::size_t kListpackMemberBytes = 64;
  if (standings.entries().size() > kListpackEntries) return "skiplist";
  bool small = true;
  standings.entries().ForRange(0, standings.entries().size(), false,
                               [&](const core::EntryView& view) {
                                 small = view.member.size() <= kListpackMemberBytes;
                                 return small;
                               });
  return small ? "listpack" : "skiplist";
}

void Object(Context& context) {
  if (context.keys.FindExisting(context.arguments[2]) == nullptr) return context.reply.Null();
  const Keyspace::View shown = context.keys.ViewOf(context.arguments[2]);
  switch (context.command.id) {
    case wire::CommandId::kObjectEncoding:
      return context.reply.Bulk(EncodingOf(*shown.standings));
    case wire::CommandId::kObjectRefCount:
      return context.reply.Integer(1);
    case wire::CommandId::kObjectIdleTime:
      return context.reply.Integer(0);
    default:
      return context.reply.Error(
          "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note "
          "that when switching between policies at runtime LRU and LFU data will take some time to "
          "adjust.");
  }
}

void MemoryUsage(Context& context) {
  const auto arguments = context.arguments;
  for (std::size_t i = 3; i < arguments.size(); i += 2) {
    if (!IsWord(arguments[i], "SAMPLES") || i + 1 == arguments.size()) {
      return context.reply.Error(kSyntaxError);
    }
    std::int64_t samples = 0;
    if (!TakeInteger(context, arguments[i + 1], &samples)) return;
    if (samples < 0) return context.reply.Error(kSyntaxError);
  }
  const NamedBoard* named = context.keys.FindExisting(arguments[2]);
  if (named == nullptr) return context.reply.Null();
  const Keyspace::View shown = context.keys.ViewOf(arguments[2]);
  const bool of_instances = !shown.instance && named->has_periods();
  if (of_instances && !TakeReturned(context, named->board.instances().size())) return;
  const std::size_t bytes =
      shown.instance ? shown.standings->MemoryUsage() : named->board.MemoryUsage();
  context.reply.Integer(static_cast<std::int64_t>(sizeof(NamedBoard) + named->name.size() + bytes));
}

}  // namespace

void RegisterKeys(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kDel, Del);
  Register(table, CommandId::kUnlink, Del);
  Register(table, CommandId::kExists, CountExisting);
  Register(table, CommandId::kTouch, CountExisting);
  Register(table, CommandId::kType, Type);
  Register(table, CommandId::kGet, Get);
  Register(table, CommandId::kKeys, Keys);
  Register(table, CommandId::kScan, Scan);
  Register(table, CommandId::kRandomKey, RandomKey);
  Register(table, CommandId::kDbSize, DbSize);
  Register(table, CommandId::kFlushDb, Flush);
  Register(table, CommandId::kFlushAll, Flush);
  Register(table, CommandId::kRename, Rename);
  Register(table, CommandId::kRenameNx, Rename);
  Register(table, CommandId::kCopy, Copy);
  Register(table, CommandId::kObjectEncoding, Object);
  Register(table, CommandId::kObjectFreq, Object);
  Register(table, CommandId::kObjectIdleTime, Object);
  Register(table, CommandId::kObjectRefCount, Object);
  Register(table, CommandId::kMemoryUsage, MemoryUsage);
}

}  // namespace laurel::engine
