// Rename: derives the names of boards from the names of keys, as --rename says.
#pragma once

#include <string>
#include <string_view>

#include "laurel/result.h"

namespace laurel::transfer {

// With "rank:*=lb-*", a name that matches the pattern becomes the replacement, whose star stands
// for the text that the pattern's star matched. Other names do not change. "rank=lb" renames one
// board.
class Rename {
 public:
  // Renames nothing.
  Rename() = default;
  // ERR unless the text has one '=', and both sides have one star or both have none.
  static Result<Rename> Parse(std::string_view text);

  [[nodiscard]] std::string Apply(std::string_view name) const;

 private:
  bool renames_ = false;
  bool has_star_ = false;
  // The parts before and after the star, or the whole name and nothing.
  std::string prefix_;
  std::string suffix_;
  std::string new_prefix_;
  std::string new_suffix_;
};

}  // namespace laurel::transfer
