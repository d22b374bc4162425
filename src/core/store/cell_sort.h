// Sorting many cells by their keys, for bulk load.
//
// A comparison that looks at two cells is two cache misses, so cells are not compared but
// numbers made of their keys: as much of the first two order words as differs at all, in 64 bits,
// sorted digit by digit. That is nearly always the order already. Cells that share such a number,
// those of one score where the member decides, are sorted among themselves, by the eight bytes of
// their members behind what all of them begin with.
//
// 32 bytes per cell while it runs.
#pragma once

#include <vector>

#include "core/store/cell_store.h"

namespace laurel::core {

// REQUIRES: no two of them have the same words and member.
void SortCells(const CellStore& store, std::vector<Handle>* cells);

}  // namespace laurel::core
