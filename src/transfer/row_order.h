// Puts the cells of a RowTable in order.
//
// Comparing two cells costs two cache misses. So each cell gets a key of 96 bits, made of the bits
// in which the cells differ: of the instance, of the words of the score from left to right, and of
// the time. A radix sort orders the keys. Cells with equal keys are then compared themselves:
// mostly those that are equal in score and time.
//
// Takes 32 bytes per cell while it runs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/store/score_key.h"
#include "laurel/spec.h"
#include "transfer/row_cells.h"

namespace laurel::transfer {

// The order in which the source shows rows that are equal in value and time.
enum class EqualRows : std::uint8_t {
  kAsAdded,           // as a file does
  kMemberDescending,  // as ZREVRANGE does; ZSCAN adds them in any order
  kMemberAscending,   // as ZRANGE does, for a board on which less is better
};

struct RowOrder {
  // Where equal scores stand by time: kFirst, kLast, or kMember, which leaves the time out.
  Tie tie = Tie::kFirst;
  // Of cells that are still equal; kAsAdded is the order of the sequence numbers. Under kMember
  // they are always in the ascending order of the members.
  EqualRows equals = EqualRows::kAsAdded;
};

// Returns the handles of all cells that are not dead, by instance, then best first. `count`: how
// many these are. `words`: fields of the board. REQUIRES: no two cells of one instance have the
// same member or the same sequence number.
std::vector<Handle> SortCells(const RowCells& cells, std::size_t count, unsigned words,
                              const RowOrder& order);

}  // namespace laurel::transfer
