// ./dev bench durability: `laurel serve` with its data on disk, compared with redis-server with an
// append-only file, in one run. Each figure has a bar to meet.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/random.h"
#include "bench/durability/data_folder.h"
#include "bench/durability/traffic.h"
#include "bench/member_name.h"
#include "bench/option_parser.h"
#include "bench/program.h"
#include "bench/report.h"
#include "bench/server/connection.h"
#include "bench/server/contest.h"
#include "bench/server/load.h"
#include "bench/server/server_process.h"

namespace {

using namespace laurel::bench;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr char kBoard[] = "board";
constexpr int kPipeline = 32;
constexpr int kLargeRepeats = 3;  // at most; each takes at least 15 s
constexpr auto kSnapshotBeginLimit = 10s;
constexpr std::uint64_t kLoggedMembers = 100'000;
constexpr std::uint64_t kLoggedPipelines = 10'000;
constexpr double kMember = 18;       // bytes of a name
constexpr double kLogOverhead = 40;  // allowed bytes per update besides the member
constexpr double kMegabyte = 1e6;

struct Options {
  std::string folder = "build/bench/durability";
  std::string binary = LAUREL_BINARY;
  std::vector<std::string> serve;  // further arguments of `laurel serve`
  std::uint64_t members = 1'000'000;
  ContestOptions contest;
  bool large = true;
  std::string only;

  [[nodiscard]] bool Wants(std::string_view part) const {
    if (!only.empty()) return only == part;
    return large || (part != "start" && part != "snapshot");
  }
};

OptionParser OptionsInto(Options* options) {
  OptionParser parser;
  parser.AddChoice("--only", "PART",
                   "one part alone: always (fsync before each reply, beside redis-server),\n"
                   "everysec (beside off and --in-memory), log (bytes per update), and with\n"
                   "ten times the members start and snapshot",
                   {"always", "everysec", "log", "start", "snapshot"}, &options->only);
  parser.AddFlag("--no-large", "without start and snapshot (--large: with; the default)",
                 [options] { options->large = false; });
  parser.AddFlag("--large", "", [options] { options->large = true; });
  AddContestOptions(
      "runs per figure, of which the median counts (5; start and snapshot: at\n"
      "most 3)",
      &options->contest, &parser);
  parser.AddNumber("--members", "N", "members of a board (1000000)", &options->members);
  parser.AddText("--folder", "DIR",
                 "where both servers keep their data, on a disk (build/bench/durability)",
                 &options->folder);
  AddServeOption(&options->serve, &parser);
  parser.AddText("--binary", "PATH", "another Laurel in our place", &options->binary);
  return parser;
}

// Returns a number from INFO persistence.
std::uint64_t PersistenceOf(Connection* connection, const std::string& name) {
  const std::string info = connection->Ask({"INFO", "persistence"});
  const std::size_t at = info.find("\n" + name + ":");
  if (at == std::string::npos) throw Failure("INFO persistence does not tell " + name);
  return std::strtoull(info.c_str() + at + name.size() + 2, nullptr, 10);
}

bool SnapshotRuns(Connection* connection) {
  return PersistenceOf(connection, "rdb_bgsave_in_progress") == 1;
}

// Requests a snapshot and returns once it runs.
void BeginSnapshot(Connection* connection) {
  const auto limit = steady_clock::now() + kSnapshotBeginLimit;
  connection->Ask({"BGSAVE"});
  while (!SnapshotRuns(connection)) {
    if (steady_clock::now() > limit) throw Failure("no snapshot was seen to run after BGSAVE");
    std::this_thread::sleep_for(1ms);
  }
}

double MedianOf(const std::vector<Stretch>& stretches, double Stretch::*figure) {
  std::vector<double> values;
  for (const Stretch& stretch : stretches) values.push_back(stretch.*figure);
  return Median(values);
}

// Returns the maximum, because even a single long pause counts.
double LongestOf(const std::vector<Stretch>& stretches, double Stretch::*figure) {
  double longest = 0;
  for (const Stretch& stretch : stretches) longest = std::max(longest, stretch.*figure);
  return longest;
}

class Bench {
 public:
  Bench(const Options& options, Report* report) : options_(options), report_(report) {}

