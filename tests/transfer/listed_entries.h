// The entries of a draft as a list that outlives it.
#pragma once

#include <string>
#include <vector>

#include "laurel/score.h"
#include "laurel/stamp.h"
#include "transfer/draft/board_entries.h"
#include "transfer/draft/draft.h"

namespace laurel::testing {

struct ListedEntry {
  std::string instance;
  std::string member;
  Score score;
  Stamp stamp = 0;
  std::string meta;
  bool hidden = false;
};

// In the order of Draft::ForEach.
inline std::vector<ListedEntry> ListEntries(const transfer::Draft& draft) {
  std::vector<ListedEntry> entries;
  transfer::ForEachEntry(draft.board(), [&](const transfer::BoardEntry& entry) {
    entries.push_back({std::string(entry.instance), std::string(entry.member), entry.score,
                       entry.stamp, std::string(entry.meta), entry.hidden});
    return true;
  });
  return entries;
}

}  // namespace laurel::testing
