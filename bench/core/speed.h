// Speed of the core: single operations and batches, ours beside pb_ds.
#pragma once

#include <cstdint>

#include "bench/core/workload.h"
#include "bench/report.h"

namespace laurel::bench {

struct SpeedOptions {
  std::uint64_t operations = 1'000'000;  // per repeat, at most; fewer on small boards
  int repeats = 5;
};

// One row of the growth table: nanoseconds per operation, one by one.
void PrintGrowthHeader();
void PrintGrowthRow(Distribution distribution, std::uint64_t entries, const SpeedOptions& options);

// update_NAME, rank_NAME (batches of 32) and the same with _single: uniform scores, 18-byte
// members, millions of operations per second. Returns our update's nanoseconds, in batches.
double MeasureAgainstPbDs(const char* name, std::uint64_t entries, const SpeedOptions& options,
                          Report* report);

// The longest single insert while a board grows to `entries`, in milliseconds.
double SlowestInsert(std::uint64_t entries);

}  // namespace laurel::bench
