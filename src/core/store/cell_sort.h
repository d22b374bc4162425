// Sorting many cells by their keys, for bulk load.
//
// Comparing two cells costs two cache misses. So each cell gets a 64-bit number made of its key
// (the bits of the first two order words in which the cells differ), and a radix sort orders the
// numbers. That is nearly always the final order. Cells with equal numbers, usually of one score
// where the member decides, are then sorted among themselves, by the eight bytes that follow the
// common prefix of their members.
//
// Takes 32 bytes per cell while it runs.
#pragma once

#include <vector>

#include "core/store/cell_store.h"

namespace laurel::core {

// Sorts the handles by words, then by member. REQUIRES: no two cells have the same words and
// member.
void SortCells(const CellStore& store, std::vector<Handle>* cells);

}  // namespace laurel::core
