// Verify: compares a board of the target with the table that was written to it, and two tables of
// one source with each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "transfer/entry_source.h"
#include "transfer/row_table.h"

namespace laurel::transfer {

// How many differences, ties and changes a report describes.
inline constexpr std::size_t kMaxShown = 10;

struct VerifyReport {
  std::uint64_t expected = 0;         // visible entries that the board should hold
  std::uint64_t found = 0;            // visible entries of the board
  std::uint64_t missing = 0;          // of the table, not on the board
  std::uint64_t different = 0;        // other score, stamp or meta
  std::uint64_t misplaced = 0;        // as in the table, but at another place among its entries
  std::uint64_t extra = 0;            // on the board, not in the table
  std::vector<std::string> examples;  // a line for each of the first differences

  [[nodiscard]] bool equal() const {
    return missing == 0 && different == 0 && misplaced == 0 && extra == 0;
  }
  [[nodiscard]] std::uint64_t differences() const {
    return missing + different + misplaced + extra;
  }
};

// Compares the board with the table: members, scores, stamps, meta and order. Hidden entries are
// looked up one by one; marks on members without an entry are not compared. A capped board is
// expected to hold the best entries of the table up to its cap. REQUIRES: no client writes the
// board meanwhile.
Result<VerifyReport> Verify(const RowTable& table, const Spec& spec, TargetBoard* board);

// Entries that are equal in score and tick: the source had lost which of them was first, and their
// order is the one the source shows. Describes the first kMaxShown groups.
struct LostTies {
  std::uint64_t entries = 0;
  std::uint64_t groups = 0;
  std::vector<std::string> examples;  // "950: ann, bob and 3 more"
};
// REQUIRES: tick_us is the tick of the table, above 1.
LostTies FindLostTies(const RowTable& table, const Spec& spec, std::int64_t tick_us);

// What has changed in a source between two readings of it.
struct SourceChanges {
  std::vector<std::size_t> written;   // numbers of entries of `now` that are new or differ
  std::vector<std::string> vanished;  // members that `now` does not have
};
// REQUIRES: no member is in two instances of a table, as in a board without periods, or in one
// that an import fills in one period.
SourceChanges FindChanges(const RowTable& before, const RowTable& now);

}  // namespace laurel::transfer
