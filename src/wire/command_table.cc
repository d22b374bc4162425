#include "wire/command_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "base/text.h"
#include "wire/command_rows.h"
#include "wire/error_texts.h"

namespace laurel::wire {
namespace {

// Error texts quote at most this many bytes of client input.
constexpr std::size_t kPreviewBytes = 128;

// A name in lower case, as words that compare and hash without a loop over bytes. Words and size
// determine the name exactly. In a short name the words overlap.
struct FoldedName {
  std::uint64_t head = 0;
  std::uint64_t middle = 0;
  std::uint64_t tail = 0;
  std::uint64_t bytes = 0;

  bool operator==(const FoldedName&) const = default;
};

constexpr std::size_t kMaxNameBytes = 3 * sizeof(std::uint64_t);

// Converts ASCII capitals among eight bytes to lower case; leaves all other bytes unchanged.
std::uint64_t FoldCase(std::uint64_t word) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  const std::uint64_t low_bits = word & (0x7f * kEach);
  // The top bit of each byte is set if the byte is at least 'A'; beyond 'Z'; ASCII.
  const std::uint64_t from_a = low_bits + (0x80 - 'A') * kEach;
  const std::uint64_t beyond_z = low_bits + (0x7f - 'Z') * kEach;
  const std::uint64_t ascii = ~word;
  const std::uint64_t capitals = from_a & ~beyond_z & ascii & (0x80 * kEach);
  return word | capitals >> 2;
}

// REQUIRES: name.size() <= kMaxNameBytes.
FoldedName Fold(std::string_view name) {
  const auto load = [](const char* from, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    return FoldCase(word);
  };
  const char* begin = name.data();
  const char* end = begin + name.size();
  FoldedName folded;
  folded.bytes = name.size();
  if (name.size() >= 8) {
    folded.head = load(begin, 8);
    folded.tail = load(end - 8, 8);
    if (name.size() > 16) folded.middle = load(begin + 8, 8);
  } else if (name.size() >= 4) {
    folded.head = load(begin, 4);
    folded.tail = load(end - 4, 4);
  } else if (!name.empty()) {
    folded.head = load(begin, 1);
    folded.middle = load(begin + name.size() / 2, 1);
    folded.tail = load(end - 1, 1);
  }
  return folded;
}

std::size_t HashOf(const FoldedName& name) {
  return base::FoldMultiply(name.head ^ 0x9e3779b97f4a7c15,
                            (name.tail ^ std::rotl(name.middle, 32)) + 0xd1b54a32d192ed03) +
         name.bytes;
}

// All rows, and an open-addressing hash table from name to row, without subcommands.
class Table {
 public:
  Table() {
    std::size_t next = 0;
    using Rows = std::pair<Group, std::span<const CommandInfo>>;
    for (const auto& [group, part] :
         {Rows(Group::kSortedSet, SortedSetsRows()), Rows(Group::kKeys, KeysRows()),
          Rows(Group::kTransactions, TransactionsRows()),
          Rows(Group::kConnection, ConnectionRows()), Rows(Group::kServer, ServerRows()),
          Rows(Group::kLeaderboard, LeaderboardsRows())}) {
      for (const CommandInfo& row : part) {
        LAUREL_ASSERT(next < rows_.size() && static_cast<std::size_t>(row.id) == next);
        rows_[next] = row;
        rows_[next++].group = group;
      }
    }
    LAUREL_ASSERT(next == rows_.size());
    for (const CommandInfo& row : rows_) {
      if (!IsSubcommand(row)) Insert(row);
    }
  }

  [[nodiscard]] std::span<const CommandInfo> rows() const { return rows_; }

  [[nodiscard]] const CommandInfo* Find(std::string_view name) const {
    if (name.size() > kMaxNameBytes) return nullptr;
    const FoldedName folded = Fold(name);
    for (std::size_t at = HashOf(folded);; ++at) {
      const Slot& slot = slots_[at & (kSlots - 1)];
      if (slot.row == nullptr || slot.name == folded) return slot.row;
    }
  }

 private:
  // At most a quarter full, so a search nearly always ends at its first slot.
  static constexpr std::size_t kSlots = 1024;
  static_assert(std::has_single_bit(kSlots) && kSlots >= 4 * kCommandIds);

  struct Slot {
    FoldedName name;
    const CommandInfo* row = nullptr;
  };

