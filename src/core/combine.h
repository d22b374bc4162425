// How one write changes one entry: policies, operators, conditions and stamps (rules 5 to 7).
#pragma once

#include <string_view>

#include "core/store/environment.h"
#include "core/store/score_key.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// A member's entry before a write.
struct Present {
  bool exists = false;
  bool hidden = false;
  Words words{};
  std::string_view meta{};
};

// The member's entry after the write.
struct Combined {
  WriteStatus status = WriteStatus::kUnchanged;
  bool exists = false;
  bool changed = false;
  Words words{};
  std::string_view meta{};
};

// Computes the entry after `write`. The write's AT, if given, takes precedence over `stamp`.
// Returns OVERFLOW if a field would leave its range, ERR if a double would become NaN.
// REQUIRES: the write has as many values as the board has fields.
Result<Combined> Combine(const BoardType& type, const Present& before, const Write& write,
                         Stamp stamp);

}  // namespace laurel::core
