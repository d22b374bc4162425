// Sorting many records by their keys, for bulk load.
//
// A comparison that looks at two records is two cache misses, so records are not compared but
// numbers made of their keys: as much of the first two order words as differs at all, in 64 bits,
// sorted digit by digit. That is nearly always the order already. Records that share such a number,
// those of one score where the member decides, are sorted among themselves, by the eight bytes of
// their members behind what all of them begin with.
//
// 32 bytes per record while it runs.
#pragma once

#include <vector>

#include "core/store/record_store.h"

namespace laurel::core {

// REQUIRES: no two of them have the same words and member.
void SortRecords(const RecordStore& store, std::vector<Handle>* records);

}  // namespace laurel::core