  // Both servers do their default maintenance: Laurel takes snapshots, redis-server rewrites its
  // file.
  void RunAlways() {
    std::printf("\nfsync always, rival redis-server --appendonly yes --appendfsync always\n");
    const DataFolder folder(options_.folder, "laurel");
    const DataFolder rival_folder(options_.folder, "redis");
    const ServerProcess ours = StartOurs("laurel", OnDisk(folder, "always"));
    const ServerProcess rival = StartRedis({"--dir", rival_folder.path(), "--save", "",
                                            "--appendonly", "yes", "--appendfsync", "always"});
    FillBoard(ours.target(), kBoard, options_.members);
    FillBoard(rival.target(), kBoard, options_.members);
    Connection connection(ours.target());
    for (const int pipeline : {1, kPipeline}) {
      const Load load = WriteLoad(pipeline);
      const std::uint64_t syncs_before = PersistenceOf(&connection, "laurel_fsyncs");
      const ContestResult result =
          RunContest({ours.target(), load}, Contestant{rival.target(), load}, options_.contest);
      const std::uint64_t syncs = PersistenceOf(&connection, "laurel_fsyncs") - syncs_before;
      const std::string name = "always_zadd" + Suffix(pipeline);
      Figure rate = RateFigure(name, result, AtLeast(pipeline == 1 ? 1.0 : 2.5));
      rate.details.push_back({"fsyncs in all", static_cast<double>(syncs)});
      report_->Add(rate);
      if (pipeline > 1) continue;
      Figure p99{name + "_p99", result.ours.p99_ms, result.rival.p99_ms, "ms"};
      p99.bar = AtMost(1.2);
      report_->Add(p99);
    }
  }

  void RunEverySecond() {
    std::printf("\nfsync everysec, rivals our own fsync off and --in-memory\n");
    const DataFolder folder(options_.folder, "everysec");
    const DataFolder off_folder(options_.folder, "off");
    const ServerProcess every_second = StartOurs("laurel, everysec", OnDisk(folder, "everysec"));
    const ServerProcess off = StartOurs("laurel, off", OnDisk(off_folder, "off"));
    const ServerProcess memory = StartOurs("laurel, in memory", InMemory(ServerKind::kLaurel));
    for (const ServerProcess* server : {&every_second, &off, &memory}) {
      FillBoard(server->target(), kBoard, options_.members);
    }
    for (const int pipeline : {kPipeline, 1}) {
      const Load load = WriteLoad(pipeline);
      const std::vector<LoadResult> results =
          Alternate({{every_second.target(), load}, {off.target(), load}, {memory.target(), load}},
                    options_.contest);
      const std::string name = "everysec" + Suffix(pipeline);
      report_->Add(
          RateFigure(name + "_off", {results[0], results[1], std::nullopt}, AtLeast(0.85)));
      report_->Add(
          RateFigure(name + "_memory", {results[0], results[2], std::nullopt}, std::nullopt));
    }
  }

