#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "wire/command_table.h"

namespace laurel::wire {
namespace {

using Id = CommandId;
using Names = std::vector<std::string_view>;

constexpr std::array<std::pair<CommandFlag, std::string_view>, 17> kFlagNames = {{
    {kWrite, "write"},
    {kReadOnly, "readonly"},
    {kDenyOom, "denyoom"},
    {kAdminFlag, "admin"},
    {kNoScript, "noscript"},
    {kBlocking, "blocking"},
    {kLoading, "loading"},
    {kStale, "stale"},
    {kSkipMonitor, "skip_monitor"},
    {kSkipSlowLog, "skip_slowlog"},
    {kFast, "fast"},
    {kNoAuth, "no_auth"},
    {kNoMandatoryKeys, "no_mandatory_keys"},
    {kNoAsyncLoading, "no_async_loading"},
    {kNoMulti, "no_multi"},
    {kMovableKeys, "movablekeys"},
    {kAllowBusy, "allow_busy"},
}};

// Whether Redis puts the command into the category scripting, which follows neither from flags nor
// from groups.
bool IsScripting(Id id) { return id > Id::kFunction && id <= Id::kFCallRo && id != Id::kScript; }

bool IsKeyspace(const CommandInfo& command) {
  if (command.group != Group::kKeys || command.Has(kContainer)) return false;
  return command.id != Id::kGet && (command.id < Id::kMemory || command.id > Id::kMemoryHelp);
}

bool IsConnection(const CommandInfo& command) {
  if (command.id == Id::kWait || command.id == Id::kReadOnly || command.id == Id::kReadWrite) {
    return true;
  }
  if (command.id >= Id::kCommand && command.id <= Id::kCommandHelp) return true;
  return command.group == Group::kConnection && !command.Has(kContainer);
}

bool IsAdministrative(const CommandInfo& command) {
  return command.Has(kAdminFlag) || command.id == Id::kLastSave || command.id == Id::kRole;
}

bool IsDangerous(const CommandInfo& command) {
  return command.id == Id::kKeys || command.id == Id::kFlushDb || command.id == Id::kFlushAll ||
         command.id == Id::kInfo || IsAdministrative(command);
}

// The flags of a command's first key spec and, if there is one, of the second.
struct KeyUses {
  Names first;
  Names second;
};

KeyUses UsesOfKeys(const CommandInfo& command) {
  switch (command.id) {
    case Id::kZCard:
    case Id::kExists:
    case Id::kType:
    case Id::kTouch:
    case Id::kObjectEncoding:
    case Id::kObjectFreq:
    case Id::kObjectIdleTime:
    case Id::kObjectRefCount:
    case Id::kMemoryUsage:
    case Id::kWatch:
    case Id::kLbDescribe:
    case Id::kLbSize:
      return {{"RO"}, {}};
    case Id::kZRangeStore:
    case Id::kZUnionStore:
    case Id::kZInterStore:
    case Id::kZDiffStore:
      return {{"OW", "update"}, {"RO", "access"}};
    case Id::kCopy:
      return {{"RO", "access"}, {"OW", "update"}};
    case Id::kRename:
      return {{"RW", "access", "delete"}, {"OW", "update"}};
    case Id::kRenameNx:
      return {{"RW", "access", "delete"}, {"OW", "insert"}};
    case Id::kZRem:
    case Id::kZRemRangeByRank:
    case Id::kZRemRangeByScore:
    case Id::kZRemRangeByLex:
    case Id::kLbRemove:
    case Id::kLbTrim:
    case Id::kLbClear:
      return {{"RW", "delete"}, {}};
    case Id::kZPopMin:
    case Id::kZPopMax:
    case Id::kZMPop:
    case Id::kBZPopMin:
    case Id::kBZPopMax:
    case Id::kBZMPop:
    case Id::kLbPop:
      return {{"RW", "access", "delete"}, {}};
    case Id::kDel:
    case Id::kUnlink:
    case Id::kLbDrop:
      return {{"RM", "delete"}, {}};
    case Id::kZIncrBy:
    case Id::kLbSubmit:
    case Id::kLbSet:
    case Id::kLbIncr:
    case Id::kLbMSubmit:
    case Id::kEval:
    case Id::kEvalSha:
    case Id::kFCall:
      return {{"RW", "access", "update"}, {}};
    default:
      if (command.Has(kWrite)) return {{"RW", "update"}, {}};
      return {{"RO", "access"}, {}};
  }
}

}  // namespace

std::string_view GroupName(Group group) {
  static constexpr std::string_view kNames[] = {"sorted-set", "generic", "transactions",
                                                "connection", "server",  "leaderboard"};
  return kNames[static_cast<std::size_t>(group)];
}

Names FlagNames(const CommandInfo& command) {
  Names names;
  for (const auto& [flag, name] : kFlagNames) {
    if (command.Has(flag)) names.push_back(name);
  }
  return names;
}

Names CategoryNames(const CommandInfo& command) {
  Names names;
  const auto add_if = [&names](bool belongs, std::string_view name) {
    if (belongs) names.push_back(name);
  };
  add_if(IsKeyspace(command), "keyspace");
  add_if(command.Has(kReadOnly) && !IsScripting(command.id), "read");
  add_if(command.Has(kWrite), "write");
  add_if(command.group == Group::kSortedSet, "sortedset");
  add_if(command.id == Id::kGet, "string");
  add_if(IsAdministrative(command), "admin");
  names.push_back(command.Has(kFast) ? "fast" : "slow");
  add_if(command.Has(kBlocking), "blocking");
  add_if(IsDangerous(command), "dangerous");
  add_if(IsConnection(command), "connection");
  add_if(command.group == Group::kTransactions, "transaction");
  add_if(IsScripting(command.id), "scripting");
  add_if(command.group == Group::kLeaderboard, "leaderboard");
  return names;
}

std::vector<KeyPlace> KeyPlaces(const CommandInfo& command) {
  const KeySpec& spec = command.keys;
  const KeyUses uses = UsesOfKeys(command);
  std::vector<KeyPlace> places;
  if (spec.first > 0 && spec.last > spec.first) {
    // A command that uses its two keys differently has one key spec for each.
    LAUREL_ASSERT(spec.last == spec.first + 1 && !uses.second.empty());
    places.push_back({spec.first, 0, 1, false, uses.first});
    places.push_back({spec.last, 0, 1, false, uses.second});
  } else if (spec.first > 0) {
    const int last = spec.last < 0 ? spec.last : 0;
    places.push_back({spec.first, last, spec.step, false, uses.first});
  }
  if (spec.numkeys > 0) {
    places.push_back({spec.numkeys, 0, 1, true, places.empty() ? uses.first : uses.second});
  }
  return places;
}

}  // namespace laurel::wire