  void Insert(const CommandInfo& row) {
    LAUREL_ASSERT(!row.name.empty() && row.name.size() <= kMaxNameBytes);
    const FoldedName folded = Fold(row.name);
    std::size_t at = HashOf(folded);
    for (; slots_[at & (kSlots - 1)].row != nullptr; ++at) {
      LAUREL_ASSERT(slots_[at & (kSlots - 1)].name != folded);
    }
    slots_[at & (kSlots - 1)] = {folded, &row};
  }

  std::array<CommandInfo, kCommandIds> rows_;
  std::array<Slot, kSlots> slots_;
};

const Table& TheTable() {
  static const Table table;
  return table;
}

// Returns the part of an argument that Redis quotes. Redis prints C strings, so a zero byte ends
// the text.
std::string_view Preview(std::string_view argument, std::size_t max_bytes) {
  argument = argument.substr(0, max_bytes);
  return argument.substr(0, argument.find('\0'));
}

constexpr std::string_view kOwnPrefix = "LB.";

bool IsOwn(std::string_view name) {
  return base::IsWord(name.substr(0, kOwnPrefix.size()), kOwnPrefix);
}

// Words that users of Redis or of other leaderboards try after "LB.", and the corresponding
// commands. Spelling mistakes are not listed, because base::Nearest finds them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kMeant = {{
    {"ADD", "LB.INCR or LB.SUBMIT"},
    {"CARD", "LB.SIZE"},
    {"DEL", "LB.DROP or LB.REMOVE"},
    {"DELETE", "LB.DROP or LB.REMOVE"},
    {"FOLLOW", "LB.CHANGES"},
    {"INCRBY", "LB.INCR"},
    {"INFO", "LB.DESCRIBE"},
    {"LEN", "LB.SIZE"},
    {"MGET", "LB.AMONG"},
    {"MSET", "LB.MSUBMIT"},
    {"NEIGHBORS", "LB.AROUND"},
    {"NEIGHBOURS", "LB.AROUND"},
    {"RANGEBYSCORE", "LB.BETWEEN"},
    {"RANK", "LB.GET"},
    {"REM", "LB.REMOVE"},
    {"RESET", "LB.CLEAR"},
    {"REVRANGE", "LB.RANGE"},
    {"SCORE", "LB.GET"},
    {"SUBSCRIBE", "LB.CHANGES"},
    {"UNHIDE", "LB.SHOW"},
}};

// Returns the LB command that an unknown one was probably meant to be; empty if none is close.
std::string MeantBy(std::string_view name) {
  const std::string_view word = name.substr(kOwnPrefix.size());
  for (const auto& [tried, meant] : kMeant) {
    if (base::IsWord(word, tried)) return std::string(meant);
  }
  // The prefix is removed, because it would make every name look close.
  std::vector<std::string_view> words;
  for (const CommandInfo& row : TheTable().rows()) {
    if (IsOwn(row.name) && !IsSubcommand(row)) words.push_back(row.name.substr(kOwnPrefix.size()));
  }
  const auto nearest = base::Nearest(word, words);
  return nearest ? std::string(kOwnPrefix).append(*nearest) : std::string();
}

std::string UnknownCommand(std::span<const std::string_view> arguments) {
  if (IsOwn(arguments[0])) {
    if (const std::string meant = MeantBy(arguments[0]); !meant.empty()) {
      return "ERR unknown command " + base::Quote(arguments[0]) + "; did you mean " + meant + "?";
    }
  }
  std::string quoted;
  for (const std::string_view argument : arguments.subspan(1)) {
    if (quoted.size() >= kPreviewBytes) break;
    quoted += '\'';
    quoted += Preview(argument, kPreviewBytes - (quoted.size() - 1));
    quoted += "' ";
  }
  std::string error = "ERR unknown command '";
  error += Preview(arguments[0], kPreviewBytes);
  error += "', with args beginning with: ";
  error += quoted;
  return error;
}

std::string UnknownSubcommand(const CommandInfo& container, std::string_view subcommand) {
  std::string error = "ERR unknown subcommand '";
  error += Preview(subcommand, kPreviewBytes);
  if (FindSubcommand(container, "HELP") != nullptr) {
    return error.append("'. Try ").append(container.name).append(" HELP.");
  }
  error.append("'. ").append(container.name).append(" takes");
  for (const CommandInfo& row : SubcommandsOf(container)) {
    error.append(" ").append(row.name.substr(container.name.size() + 1));
  }
  return error.append(".");
}

}  // namespace

