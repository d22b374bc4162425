#include "bench/program.h"

#include <cstdio>

#include "bench/failure.h"

namespace laurel::bench {

int RunBench(const std::string& group, OptionParser options, int argc, char** argv,
             const std::function<void(Report*)>& run) {
  std::string json = "build/bench/" + group + ".json";
  options.AddText("--json", "FILE", "where the figures go (" + json + ")", &json);
  if (!options.Parse(argc, argv)) {
    std::printf("%s", options.Usage("laurel_bench_" + group).c_str());
    return 2;
  }
  try {
    Report report;
    run(&report);
    if (!report.WriteJson(json)) throw Failure("cannot write " + json);
    std::printf("\n%s\nfigures: %s\n", report.BarsMet().c_str(), json.c_str());
    return 0;
  } catch (const Failure& failure) {
    std::fprintf(stderr, "bench: %s\n", failure.what());
    return 1;
  }
}

}  // namespace laurel::bench
