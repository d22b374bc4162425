// The lb part of the server group: the server's cost of an LB.* request, compared with the
// sorted-set command that does the same work on the same leaderboard.
//
// The seasons group measures the cost of periods and request ids in the engine alone, with its log
// and without a network.
#pragma once

#include <cstdint>

#include "bench/report.h"
#include "bench/server/contest.h"

namespace laurel::bench {

struct LbOptions {
  std::uint64_t members = 0;
  int client_threads = 0;  // of redis-benchmark
  ContestOptions contest;
};

// Declares and fills its leaderboards on `server`, which must be a Laurel, and measures. REQUIRES:
// the server has no boards of these names yet.
void MeasureLbCommands(const Target& server, const LbOptions& options, Report* report);

}  // namespace laurel::bench
