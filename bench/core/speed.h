// Speed of the core: single operations and batches, Laurel compared with pb_ds.
#pragma once

#include <cstdint>

#include "bench/core/workload.h"
#include "bench/report.h"

namespace laurel::bench {

struct SpeedOptions {
  std::uint64_t operations = 1'000'000;  // per repeat, at most; fewer on small boards
  int repeats = 5;
};

// Prints one row of the growth table: nanoseconds per operation, one by one.
void PrintGrowthHeader();
void PrintGrowthRow(Distribution distribution, std::uint64_t entries, const SpeedOptions& options);

// Adds update_NAME and rank_NAME (batches of 32), and both with _single, in millions of operations
// per second, for uniform scores and 18-byte members. Returns the nanoseconds of our batched
// update.
double MeasureAgainstPbDs(const char* name, std::uint64_t entries, const SpeedOptions& options,
                          Report* report);

// Returns the longest single insert while a board grows to `entries`, in milliseconds.
double SlowestInsert(std::uint64_t entries);

}  // namespace laurel::bench
