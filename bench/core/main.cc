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
#include "bench/option_parser.h"
#include "bench/program.h"
#include "bench/report.h"

namespace {

using namespace laurel::bench;

constexpr std::uint64_t kMillion = 1'000'000;

struct Options {
  bool quick = false;  // at most 1 M entries
  std::string only;    // a part; empty: all

  [[nodiscard]] bool Wants(std::string_view part) const { return only.empty() || only == part; }
};

OptionParser OptionsInto(Options* options) {
  OptionParser parser;
  parser.AddFlag("--quick", "boards of up to 1 M entries instead of 10 M",
                 [options] { options->quick = true; });
  parser.AddChoice("--only", "PART", "one part alone: speed, memory, growth",
                   {"speed", "memory", "growth"}, &options->only);
  return parser;
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

// Returns the largest bytes per entry over all distributions and ways to fill a board with 1 M
// entries.
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

void Run(const Options& options, Report* report) {
  std::printf("Laurel core on: %s\n\n", DescribeMachine().c_str());
  // Memory runs first, because its child processes would inherit the heap of the other parts.
  if (options.Wants("memory")) RunMemory(report);
  if (options.Wants("speed")) RunSpeed(options.quick, report);
  if (options.Wants("growth")) RunGrowth(options.quick);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return RunBench("core", OptionsInto(&options), argc, argv,
                  [&](Report* report) { Run(options, report); });
}
