// ./dev bench server: `laurel serve` compared with redis-server under redis-benchmark, in one run.
// Each figure has a bar to meet.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

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
const std::set<std::string_view> kParts = {"memory",       "pipelined", "single",
                                           "leaderboards", "lb",        "large"};

struct Options {
  std::string json = "build/bench/server.json";
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

void PrintUsage() {
  std::printf(
      "usage: laurel_bench_server [OPTION…]\n"
      "  --only PART    one part alone: memory, pipelined, single, leaderboards (beside our own\n"
      "                 sorted sets), lb (LB commands beside sorted-set commands), large\n"
      "  --quick        3 runs of half a second per figure, no large boards\n"
      "  --no-large     without the boards of ten times the members (--large: with; the default)\n"
      "  --repeats N    runs per figure, of which the median counts (5)\n"
      "  --seconds S    about how long each run takes (2)\n"
      "  --members N    members of a board (1000000)\n"
      "  --threads N    threads of redis-benchmark (its plain event loop); it then rounds the\n"
      "                 time of a run up to quarters of a second, so give it more --seconds\n"
      "  --serve ARG    a further argument for `laurel serve`; may be repeated\n"
      "  --binary PATH  another server in our place\n"
      "  --kind redis   that one is a redis-server\n"
      "  --json FILE    where the figures go (build/bench/server.json)\n");
}

// An option that takes a value. False if there is no such option or the value is wrong.
bool ParseValue(std::string_view option, const std::string& value, Options* options) {
  if (option == "--only") {
    options->only = value;
    return kParts.contains(value);
  }
  if (option == "--kind") {
    options->kind = value == "redis" ? ServerKind::kRedis : ServerKind::kLaurel;
    return value == "redis" || value == "laurel";
  }
  if (option == "--json") {
    options->json = value;
  } else if (option == "--binary") {
    options->binary = value;
  } else if (option == "--serve") {
    options->serve.push_back(value);
  } else {
    const double number = std::strtod(value.c_str(), nullptr);
    if (option == "--repeats") {
      options->contest.repeats = static_cast<int>(number);
    } else if (option == "--seconds") {
      options->contest.seconds = number;
    } else if (option == "--members") {
      options->members = static_cast<std::uint64_t>(number);
    } else if (option == "--threads") {
      options->client_threads = static_cast<int>(number);
    } else {
      return false;
    }
    return number > 0 && number <= 1e9;
  }
  return true;
}

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--large" || option == "--no-large") {
      options->large = option == "--large";
    } else if (option == "--quick") {
      options->contest = {3, 0.5};
      options->large = false;
    } else if (i + 1 >= argc || !ParseValue(option, argv[++i], options)) {
      return false;
    }
  }
  return options->contest.repeats > 0 && options->members > 0;
}

// One command, for any board, and its bars relative to redis-server.
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

// Reads come first: writes make the boards of the two servers differ, since the faster server gets
// more of them.
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

  // In new processes, without what the smaller boards left in memory.
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

  // Fills both servers; the memory figure is the growth meanwhile.
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

int Run(const Options& options) {
  const std::string client = LoadProgramVersion();
  std::printf("Laurel server on: %s\n", DescribeMachine().c_str());
  std::printf("ours: %s\nrival: %s\n", VersionOf(options.binary).c_str(),
              VersionOf("redis-server").c_str());
  std::printf("load: %s, 50 clients, %llu members; medians of %d runs of about %.3g s\n",
              client.c_str(), static_cast<unsigned long long>(options.members),
              options.contest.repeats, options.contest.seconds);
  Report report;
  Bench bench(options, &report);
  if (options.only != "large" && options.only != "lb") bench.RunMain();
  if (options.Wants("lb")) bench.RunLb();
  if (options.Wants("large")) bench.RunLarge();
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
