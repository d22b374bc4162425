// ./dev bench live: measures how much live readers of a hot board slow down its writers. The engine
// runs in this process, so that only its own work is measured.
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/embedded/rig.h"
#include "bench/live/crowd.h"
#include "bench/live/writers.h"
#include "bench/report.h"

namespace {

using namespace laurel;
using namespace laurel::bench;

constexpr char kBoard[] = "board";
constexpr char kOnDisk[] = "always";
constexpr char kInMemory[] = "memory";
constexpr std::size_t kWriters = 2;
constexpr double kBar = 1.5;
constexpr std::array<std::size_t, 3> kCrowds = {0, 100, 5000};

// The figures of one crowd size, one value per round.
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

void RunMode(const RunOptions& options, const std::string& mode, Report* report) {
  const bool on_disk = mode == kOnDisk;
  std::printf("\n%s, rival the same without readers\n", on_disk ? "fsync always" : "In memory");
  RunningEngine engine(options, mode,
                       on_disk ? std::optional(storage::SyncMode::kAlways) : std::nullopt);
  FillBoard(engine.get(), kBoard, {}, options.members);
  std::array<Rounds, kCrowds.size()> rounds;
  std::uint64_t stretches = 0;
  const auto measure = [&] {
    return MeasureWrites(engine.get(), kBoard, options.members, kWriters, options.seconds,
                         ++stretches);
  };
  measure();  // to warm up
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (std::size_t i = 0; i < kCrowds.size(); ++i) {
      const Crowd crowd(engine.get(), kBoard, kCrowds[i], options.members);
      const std::uint64_t updates = crowd.updates();
      const std::uint64_t syncs = engine->Measure().persistence.log.sync_times.count();
      const WriteFigures figures = measure();
      rounds[i].syncs.push_back(
          static_cast<double>(engine->Measure().persistence.log.sync_times.count() - syncs) /
          options.seconds);
      rounds[i].writes.push_back(figures.writes_per_second);
      rounds[i].p50.push_back(figures.p50_us);
      rounds[i].p99.push_back(figures.p99_us);
      rounds[i].updates.push_back(static_cast<double>(crowd.updates() - updates) / options.seconds);
    }
  }
  AddFigures(mode, rounds, report);
}

void Run(const RunOptions& options, Report* report) {
  std::printf("Live readers on: %s\n", DescribeMachine().c_str());
  std::printf(
      "load: %zu writers, one LB.SUBMIT at a time each, %llu members; half of the readers follow "
      "the "
      "top 10,\nhalf a member; medians of %d rounds of %.3g s\n",
      kWriters, static_cast<unsigned long long>(options.members), options.repeats, options.seconds);
  for (const char* mode : {kOnDisk, kInMemory}) {
    if (options.Wants(mode)) RunMode(options, mode, report);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return RunGroup({"live", 5, 2, {kOnDisk, kInMemory}}, argc, argv, Run);
}
