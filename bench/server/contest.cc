#include "bench/server/contest.h"

#include <algorithm>
#include <cstdio>

#include "bench/server/constant_server.h"

namespace laurel::bench {
namespace {

// A shorter run is too imprecise: connecting takes part of it, and with threads redis-benchmark
// stops only at quarters of a second.
constexpr double kCalibrationSeconds = 0.3;

// Returns the number of requests that the contestant answers in about `seconds`.
std::uint64_t RequestsIn(double seconds, const Contestant& contestant) {
  std::uint64_t requests = contestant.load.pipeline > 1 ? 50'000 : 10'000;
  while (true) {
    const double rate = RunLoad(contestant.target, contestant.load, requests).requests_per_second;
    const auto wanted = static_cast<std::uint64_t>(rate * seconds);
    if (static_cast<double>(requests) >= rate * kCalibrationSeconds || wanted <= requests) {
      return std::max<std::uint64_t>(wanted, 1);
    }
    requests *= 4;
  }
}

double MedianOf(const std::vector<LoadResult>& results, double LoadResult::*figure) {
  std::vector<double> values;
  for (const LoadResult& result : results) values.push_back(result.*figure);
  return Median(values);
}

LoadResult Medians(const std::vector<LoadResult>& results) {
  LoadResult medians;
  for (double LoadResult::*figure :
       {&LoadResult::requests_per_second, &LoadResult::p50_ms, &LoadResult::p99_ms,
        &LoadResult::client_cpu_percent, &LoadResult::client_cpu_us, &LoadResult::server_cpu_us}) {
    medians.*figure = MedianOf(results, figure);
  }
  return medians;
}

Detail DetailOf(const char* name, const ContestResult& result, double LoadResult::*figure) {
  return {name, result.ours.*figure, result.rival.*figure};
}

}  // namespace

void AddContestOptions(const std::string& repeats_help, ContestOptions* options,
                       OptionParser* parser) {
  parser->AddNumber("--repeats", "N", repeats_help, &options->repeats);
  parser->AddNumber("--seconds", "S", "about how long each run takes (2)", &options->seconds);
}

void AddServeOption(std::vector<std::string>* arguments, OptionParser* parser) {
  parser->Add("--serve", "ARG", "a further argument for `laurel serve`; may be repeated",
              [arguments](const std::string& argument) {
                arguments->push_back(argument);
                return true;
              });
}

void PrintContestants(const std::string& binary, std::uint64_t members,
                      const ContestOptions& options) {
  const std::string client = LoadProgramVersion();
  std::printf("ours: %s\nrival: %s\n", VersionOf(binary).c_str(),
              VersionOf("redis-server").c_str());
  std::printf("load: %s, 50 clients, %llu members; medians of %d runs of about %.3g s\n",
              client.c_str(), static_cast<unsigned long long>(members), options.repeats,
              options.seconds);
}

std::vector<LoadResult> Alternate(const std::vector<Contestant>& contestants,
                                  const ContestOptions& options) {
  std::vector<std::uint64_t> requests;
  for (const Contestant& contestant : contestants) {
    requests.push_back(RequestsIn(options.seconds, contestant));
  }
  std::vector<std::vector<LoadResult>> results(contestants.size());
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (std::size_t place = 0; place < contestants.size(); ++place) {
      // Each repeat starts with another contestant.
      const std::size_t i = (place + static_cast<std::size_t>(repeat)) % contestants.size();
      results[i].push_back(RunLoad(contestants[i].target, contestants[i].load, requests[i]));
    }
  }
  std::vector<LoadResult> medians;
  for (const std::vector<LoadResult>& each : results) medians.push_back(Medians(each));
  return medians;
}

ContestResult RunContest(const Contestant& ours, const Contestant& rival,
                         const ContestOptions& options) {
  const Command sample = Sample(ours.load);
  const std::string reply = Connection(ours.target).Ask(sample);
  const ConstantServer constant(Encode(sample).size(), reply);
  const std::vector<LoadResult> medians =
      Alternate({ours, rival, {constant.target(), ours.load}}, options);
  return {medians[0], medians[1], medians[2].requests_per_second};
}

Figure RateFigure(const std::string& name, const ContestResult& result,
                  const std::optional<Bar>& bar) {
  Figure figure{name, result.ours.requests_per_second / 1000,
                result.rival.requests_per_second / 1000, "k requests/s"};
  figure.bar = bar;
  figure.details = {DetailOf("p50 ms", result, &LoadResult::p50_ms),
                    DetailOf("p99 ms", result, &LoadResult::p99_ms),
                    DetailOf("server CPU us", result, &LoadResult::server_cpu_us),
                    DetailOf("client CPU %", result, &LoadResult::client_cpu_percent)};
  if (result.ceiling) figure.details.push_back({"ceiling k/s", *result.ceiling / 1000});
  return figure;
}

Figure CpuFigure(const std::string& name, const ContestResult& result,
                 const std::optional<Bar>& bar) {
  Figure figure{name, result.ours.server_cpu_us, result.rival.server_cpu_us, "us CPU/request"};
  figure.bar = bar;
  figure.details = {{"k requests/s", result.ours.requests_per_second / 1000,
                     result.rival.requests_per_second / 1000},
                    DetailOf("client CPU us", result, &LoadResult::client_cpu_us)};
  return figure;
}

}  // namespace laurel::bench
