// Threads that submit to one board of an engine, each as soon as its previous write is
// acknowledged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/engine.h"

namespace laurel::bench {

struct WriteFigures {
  double writes_per_second = 0;
  double p50_us = 0;
  double p99_us = 0;
};

// Submits random scores (LB.SUBMIT) for random members below `members`, one request per pipeline.
// Each call needs its own seed, because an equal score would be `unchanged`, which writes nothing
// and does not wait for the disk. Throws Failure if a write is not `accepted`.
WriteFigures MeasureWrites(engine::Engine* engine, const std::string& board, std::uint64_t members,
                           std::size_t threads, double seconds, std::uint64_t seed);

}  // namespace laurel::bench
