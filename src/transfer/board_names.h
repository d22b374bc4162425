// Rename: the names of boards from the names of keys, as --rename gives them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"

namespace laurel::transfer {

// "rank:*=lb-*": a name that matches the pattern becomes the replacement, in which the star stands
// for what the pattern's star has matched. Other names stay. "rank=lb" renames one board.
class Rename {
 public:
  // Changes no name.
  Rename() = default;
  // ERR unless both sides have one star, or both none, and the text one '='.
  static Result<Rename> Parse(std::string_view text);

  [[nodiscard]] std::string Apply(std::string_view name) const;

 private:
  enum class Kind : std::uint8_t { kNone, kName, kPattern };

  Kind kind_ = Kind::kNone;
  std::string prefix_;
  std::string suffix_;
  std::string new_prefix_;
  std::string new_suffix_;
};

}  // namespace laurel::transfer
