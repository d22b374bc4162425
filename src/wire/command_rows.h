// The rows of the command table, one span per group, in the files command_rows_*.cc.
// command_table.cc concatenates them and sets their groups; the result is in the order of
// CommandId.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wire/command_table.h"

namespace laurel::wire {

// The positions of the keys: "first" is argument 1; "counted n" means that argument n is the number
// of keys, which follow it.
inline constexpr KeySpec kNoKeys = {};
inline constexpr KeySpec kFirst = {.first = 1, .last = 1, .step = 1, .numkeys = 0};
inline constexpr KeySpec kFirstTwo = {.first = 1, .last = 2, .step = 1, .numkeys = 0};
inline constexpr KeySpec kAll = {.first = 1, .last = -1, .step = 1, .numkeys = 0};
inline constexpr KeySpec kAllButLast = {.first = 1, .last = -2, .step = 1, .numkeys = 0};
inline constexpr KeySpec kSecond = {.first = 2, .last = 2, .step = 1, .numkeys = 0};
inline constexpr KeySpec kCounted1 = {.first = 0, .last = 0, .step = 0, .numkeys = 1};
inline constexpr KeySpec kCounted2 = {.first = 0, .last = 0, .step = 0, .numkeys = 2};
inline constexpr KeySpec kFirstAndCounted2 = {.first = 1, .last = 1, .step = 1, .numkeys = 2};

// The flags of commands that the connection answers, also while the data is being loaded.
inline constexpr std::uint32_t kHere = kLoading | kStale | kLocal;
inline constexpr std::uint32_t kAdminHere = kAdminFlag | kNoScript | kHere;

// The row "NAME|HELP" of a container.
constexpr CommandInfo HelpRow(CommandId id, std::string_view name, std::string_view summary) {
  return {id, name, 2, kHere, kNoKeys, Role::kRead, "", summary, "O(1)"};
}

std::span<const CommandInfo> SortedSetsRows();
std::span<const CommandInfo> KeysRows();
std::span<const CommandInfo> TransactionsRows();
std::span<const CommandInfo> ConnectionRows();
std::span<const CommandInfo> ServerRows();
std::span<const CommandInfo> LeaderboardsRows();

}  // namespace laurel::wire
