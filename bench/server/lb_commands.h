// The lb part of the server group: what a request of LB.* costs the server beside the sorted-set
// command that does the same work on the same leaderboard.
//
// What the engine alone takes for periods and request ids, with its log and without a network, is
// the seasons group's.
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

// Declares and fills its leaderboards on `server`, a Laurel of ours, and measures. REQUIRES: the
// server has no boards of these names yet.
void MeasureLbCommands(const Target& server, const LbOptions& options, Report* report);

}  // namespace laurel::bench
