// Properties of a command that COMMAND INFO shows and that are derived from its row, in Redis'
// terms: flags, ACL categories, and how the command uses its keys.
#pragma once

#include <string_view>
#include <vector>

#include "wire/command_table.h"

namespace laurel::wire {

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
