// ./dev bench core: speed and memory of the core, compared with GNU pb_ds and redis-server, in one
// run.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/core/memory.h"
#include "bench/core/speed.h"
#include "bench/core/workload.h"
#include "bench/report.h"

namespace {

using namespace laurel::bench;

constexpr std::uint64_t kMillion = 1'000'000;

struct Options {
  std::string json = "build/bench/core.json";
  bool quick = false;  // up to 1 M entries
  bool speed = true;
  bool memory = true;
  bool growth = true;
};

void PrintUsage() {
  std::printf(
      "usage: laurel_bench_core [--quick] [--only speed|memory|growth] [--json FILE]\n"
      "  --quick      boards of up to 1 M entries instead of 10 M\n"
      "  --only PART  one part alone\n"
      "  --json FILE  where the figures go (build/bench/core.json)\n");
}

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--quick") {
      options->quick = true;
    } else if (option == "--only" && i + 1 < argc) {
      const std::string_view part = argv[++i];
      options->speed = part == "speed";
      options->memory = part == "memory";
      options->growth = part == "growth";
    } else if (option == "--json" && i + 1 < argc) {
      options->json = argv[++i];
    } else {
      return false;
    }
  }
  return options->speed || options->memory || options->growth;
}

void RunSpeed(bool quick, Report* report) {
  std::printf(
      "\nSpeed: uniform scores, 18-byte members, rival pb_ds through the same member index; "
      "medians of 5\n");
  const double at_1m = MeasureAgainstPbDs("1M", kMillion, SpeedOptions(), report);
  if (!quick) {
    const double at_10m = MeasureAgainstPbDs("10M", 10 * kMillion, SpeedOptions(), report);
    report->Add({"update_growth", at_10m / at_1m, std::nullopt, "x from 1 M to 10 M"});
  }
  std::vector<double> slowest;
  for (int i = 0; i < 3; ++i) slowest.push_back(SlowestInsert(quick ? kMillion : 10 * kMillion));
  report->Add(
      {"slowest_op", *std::min_element(slowest.begin(), slowest.end()), std::nullopt, "ms"});
}

void RunGrowth(bool quick) {
  std::printf("Growth: ns per operation one by one, ours/pb_ds; 18-byte members\n");
  PrintGrowthHeader();
  std::vector<std::uint64_t> sizes = {1'000, 10'000, 100'000, kMillion};
  if (!quick) sizes.push_back(10 * kMillion);
  for (const Distribution distribution : kDistributions) {
    for (const std::uint64_t size : sizes) PrintGrowthRow(distribution, size, SpeedOptions());
  }
}

// The largest bytes per entry over all distributions and ways to fill a board with 1 M entries.
double WorstBytes(MemberStyle style) {
  double worst = 0;
  for (const Distribution distribution : kDistributions) {
    const double inserts = BytesPerEntry(distribution, style, kMillion, Filling::kInserts);
    const double updates = BytesPerEntry(distribution, style, kMillion, Filling::kUpdates);
    const double bulk = BytesPerEntry(distribution, style, kMillion, Filling::kBulkLoad);
    std::printf("    %-14s inserts %5.1f   and updates %5.1f   bulk load %5.1f\n",
                NameOf(distribution), inserts, updates, bulk);
    std::fflush(stdout);
    worst = std::max({worst, inserts, updates, bulk});
  }
  return worst;
}

void RunMemory(Report* report) {
  RedisMemory redis;
  std::printf(
      "Memory: bytes per entry; ours growth of resident memory in a new process, with stamps;\n"
      "rival redis-server %s, used_memory, without; huge pages: %s\n",
      redis.version().c_str(), HugePagePolicy().c_str());
  const auto rival = [&](MemberStyle style, std::uint64_t boards, std::uint64_t each) {
    return redis.ok() ? std::optional(redis.BytesPerEntry(style, boards, each)) : std::nullopt;
  };
  const struct {
    const char* name;
    MemberStyle style;
  } styles[] = {{"bytes_18", MemberStyle::kText18},
                {"bytes_int", MemberStyle::kInt64},
                {"bytes_int32", MemberStyle::kInt32}};
  for (const auto& [name, style] : styles) {
    const double worst = WorstBytes(style);
    report->Add({name, worst, rival(style, 1, kMillion), "bytes/entry"});
  }
  report->Add({"bytes_small_boards", BytesPerEntryOfSmallBoards(100'000, 20),
               rival(MemberStyle::kInt32, 100'000, 20), "bytes/entry"});
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ParseOptions(argc, argv, &options)) {
    PrintUsage();
    return 2;
  }
  std::printf("Laurel core on: %s\n\n", DescribeMachine().c_str());
  Report report;
  // Memory first: its child processes would inherit the heap that the other parts leave behind.
  if (options.memory) RunMemory(&report);
  if (options.speed) RunSpeed(options.quick, &report);
  if (options.growth) RunGrowth(options.quick);
  if (!report.WriteJson(options.json)) {
    std::fprintf(stderr, "bench: cannot write %s\n", options.json.c_str());
    return 1;
  }
  std::printf("\nfigures: %s\n", options.json.c_str());
  return 0;
}
