// ./dev bench live: what the writers of a hot board feel of those who follow it. The engine is in
// this process, so that nothing but its own work stands between them.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "bench/durability/data_folder.h"
#include "bench/live/crowd.h"
#include "bench/live/quiet_host.h"
#include "bench/live/writers.h"
#include "bench/report.h"
#include "bench/server/process.h"
#include "engine/embedded/embedded_engine.h"

namespace {

using namespace laurel;
using namespace laurel::bench;

constexpr char kBoard[] = "board";
constexpr std::size_t kWriters = 2;
constexpr std::uint64_t kFillStep = 1000;  // members of one LB.MSUBMIT
constexpr double kBar = 1.5;
constexpr std::array<std::size_t, 3> kCrowds = {0, 100, 5000};

struct Options {
  std::string json = "build/bench/live.json";
  std::string folder = "build/bench/live";
  std::uint64_t members = 100'000;
  int repeats = 5;
  double seconds = 2;
};

void PrintUsage() {
  std::printf(
      "usage: laurel_bench_live [OPTION…]\n"
      "  --repeats N    rounds, of which the median counts (5)\n"
      "  --seconds S    how long each crowd is there in a round (2)\n"
      "  --members N    members of the board (100000)\n"
      "  --folder DIR   where the data is kept, on a disk (build/bench/live)\n"
      "  --json FILE    where the figures go (build/bench/live.json)\n");
}

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 >= argc) return false;
    const std::string_view option = argv[i];
    const double number = std::strtod(argv[i + 1], nullptr);
    if (option == "--json") {
      options->json = argv[i + 1];
    } else if (option == "--folder") {
      options->folder = argv[i + 1];
    } else if (number <= 0 || number > 1e9) {
      return false;
    } else if (option == "--repeats") {
      options->repeats = static_cast<int>(number);
    } else if (option == "--seconds") {
      options->seconds = number;
    } else if (option == "--members") {
      options->members = static_cast<std::uint64_t>(number);
    } else {
      return false;
    }
  }
  return options->repeats > 0 && options->members > 0;
}

void Fill(engine::Engine* engine, std::uint64_t members) {
  Ask(engine, {"LB.CREATE", kBoard, "FIELDS", "1", "score:int", "POLICY", "set"});
  base::Random random(1);
  for (std::uint64_t from = 0; from < members; from += kFillStep) {
    const std::uint64_t end = std::min(from + kFillStep, members);
    std::vector<std::string> command = {"LB.MSUBMIT", kBoard, std::to_string(end - from)};
    for (std::uint64_t i = from; i < end; ++i) {
      command.push_back(MemberName(i));
      command.push_back(std::to_string(random.Below(1'000'000'000)));
    }
    Ask(engine, command);
  }
}

// What was measured with one crowd, round by round.
struct Rounds {
  std::vector<double> writes;
  std::vector<double> p50;
  std::vector<double> p99;
  std::vector<double> updates;
  std::vector<double> syncs;
};

void AddFigures(const std::string& mode, std::span<const Rounds> rounds, Report* report) {
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const bool alone = kCrowds[i] == 0;
    const auto beside = [&](const std::vector<double>& values) {
      return alone ? std::nullopt : std::optional<double>(Median(values));
    };
    Figure figure{mode + "_p99_" + std::to_string(kCrowds[i]), Median(rounds[i].p99),
                  beside(rounds[0].p99), "us"};
    if (!alone) figure.bar = AtMost(kBar);
    figure.details = {{"p50 us", Median(rounds[i].p50), beside(rounds[0].p50)},
                      {"writes/s", Median(rounds[i].writes), beside(rounds[0].writes)},
                      {"syncs/s", Median(rounds[i].syncs), beside(rounds[0].syncs)},
                      {"updates/s", Median(rounds[i].updates)}};
    report->Add(figure);
  }
}

void RunMode(const Options& options, bool on_disk, Report* report) {
  const std::string mode = on_disk ? "always" : "memory";
  std::printf("\n%s, rival the same without readers\n", on_disk ? "fsync always" : "In memory");
  std::optional<DataFolder> folder;
  engine::EmbeddedOptions how;
  if (on_disk) how.data = folder.emplace(options.folder, mode).path();
  how.keeper.snapshot_log_bytes = std::uint64_t{1} << 40;  // none meanwhile
  QuietHost host;
  engine::EmbeddedEngine engine(how, &host);
  if (const Status opened = engine.Open(); !opened.ok()) throw Failure(opened.error().message);
  if (const auto loaded = engine.Load(); !loaded.ok()) throw Failure(loaded.error().message);
  Fill(&engine, options.members);
  std::array<Rounds, kCrowds.size()> rounds;
  std::uint64_t stretches = 0;
  const auto measure = [&] {
    return MeasureWrites(&engine, kBoard, options.members, kWriters, options.seconds, ++stretches);
  };
  measure();  // to warm up
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (std::size_t i = 0; i < kCrowds.size(); ++i) {
      const Crowd crowd(&engine, kBoard, kCrowds[i], options.members);
      const std::uint64_t updates = crowd.updates();
      const std::uint64_t syncs = engine.Measure().persistence.syncs;
      const WriteFigures figures = measure();
      rounds[i].syncs.push_back(static_cast<double>(engine.Measure().persistence.syncs - syncs) /
                                options.seconds);
      rounds[i].writes.push_back(figures.writes_per_second);
      rounds[i].p50.push_back(figures.p50_us);
      rounds[i].p99.push_back(figures.p99_us);
      rounds[i].updates.push_back(static_cast<double>(crowd.updates() - updates) / options.seconds);
    }
  }
  AddFigures(mode, rounds, report);
}

int Run(const Options& options) {
  std::printf("Live readers on: %s\n", DescribeMachine().c_str());
  std::printf(
      "load: %zu writers, one LB.SUBMIT at a time each, %llu members; half of the readers follow "
      "the "
      "top 10,\nhalf a member; medians of %d rounds of %.3g s\n",
      kWriters, static_cast<unsigned long long>(options.members), options.repeats, options.seconds);
  Report report;
  for (const bool on_disk : {true, false}) RunMode(options, on_disk, &report);
  if (!report.WriteJson(options.json)) throw Failure("cannot write " + options.json);
  std::printf("\n%s\nfigures: %s\n", report.BarsMet().c_str(), options.json.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ParseOptions(argc, argv, &options)) {
    PrintUsage();
    return 2;
  }
  try {
    return Run(options);
  } catch (const Failure& failure) {
    std::fprintf(stderr, "bench: %s\n", failure.what());
    return 1;
  }
}