  // A pipeline is one send, but becomes several records if the server executes other requests in
  // between, as the detail "updates/record" shows. The fsync mode does not change what is written.
  void RunLog() {
    std::printf("\nLog: bytes per update, pipelines of %d, rival the member + %.0f\n", kPipeline,
                kLogOverhead);
    const DataFolder folder(options_.folder, "log");
    const ServerProcess ours = StartOurs("laurel", OnDisk(folder, "off"));
    Connection connection(ours.target());
    connection.Ask({"LB.CREATE", "lb", "FIELDS", "1", "score:int"});
    FillBoard(ours.target(), "lb", kLoggedMembers);
    const std::uint64_t before = WrittenBytes(&connection);
    const std::uint64_t records_before = PersistenceOf(&connection, "laurel_records");
    laurel::base::Random random(3);
    for (std::uint64_t i = 0; i < kLoggedPipelines; ++i) {
      std::string commands;
      for (int j = 0; j < kPipeline; ++j) {
        // Higher than the scores of FillBoard, so that every submit changes a score.
        commands += Encode({"LB.SUBMIT", "lb", MemberName(random.Below(kLoggedMembers)),
                            std::to_string(kLoggedMembers + random.Below(1'000'000'000))});
      }
      connection.Send(commands);
      for (int j = 0; j < kPipeline; ++j) connection.ReadReply();
    }
    const std::uint64_t written = WrittenBytes(&connection) - before;
    const std::uint64_t records = PersistenceOf(&connection, "laurel_records") - records_before;
    const double updates = kPipeline * static_cast<double>(kLoggedPipelines);
    Figure figure{"log_bytes", static_cast<double>(written) / updates, kMember + kLogOverhead,
                  "bytes/update"};
    figure.bar = AtMost(1.0);
    figure.details = {{"beside the member", figure.ours - kMember, kLogOverhead},
                      {"updates/record", updates / static_cast<double>(records)}};
    report_->Add(figure);
  }

  // Measures start and snapshot, both with ten times the members.
  void RunLarge() {
    const std::uint64_t members = 10 * options_.members;
    std::printf("\nTen times the members\n");
    const DataFolder folder(options_.folder, "laurel");
    {
      const ServerProcess ours = StartOurs("laurel", OnDisk(folder, "off"));
      FillBoard(ours.target(), kBoard, members);
    }
    if (options_.Wants("start")) RunStart(folder, members);
    if (options_.Wants("snapshot")) RunSnapshot(folder, members);
  }

 private:
  [[nodiscard]] ServerProcess StartOurs(const std::string& name,
                                        std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), options_.serve.begin(), options_.serve.end());
    return ServerProcess(name, ServerKind::kLaurel, options_.binary, arguments);
  }
  static ServerProcess StartRedis(const std::vector<std::string>& arguments) {
    return ServerProcess("redis-server", ServerKind::kRedis, "redis-server", arguments);
  }

  static std::vector<std::string> OnDisk(const DataFolder& folder, const std::string& fsync) {
    return {"--data", folder.path(), "--fsync", fsync};
  }
  static std::vector<std::string> RdbIn(const DataFolder& folder) {
    return {"--dir", folder.path(), "--save", "", "--appendonly", "no"};
  }

  static std::string Suffix(int pipeline) { return "_p" + std::to_string(pipeline); }

  [[nodiscard]] Load WriteLoad(int pipeline) const {
    return {{"ZADD", kBoard, kRandom, std::string("gamer:") + kRandom}, pipeline, options_.members};
  }

  [[nodiscard]] int LargeRepeats() const {
    return std::min(options_.contest.repeats, kLargeRepeats);
  }

  // Returns the bytes written to the log so far, once none wait to be written.
  static std::uint64_t WrittenBytes(Connection* connection) {
    while (PersistenceOf(connection, "laurel_log_pending_bytes") > 0) {
      std::this_thread::sleep_for(10ms);
    }
    return PersistenceOf(connection, "laurel_log_written_bytes");
  }

  // Returns the time from the start of the process to the first reply about the board.
  template <typename Start>
  static double SecondsToServe(const Start& start, std::uint64_t members) {
    const auto begin = steady_clock::now();
    const ServerProcess server = start();
    const std::string count = Connection(server.target()).Ask({"ZCARD", kBoard});
    const std::chrono::duration<double> taken = steady_clock::now() - begin;
    if (count != ":" + std::to_string(members) + "\r\n") {
      throw Failure(server.target().name + " lost members over a restart");
    }
    return taken.count();
  }

  void RunStart(const DataFolder& folder, std::uint64_t members) {
    const DataFolder rival_folder(options_.folder, "redis");
    {
      const ServerProcess rival = StartRedis(RdbIn(rival_folder));
      FillBoard(rival.target(), kBoard, members);
      Connection(rival.target()).Ask({"SAVE"});
    }
    std::printf("  starting after an orderly stop, rival redis-server with its RDB file\n");
    std::vector<double> ours;
    std::vector<double> rival;
    for (int repeat = 0; repeat < LargeRepeats(); ++repeat) {
      folder.Warm();
      ours.push_back(
          SecondsToServe([&] { return StartOurs("laurel", OnDisk(folder, "always")); }, members));
      rival_folder.Warm();
      rival.push_back(SecondsToServe([&] { return StartRedis(RdbIn(rival_folder)); }, members));
    }
    Figure figure{"start", Median(ours), Median(rival), "s"};
    figure.bar = AtMost(0.5);
    figure.details = {{"M entries/s", static_cast<double>(members) / 1e6 / figure.ours,
                       static_cast<double>(members) / 1e6 / *figure.rival}};
    report_->Add(figure);
  }

  void RunSnapshot(const DataFolder& folder, std::uint64_t members) {
    std::printf(
        "  50 clients write, one at a time each, fsync always; rival the same without a "
        "snapshot\n");
    std::vector<std::string> arguments = OnDisk(folder, "always");
    // Only the requested snapshots run.
    arguments.insert(arguments.end(), {"--snapshot-log", "1tb"});
    const ServerProcess ours = StartOurs("laurel", arguments);
    Connection connection(ours.target());
    Traffic traffic(ours.target(), kBoard, members);
    std::this_thread::sleep_for(1s);
    std::vector<Stretch> with;
    std::vector<Stretch> without;
    for (int repeat = 0; repeat < LargeRepeats(); ++repeat) {
      BeginSnapshot(&connection);
      with.push_back(traffic.Measure([&] { return SnapshotRuns(&connection); }));
      const auto end = steady_clock::now() + std::chrono::duration<double>(with.back().seconds);
      without.push_back(traffic.Measure([&] {
        if (SnapshotRuns(&connection)) throw Failure("a snapshot runs that nobody asked for");
        return steady_clock::now() < end;
      }));
    }
    AddSnapshot(with, without, PersistenceOf(&connection, "laurel_snapshot_bytes"));
  }

  void AddSnapshot(const std::vector<Stretch>& with, const std::vector<Stretch>& without,
                   std::uint64_t bytes) {
    const auto medians = [&](const char* name, double Stretch::*figure) {
      return Detail{name, MedianOf(with, figure), MedianOf(without, figure)};
    };
    const auto longest = [&](const char* name, double Stretch::*figure) {
      return Detail{name, LongestOf(with, figure), LongestOf(without, figure)};
    };
    Figure figure{"snapshot_write_p99", MedianOf(with, &Stretch::write_p99_ms),
                  MedianOf(without, &Stretch::write_p99_ms), "ms"};
    figure.bar = AtMost(2.0);
    figure.details = {medians("p50 ms", &Stretch::write_p50_ms),
                      longest("longest ms", &Stretch::write_longest_ms),
                      medians("writes/s", &Stretch::writes_per_second)};
    report_->Add(figure);
    Figure pause{"snapshot_pause", LongestOf(with, &Stretch::probe_longest_ms),
                 LongestOf(without, &Stretch::probe_longest_ms), "ms, longest of the probe"};
    pause.details = {medians("p99 ms", &Stretch::probe_p99_ms)};
    report_->Add(pause);
    Figure taken{"snapshot_time", MedianOf(with, &Stretch::seconds), std::nullopt, "s"};
    taken.details = {{"snapshot MB", static_cast<double>(bytes) / kMegabyte}};
    report_->Add(taken);
  }

  Options options_;
  Report* report_;
};

void Run(const Options& options, Report* report) {
  std::printf("Laurel on disk on: %s\n", DescribeMachine().c_str());
  PrintContestants(options.binary, options.members, options.contest);
  Bench bench(options, report);
  if (options.Wants("always")) bench.RunAlways();
  if (options.Wants("everysec")) bench.RunEverySecond();
  if (options.Wants("log")) bench.RunLog();
  if (options.Wants("start") || options.Wants("snapshot")) bench.RunLarge();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return RunBench("durability", OptionsInto(&options), argc, argv,
                  [&](Report* report) { Run(options, report); });
}
