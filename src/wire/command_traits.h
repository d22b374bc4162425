// What COMMAND INFO says of a command beyond its row, in Redis' words: flags, ACL categories, and
// what is done with its keys.
#pragma once

#include <string_view>
#include <vector>

#include "wire/command_table.h"

namespace laurel::wire {

std::string_view GroupName(Group group);  // "sorted-set", "generic": as COMMAND DOCS says

// "write", "denyoom", …: in Redis' order. Laurel's own flags have no names.
std::vector<std::string_view> FlagNames(const CommandInfo& command);

// "read", "sortedset", …, without '@', in Redis' order; "leaderboard" is Laurel's own. Clients know
// commands by them; access goes by CommandInfo::role alone.
std::vector<std::string_view> CategoryNames(const CommandInfo& command);

// One place where keys stand, as Redis describes it.
struct KeyPlace {
  int begin = 0;  // index of the first key, or of their count
  int last = 0;   // of the last key, counted from `begin`, or from the end if negative
  int step = 1;
  bool counted = false;                 // a count stands at `begin`, the keys follow it
  std::vector<std::string_view> flags;  // "RW", "update"
};
std::vector<KeyPlace> KeyPlaces(const CommandInfo& command);

}  // namespace laurel::wire
