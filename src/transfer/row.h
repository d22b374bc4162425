// Row: one entry on its way between a board and a file or another server.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "laurel/stamp.h"

namespace laurel::transfer {

// What a source says of one entry. A reader checks the form of a row only: the table of rows parses
// the numbers by the board's spec. Views are valid until the next call of the reader.
struct Row {
  std::string_view member;
  // Number texts, exact, one per field of the spec. Empty, with `hidden`: a mark on a member that
  // has no entry.
  std::span<const std::string_view> values;
  std::optional<Stamp> at;  // when the score was reached
  std::string_view meta;
  bool hidden = false;
  // The instance of a board with periods, "day:2026-11-15". Empty for a board without.
  std::string_view instance;
  std::uint64_t line = 0;  // 1-based line of a file where the row begins; 0 if there are no lines
};

// What a board knows of time besides the stamps of its entries. 0: nothing.
struct BoardTimes {
  Stamp last_stamp = 0;  // the highest stamp that it has given
  Stamp written_at = 0;  // of its last write, from which EXPIRE counts
  Stamp turned_at = 0;   // its calendar has advanced to this time
};

}  // namespace laurel::transfer
