// EntrySource: the entries of a board of a target, to compare with a draft.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "transfer/draft/draft.h"

namespace laurel::transfer {

// Used by one thread.
class EntrySource {
 public:
  virtual ~EntrySource() = default;
  // Reads the next visible entry of the board or instance, best first. False at the end. The views
  // are valid until the next call.
  virtual Result<bool> Next(BoardEntry* entry) = 0;
};

// A board of a target. Used by one thread.
class TargetBoard {
 public:
  virtual ~TargetBoard() = default;
  // Returns the visible entries, best first. `instance` is empty for a board without periods.
  virtual Result<std::unique_ptr<EntrySource>> Entries(std::string_view instance) = 0;
  // Returns the entry of a member, visible or hidden; none if there is none. The views are valid
  // until the next call.
  virtual Result<std::optional<BoardEntry>> Find(std::string_view instance,
                                                 std::string_view member) = 0;
};

}  // namespace laurel::transfer
