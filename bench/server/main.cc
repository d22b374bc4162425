// ./dev bench server: `laurel serve` compared with redis-server under redis-benchmark, in one run.
// Each figure has a bar to meet.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/option_parser.h"
#include "bench/program.h"
#include "bench/report.h"
#include "bench/server/connection.h"
#include "bench/server/contest.h"
#include "bench/server/lb_commands.h"
#include "bench/server/load.h"
#include "bench/server/server_process.h"

namespace {

using namespace laurel::bench;

constexpr char kSortedSet[] = "board";
constexpr char kLeaderboard[] = "lb";
constexpr int kPipeline = 32;

struct Options {
  std::string binary = LAUREL_BINARY;
  ServerKind kind = ServerKind::kLaurel;
  std::vector<std::string> serve;  // further arguments of `laurel serve`
  std::uint64_t members = 1'000'000;
  int client_threads = 0;
  ContestOptions contest;
  bool large = true;
  std::string only;

  [[nodiscard]] bool Wants(std::string_view part) const {
    return only.empty() ? part != "large" || large : only == part;
  }
};

OptionParser OptionsInto(Options* options) {
  OptionParser parser;
  parser.AddChoice("--only", "PART",
                   "one part alone: memory, pipelined, single, leaderboards (beside our own\n"
                   "sorted sets), lb (LB commands beside sorted-set commands), large",
                   {"memory", "pipelined", "single", "leaderboards", "lb", "large"},
                   &options->only);
  parser.AddFlag("--quick", "3 runs of half a second per figure, no large boards", [options] {
    options->contest = {3, 0.5};
    options->large = false;
  });
  parser.AddFlag("--no-large",
                 "without the boards of ten times the members (--large: with; the default)",
                 [options] { options->large = false; });
  parser.AddFlag("--large", "", [options] { options->large = true; });
  AddContestOptions("runs per figure, of which the median counts (5)", &options->contest, &parser);
  parser.AddNumber("--members", "N", "members of a board (1000000)", &options->members);
  parser.AddNumber("--threads", "N",
                   "threads of redis-benchmark (its plain event loop); it then rounds the\n"
                   "time of a run up to quarters of a second, so give it more --seconds",
                   &options->client_threads);
  AddServeOption(&options->serve, &parser);
  parser.AddText("--binary", "PATH", "another server in our place", &options->binary);
  parser.Add("--kind", "redis", "that one is a redis-server", [options](const std::string& kind) {
    options->kind = kind == "redis" ? ServerKind::kRedis : ServerKind::kLaurel;
    return kind == "redis" || kind == "laurel";
  });
  return parser;
}

// A command for any board, and its bars relative to redis-server.
struct Operation {
  std::string name;
  Command command;  // kBoard stands for the name of the board
  double pipelined_bar = 0;
  double single_bar = 0;
  double single_cpu_bar = 0;
};

constexpr char kBoard[] = "{board}";

std::string RandomMember() { return std::string("gamer:") + kRandom; }

Operation Zadd() { return {"zadd", {"ZADD", kBoard, kRandom, RandomMember()}, 4.0, 1.1, 0.8}; }

// Reads come first, because writes make the boards of the two servers differ: the faster server
// gets more of them.
std::vector<Operation> BoardOperations() {
  return {{"zrevrange", {"ZREVRANGE", kBoard, "0", "9"}, 1.2, 0.9, 0.8},
          {"zrevrank", {"ZREVRANK", kBoard, RandomMember()}, 2.5, 0.9, 0.8},
          Zadd(),
          {"zincrby", {"ZINCRBY", kBoard, kRandom, RandomMember()}, 4.0, 0.9, 0.8}};
}

std::vector<Operation> AllOperations() {
  std::vector<Operation> operations = BoardOperations();
  operations.insert(operations.begin(), {"ping", {"PING"}, 1.0, 0.9, 1.1});
  return operations;
}

class Bench {
 public:
  Bench(const Options& options, Report* report) : options_(options), report_(report) {}

  void RunMain() {
    const ServerProcess ours = StartOurs();
    const ServerProcess rival = StartRedis();
    FillBoth(ours.target(), rival.target());
    if (options_.Wants("pipelined")) RunPipelined(ours.target(), rival.target());
    if (options_.Wants("single")) RunSingle(ours.target(), rival.target());
    if (options_.Wants("leaderboards") && HasLeaderboards()) RunLeaderboards(ours.target());
  }

  void RunLb() {
    if (!HasLeaderboards()) return;
    const ServerProcess ours = StartOurs();
    MeasureLbCommands(ours.target(), {options_.members, options_.client_threads, options_.contest},
                      report_);
  }

