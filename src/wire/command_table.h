// The only table of commands. Dispatch, arity, keys, access checks, COMMAND and its subcommands,
// the reference page and the fuzzer's dictionary are derived from it.
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

// The role that a command requires. Each role includes those before it.
enum class Role : std::uint8_t {
  kNone,    // no authentication needed: AUTH, HELLO, QUIT, RESET
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
  kBlocking = 1U << 7,  // may block; is the last request of its pipeline
  kLoading = 1U << 8,   // answered while data is being loaded
  kStale = 1U << 9,
  kNoScript = 1U << 10,
  kMovableKeys = 1U << 11,
  kContainer = 1U << 12,  // takes a subcommand, which has its own row "NAME|SUBCOMMAND"
  kLocal = 1U << 13,      // answered by the connection, without the engine
  kSkipMonitor = 1U << 14,
  kSkipSlowLog = 1U << 15,
  // Sent with a lower role, the command only compares: the engine changes nothing, and answers
  // NOPERM unless there is nothing to change.
  kComparesBelowRole = 1U << 19,
  // Flags that are shown in COMMAND INFO, without effect on execution.
  kNoAsyncLoading = 1U << 16,
  kNoMandatoryKeys = 1U << 17,  // may have no keys; GETKEYS then accepts a malformed key count
  kAllowBusy = 1U << 18,
};

// The positions of the keys in a request.
struct KeySpec {
  std::int16_t first = 0;  // index of the first key, 0 for none
  std::int16_t last = 0;   // index of the last key; negative counts from the end
  std::int16_t step = 0;
  std::int16_t numkeys = 0;  // index of a count of further keys, which follow the count; or 0
};

struct CommandInfo {
  CommandId id = CommandId::kEnd;
  std::string_view name;  // "ZADD", "CLIENT|SETNAME"
  int arity = 0;          // n: exactly n arguments, name included; -n: at least n
  std::uint32_t flags = 0;
  KeySpec keys;
  Role role = Role::kRead;
  std::string_view syntax;       // the text after the name: "key [NX|XX] [GT|LT] …"
  std::string_view summary;      // one sentence
  std::string_view complexity;   // "O(log n)"
  Group group = Group::kServer;  // the table sets it, see command_rows.h

  [[nodiscard]] bool Has(CommandFlag flag) const { return (flags & flag) != 0; }
  // Whether the engine executes the command, and not the connection or a subcommand.
  [[nodiscard]] bool IsForEngine() const { return !Has(kLocal) && !Has(kContainer); }
  [[nodiscard]] bool AcceptsCount(std::size_t arguments) const {
    const auto count = static_cast<std::int64_t>(arguments);
    return arity >= 0 ? count == arity : count >= -arity;
  }
};

// All rows, in the order of CommandId. A container's subcommands follow it directly.
std::span<const CommandInfo> CommandTable();
const CommandInfo& CommandOf(CommandId id);

bool IsSubcommand(const CommandInfo& command);  // "CLIENT|SETNAME"
// The rows "NAME|…" of a container; empty for any other command.
std::span<const CommandInfo> SubcommandsOf(const CommandInfo& container);

// Finds a command by its name, ignoring case; null if there is none. Does not find subcommands: see
// FindSubcommand.
const CommandInfo* FindCommand(std::string_view name);
// The row "NAME|SUBCOMMAND"; null if there is none. REQUIRES: container.Has(kContainer).
const CommandInfo* FindSubcommand(const CommandInfo& container, std::string_view subcommand);

// Finds the row of the command that a request runs, or an error text without '-': unknown command,
// unknown subcommand, wrong number of arguments. The texts are those of Redis; for LB commands they
// also contain the usage, or the command that was probably meant. REQUIRES: arguments is not empty.
struct Lookup {
  const CommandInfo* command = nullptr;
  std::string error{};                   // set if command is null
  const CommandInfo* refused = nullptr;  // the command with a wrong number of arguments
};
Lookup LookUp(std::span<const std::string_view> arguments);

// Sets *keys to the keys of a request, as COMMAND GETKEYS lists them. REQUIRES: the number of
// arguments fits the command's arity. Returns false if the request is malformed: a key count that
// is not a number, below 1 (0 is valid with kNoMandatoryKeys) or too large. *keys then has the keys
// before the count.
bool KeysOf(const CommandInfo& command, std::span<const std::string_view> arguments,
            std::vector<std::string_view>* keys);

// Returns the name in error messages and in COMMAND: "zadd", "client|setname".
std::string LowerName(const CommandInfo& command);
// Returns the usage of a command: "CLIENT SETNAME connection-name".
std::string UsageOf(const CommandInfo& command);
// Returns the error for a wrong number of arguments. If they lack the count of a list, it says so.
std::string WrongArity(const CommandInfo& command, std::span<const std::string_view> arguments);

// Properties of a command that COMMAND INFO shows and that are derived from its row, in Redis'
// terms (command_traits.cc): flags, ACL categories, and how the command uses its keys.

std::string_view GroupName(Group group);  // as in COMMAND DOCS: "sorted-set", "generic"

// Returns flags such as "write" and "denyoom" in Redis' order. Laurel's own flags have no names.
std::vector<std::string_view> FlagNames(const CommandInfo& command);

// Returns categories such as "read" and "sortedset", without '@', in Redis' order; "leaderboard" is
// Laurel's own. They are only shown to clients; access checks use CommandInfo::role.
std::vector<std::string_view> CategoryNames(const CommandInfo& command);

// One key spec of COMMAND INFO.
struct KeyPlace {
  int begin = 0;  // index of the first key, or of the key count
  int last = 0;   // index of the last key: relative to `begin`, or to the end if negative
  int step = 1;
  bool counted = false;                 // there is a key count at `begin`, and the keys follow it
  std::vector<std::string_view> flags;  // "RW", "update"
};
std::vector<KeyPlace> KeyPlaces(const CommandInfo& command);

}  // namespace laurel::wire
