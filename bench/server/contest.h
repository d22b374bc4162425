// Contestants run alternately under the same load, so that disturbances of the machine affect all
// of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/option_parser.h"
#include "bench/report.h"
#include "bench/server/load.h"

namespace laurel::bench {

struct ContestOptions {
  int repeats = 5;
  double seconds = 2;  // of each run, approximately
};

// Adds --repeats, with `repeats_help`, and --seconds.
void AddContestOptions(const std::string& repeats_help, ContestOptions* options,
                       OptionParser* parser);
// Adds --serve: further arguments of `laurel serve`.
void AddServeOption(std::vector<std::string>* arguments, OptionParser* parser);

// Prints the versions of `binary`, redis-server and redis-benchmark, and the load.
void PrintContestants(const std::string& binary, std::uint64_t members,
                      const ContestOptions& options);

struct Contestant {
  Target target;
  Load load;
};

// Returns the medians over the repeats, for each figure separately, in the order of the
// contestants. Short runs first determine how many requests each contestant answers in the given
// time.
std::vector<LoadResult> Alternate(const std::vector<Contestant>& contestants,
                                  const ContestOptions& options);

struct ContestResult {
  LoadResult ours;
  LoadResult rival;
  std::optional<double> ceiling{};  // requests/s
};
// Measures both contestants and the ceiling: a constant-reply server that answers the same request
// with the same bytes as `ours`. REQUIRES: not RESP3, which that server does not support.
ContestResult RunContest(const Contestant& ours, const Contestant& rival,
                         const ContestOptions& options);

// Makes a figure of requests/s, with latencies, CPU and ceiling as details.
Figure RateFigure(const std::string& name, const ContestResult& result,
                  const std::optional<Bar>& bar);
// Makes a figure of server CPU per request, with the rates and the client's CPU per request as
// details.
Figure CpuFigure(const std::string& name, const ContestResult& result,
                 const std::optional<Bar>& bar);

}  // namespace laurel::bench
