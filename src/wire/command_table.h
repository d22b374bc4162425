// The one table of commands: dispatch, arity, keys, access, COMMAND and its kin, the reference page
// and the fuzzer's dictionary all come from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"
#include "wire/command_id.h"

namespace laurel::wire {

// Who may run a command; each role may do what those before it may.
enum class Role : std::uint8_t {
  kNone,    // not even authenticated: AUTH, HELLO, QUIT, RESET
  kRead,    // reads
  kSubmit,  // LB.SUBMIT and LB.MSUBMIT without AT
  kWrite,   // every write of entries
  kAdmin,   // boards, templates, keys, the server
};

std::string_view RoleName(Role role);  // "read", "submit", …

enum class Group : std::uint8_t {
  kSortedSet,
  kKeys,
  kTransactions,
  kConnection,
  kServer,
  kLeaderboard,
};

// Bits of CommandInfo::flags; names as in COMMAND INFO.
enum CommandFlag : std::uint32_t {
  kWrite = 1U << 0,
  kReadOnly = 1U << 1,
  kDenyOom = 1U << 2,  // refused beyond --max-memory
  kAdminFlag = 1U << 3,
  kFast = 1U << 4,
  kNoAuth = 1U << 5,    // allowed before AUTH
  kNoMulti = 1U << 6,   // refused between MULTI and EXEC
  kBlocking = 1U << 7,  // may wait; ends the turn of its connection
  kLoading = 1U << 8,   // answered while data is loaded
  kStale = 1U << 9,
  kNoScript = 1U << 10,
  kMovableKeys = 1U << 11,
  kContainer = 1U << 12,  // takes a subcommand, which has its own row "NAME|SUBCOMMAND"
  kLocal = 1U << 13,      // answered by the connection, without the engine
  kSkipMonitor = 1U << 14,
  kSkipSlowLog = 1U << 15,
  // Told to clients in COMMAND INFO, without meaning here.
  kNoAsyncLoading = 1U << 16,
  kNoMandatoryKeys = 1U << 17,  // may have none, even by a broken count
  kAllowBusy = 1U << 18,
};

// Where the keys of a request are.
struct KeySpec {
  std::int16_t first = 0;  // index of the first key, 0 for none
  std::int16_t last = 0;   // of the last one; negative counts from the end
  std::int16_t step = 0;
  std::int16_t numkeys = 0;  // index of the count of further keys, which follow it; or 0
};

struct CommandInfo {
  CommandId id = CommandId::kEnd;
  std::string_view name;  // "ZADD", "CLIENT|SETNAME"
  int arity = 0;          // arguments, name included: exactly n, or at least -n
  std::uint32_t flags = 0;
  KeySpec keys;
  Role role = Role::kRead;
  Group group = Group::kServer;
  std::string_view syntax;      // what follows the name: "key [NX|XX] [GT|LT] …"
  std::string_view summary;     // one sentence
  std::string_view complexity;  // "O(log n)"

  [[nodiscard]] bool Has(CommandFlag flag) const { return (flags & flag) != 0; }
  [[nodiscard]] bool AcceptsCount(std::size_t arguments) const {
    const auto count = static_cast<std::int64_t>(arguments);
    return arity >= 0 ? count == arity : count >= -arity;
  }
};

// All rows, in the order of CommandId. A container's subcommands stand right behind it.
std::span<const CommandInfo> CommandTable();
const CommandInfo& CommandOf(CommandId id);

bool IsSubcommand(const CommandInfo& command);  // "CLIENT|SETNAME"
// The rows "NAME|…" of a container; none for another command.
std::span<const CommandInfo> SubcommandsOf(const CommandInfo& container);

// By name in any case; null if there is none. A container's subcommand is found by its second
// argument, see FindSubcommand.
const CommandInfo* FindCommand(std::string_view name);
// The row "NAME|SUBCOMMAND". Null if there is none. REQUIRES: container.Has(kContainer).
const CommandInfo* FindSubcommand(const CommandInfo& container, std::string_view subcommand);

// The row that a request runs, or the error text Redis gives (without '-'): unknown command or
// subcommand, wrong number of arguments. REQUIRES: arguments is not empty.
struct Lookup {
  const CommandInfo* command = nullptr;
  std::string error;  // if command is null
};
Lookup LookUp(std::span<const std::string_view> arguments);

// Sets *keys to the keys a request names, as COMMAND GETKEYS finds them. REQUIRES: the command's
// arity holds. False if the request is malformed (a key count that is no number, below 1 or too
// large; 0 is fine with kNoMandatoryKeys); *keys then has what stands before the count.
bool KeysOf(const CommandInfo& command, std::span<const std::string_view> arguments,
            std::vector<std::string_view>* keys);

// "zadd", "client|setname": as error messages and COMMAND print it.
std::string LowerName(const CommandInfo& command);

}  // namespace laurel::wire