std::string_view RoleName(Role role) {
  static constexpr std::string_view kNames[] = {"none", "read", "submit", "write", "admin"};
  return kNames[static_cast<std::size_t>(role)];
}

bool IsSubcommand(const CommandInfo& command) {
  return command.name.find('|') != std::string_view::npos;
}

std::span<const CommandInfo> CommandTable() { return TheTable().rows(); }

const CommandInfo& CommandOf(CommandId id) {
  LAUREL_ASSERT(id < CommandId::kEnd);
  return CommandTable()[static_cast<std::size_t>(id)];
}

const CommandInfo* FindCommand(std::string_view name) { return TheTable().Find(name); }

std::span<const CommandInfo> SubcommandsOf(const CommandInfo& container) {
  if (!container.Has(kContainer)) return {};
  const auto behind = CommandTable().subspan(static_cast<std::size_t>(container.id) + 1);
  const auto end = std::find_if_not(behind.begin(), behind.end(), IsSubcommand);
  return behind.first(static_cast<std::size_t>(end - behind.begin()));
}

const CommandInfo* FindSubcommand(const CommandInfo& container, std::string_view subcommand) {
  LAUREL_ASSERT(container.Has(kContainer));
  for (const CommandInfo& row : SubcommandsOf(container)) {
    if (row.id == CommandId::kClusterOther) return &row;
    if (base::IsWord(row.name.substr(container.name.size() + 1), subcommand)) return &row;
  }
  return nullptr;
}

Lookup LookUp(std::span<const std::string_view> arguments) {
  LAUREL_ASSERT(!arguments.empty());
  const CommandInfo* command = FindCommand(arguments[0]);
  if (command == nullptr) return {.error = UnknownCommand(arguments)};
  if (command->Has(kContainer) && arguments.size() > 1) {
    const CommandInfo* subcommand = FindSubcommand(*command, arguments[1]);
    if (subcommand == nullptr) return {.error = UnknownSubcommand(*command, arguments[1])};
    command = subcommand;
  }
  if (!command->AcceptsCount(arguments.size())) {
    return {.error = WrongArity(*command, arguments), .refused = command};
  }
  return {.command = command};
}

bool KeysOf(const CommandInfo& command, std::span<const std::string_view> arguments,
            std::vector<std::string_view>* keys) {
  LAUREL_ASSERT(command.AcceptsCount(arguments.size()));
  keys->clear();
  const KeySpec& spec = command.keys;
  const auto count = static_cast<std::ptrdiff_t>(arguments.size());
  if (spec.first > 0) {
    const std::ptrdiff_t last = spec.last < 0 ? count + spec.last : spec.last;
    for (std::ptrdiff_t at = spec.first; at <= last; at += spec.step) {
      keys->push_back(arguments[static_cast<std::size_t>(at)]);
    }
  }
  if (spec.numkeys == 0) return true;
  const auto counter = static_cast<std::size_t>(spec.numkeys);
  const std::string_view text = arguments[counter];
  std::size_t further = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), further);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  if (further == 0 && !command.Has(kNoMandatoryKeys)) return false;
  if (further > arguments.size() - counter - 1) return false;
  const auto following = arguments.subspan(counter + 1, further);
  keys->insert(keys->end(), following.begin(), following.end());
  return true;
}

std::string LowerName(const CommandInfo& command) { return base::Lower(command.name); }

std::string UsageOf(const CommandInfo& command) {
  std::string usage(command.name);
  if (const std::size_t bar = usage.find('|'); bar != std::string::npos) usage[bar] = ' ';
  if (command.id == CommandId::kClusterOther) usage = "CLUSTER subcommand";
  if (!command.syntax.empty()) usage.append(" ").append(command.syntax);
  return usage;
}

std::string WrongArity(const CommandInfo& command, std::span<const std::string_view> arguments) {
  if (command.syntax.starts_with("board n member") && arguments.size() > 2 &&
      LacksCount(arguments[2])) {
    return MissingCount(arguments.first(2), 0, arguments.subspan(2)).ToString();
  }
  const std::string error =
      "ERR wrong number of arguments for '" + LowerName(command) + "' command";
  return IsOwn(command.name) ? error + ": " + UsageOf(command) : error;
}

}  // namespace laurel::wire
