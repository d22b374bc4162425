// Rivals take pipelines under the same load, so that what the machine does meanwhile hits all of
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/server/load.h"

namespace laurel::bench {

struct ContestOptions {
  int repeats = 5;
  double seconds = 2;  // of each run, about
};

struct Contestant {
  Target target;
  Load load;
};

// Medians over the repeats, each figure by itself, in the order of the contestants. Each gets as
// many requests as it answers in the time given, by a short run before.
std::vector<LoadResult> Alternate(const std::vector<Contestant>& contestants,
                                  const ContestOptions& options);

struct ContestResult {
  LoadResult ours;
  LoadResult rival;
  std::optional<double> ceiling{};  // requests/s
};
// Measures both and the ceiling: a constant-reply server that answers the same request with the
// bytes that ours answers. REQUIRES: not under RESP3, which that server does not speak.
ContestResult RunContest(const Contestant& ours, const Contestant& rival,
                         const ContestOptions& options);

// Requests/s with latencies, CPU and ceiling beside them.
Figure RateFigure(const std::string& name, const ContestResult& result,
                  const std::optional<Bar>& bar);
// Server CPU per request, with the rates and the client's CPU per request beside it.
Figure CpuFigure(const std::string& name, const ContestResult& result,
                 const std::optional<Bar>& bar);

}  // namespace laurel::bench