  // Uses new processes, without the memory of the smaller boards.
  void RunLarge() {
    const ServerProcess ours = StartOurs();
    const ServerProcess rival = StartRedis();
    const std::uint64_t members = 10 * options_.members;
    std::printf("\nTen times the members, pipeline %d\n", kPipeline);
    FillBoard(ours.target(), kSortedSet, members);
    FillBoard(rival.target(), kSortedSet, members);
    const Load load = LoadOf(Zadd(), kSortedSet, kPipeline, members);
    const ContestResult result =
        RunContest({ours.target(), load}, Contestant{rival.target(), load}, options_.contest);
    report_->Add(RateFigure("zadd_10x_p32", result, AtLeast(5.0)));
  }

 private:
  [[nodiscard]] bool HasLeaderboards() const {
    if (options_.kind == ServerKind::kLaurel) return true;
    std::printf("\nLeaderboards: not on a redis-server\n");
    return false;
  }

  [[nodiscard]] ServerProcess StartOurs() const {
    std::vector<std::string> arguments = InMemory(options_.kind);
    arguments.insert(arguments.end(), options_.serve.begin(), options_.serve.end());
    return ServerProcess("laurel", options_.kind, options_.binary, arguments);
  }
  static ServerProcess StartRedis() {
    return ServerProcess("redis-server", ServerKind::kRedis, "redis-server",
                         InMemory(ServerKind::kRedis));
  }

  [[nodiscard]] Load LoadOf(const Operation& operation, const std::string& board, int pipeline,
                            std::uint64_t members) const {
    Load load{operation.command, pipeline, members, options_.client_threads};
    for (std::string& argument : load.command) {
      if (argument == kBoard) argument = board;
    }
    return load;
  }

  [[nodiscard]] double FillAndWeigh(const Target& target) const {
    const double before = ResidentBytes(target.pid);
    FillBoard(target, kSortedSet, options_.members);
    // Gives the server time to free temporary memory.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return (ResidentBytes(target.pid) - before) / static_cast<double>(options_.members);
  }

  // Fills both servers, and measures the memory growth.
  void FillBoth(const Target& ours, const Target& rival) {
    std::printf("\nMemory: resident bytes per entry above the empty server, 18-byte members\n");
    Figure figure{"bytes_per_entry", FillAndWeigh(ours), FillAndWeigh(rival), "bytes/entry"};
    figure.bar = AtMost(0.5);
    if (options_.Wants("memory")) report_->Add(figure);
  }

  void RunPipelined(const Target& ours, const Target& rival) {
    std::printf("\nPipeline %d, rival redis-server\n", kPipeline);
    for (const Operation& operation : AllOperations()) {
      const Load load = LoadOf(operation, kSortedSet, kPipeline, options_.members);
      const ContestResult result =
          RunContest({ours, load}, Contestant{rival, load}, options_.contest);
      report_->Add(RateFigure(operation.name + "_p32", result, AtLeast(operation.pipelined_bar)));
    }
  }

  void RunSingle(const Target& ours, const Target& rival) {
    std::printf("\nNo pipeline, rival redis-server\n");
    FillBoard(ours, kSortedSet, options_.members);
    FillBoard(rival, kSortedSet, options_.members);
    for (const Operation& operation : AllOperations()) {
      const Load load = LoadOf(operation, kSortedSet, 1, options_.members);
      const ContestResult result =
          RunContest({ours, load}, Contestant{rival, load}, options_.contest);
      const std::string name = operation.name + "_p1";
      report_->Add(RateFigure(name, result, AtLeast(operation.single_bar)));
      report_->Add(CpuFigure(name + "_cpu", result, AtMost(operation.single_cpu_bar)));
    }
  }

  void RunLeaderboards(const Target& ours) {
    std::printf("\nLeaderboards, pipeline %d, rival our own sorted sets\n", kPipeline);
    Connection(ours).Ask({"LB.CREATE", kLeaderboard});
    FillBoard(ours, kLeaderboard, options_.members);
    for (const Operation& operation : BoardOperations()) {
      const Load load = LoadOf(operation, kLeaderboard, kPipeline, options_.members);
      const Load rival_load = LoadOf(operation, kSortedSet, kPipeline, options_.members);
      const ContestResult result =
          RunContest({ours, load}, Contestant{ours, rival_load}, options_.contest);
      report_->Add(RateFigure("leaderboard_" + operation.name, result, AtLeast(0.85)));
    }
  }

  Options options_;
  Report* report_;
};

void Run(const Options& options, Report* report) {
  std::printf("Laurel server on: %s\n", DescribeMachine().c_str());
  PrintContestants(options.binary, options.members, options.contest);
  Bench bench(options, report);
  if (options.only != "large" && options.only != "lb") bench.RunMain();
  if (options.Wants("lb")) bench.RunLb();
  if (options.Wants("large")) bench.RunLarge();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return RunBench("server", OptionsInto(&options), argc, argv,
                  [&](Report* report) { Run(options, report); });
}
