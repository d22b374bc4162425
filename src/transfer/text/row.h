// Row: one entry in transfer between a board and a file or another server.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "laurel/stamp.h"

namespace laurel::transfer {

// An entry as a source describes it. A reader checks only the form of a row; the draft parses the
// numbers by the board's spec. Views are valid until the next call of the reader.
struct Row {
  std::string_view member;
  // Exact number texts, one per field of the spec. Empty, with `hidden`: a mark on a member without
  // an entry.
  std::span<const std::string_view> values;
  std::optional<Stamp> at;  // when the score was reached
  std::string_view meta;
  bool hidden = false;
  // The instance of a board with periods, "day:2026-11-15". Empty for a board without.
  std::string_view instance;
  std::uint64_t line = 0;  // 1-based line of a file where the row begins; 0 if there are no lines
};

// The times of a board besides the stamps of its entries. 0: unknown.
struct BoardTimes {
  Stamp last_stamp = 0;  // the highest stamp that the board has given
  Stamp written_at = 0;  // time of its last write, from which EXPIRE counts
  Stamp turned_at = 0;   // time to which its calendar has advanced
};

}  // namespace laurel::transfer
