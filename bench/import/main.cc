// ./dev bench import: measures how fast `laurel import` fills a data folder and a server, compared
// with redis-cli, a bare ZSCAN loop and a pipelined client on the same rows. Each figure has a bar
// to meet.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>

#include "base/random.h"
#include "bench/durability/data_folder.h"
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

constexpr char kBoard[] = "lb";
constexpr char kPage[] = "1000";  // COUNT of ZSCAN
constexpr int kPipeline = 32;
constexpr std::uint64_t kFirstSecond = 1'700'000'000;
constexpr std::uint64_t kSeconds = 10'000'000;  // the rows' times are spread over these
constexpr std::uint64_t kScores = 100'000;
constexpr std::uint64_t kServerShare = 5;  // the server gets a fifth of the rows

struct Options {
  std::string folder = "build/bench/import";
  std::string binary = LAUREL_BINARY;
  std::uint64_t rows = 5'000'000;
  ContestOptions contest{3, 2};
  std::string only;

  [[nodiscard]] bool Wants(std::string_view part) const { return only.empty() || only == part; }
};

OptionParser OptionsInto(Options* options) {
  OptionParser parser;
  parser.AddChoice("--only", "PART",
                   "one part alone: csv (into a data folder, beside redis-cli --pipe), redis\n"
                   "(sorted set into a data folder, beside a bare ZSCAN loop), server (CSV into\n"
                   "a server, beside LB.SET with pipeline 32)",
                   {"csv", "redis", "server"}, &options->only);
  parser.AddNumber("--rows", "N", "rows (5000000); the server gets a fifth", &options->rows,
                   std::uint64_t{1000});
  AddContestOptions("runs per figure, of which the median counts (3)", &options->contest, &parser);
  parser.AddText("--folder", "DIR",
                 "where files and data folders are, on a disk (build/bench/import)",
                 &options->folder);
  parser.AddText("--binary", "PATH", "another Laurel in our place", &options->binary);
  return parser;
}

struct SampleRow {
  std::string member;
  std::uint64_t score = 0;
  std::uint64_t second = 0;
};

// Calls visit(row) for the same `rows` rows each time, in mixed order.
void ForEachRow(std::uint64_t rows, const std::function<void(const SampleRow&)>& visit) {
  constexpr std::uint64_t kMixer = 2'654'435'761;  // prime, so that no member is repeated
  laurel::base::Random random(7);
  for (std::uint64_t i = 0; i < rows; ++i) {
    visit({MemberName(i * kMixer % rows), random.Below(kScores),
           kFirstSecond + random.Below(kSeconds)});
  }
}

void WriteFile(const std::string& path, const std::function<void(std::ofstream*)>& write) {
  std::ofstream file(path, std::ios::binary);
  write(&file);
  file.close();
  if (!file) throw Failure("cannot write " + path);
}

// Runs a program that must succeed, and returns the time that it took.
double SecondsOf(const std::vector<std::string>& arguments) {
  const Finished finished = RunProgram(arguments, [] {});
  if (finished.wait_status != 0) {
    throw Failure(arguments[0] + " ended with " + DescribeEnd(finished.wait_status) + ":\n" +
                  finished.output);
  }
  return finished.wall_seconds;
}

double SecondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Bench {
 public:
  Bench(const Options& options, Report* report)
      : options_(options), report_(report), files_(options.folder, "files") {}

  void Run() {
    if (options_.Wants("csv")) RunCsv();
    if (options_.Wants("redis")) RunRedis();
    if (options_.Wants("server")) RunServer();
  }

 private:
  using Measure = std::function<double()>;  // returns rows per second

  // Measures both in turn, so that disturbances of the machine affect both.
  void Compare(const std::string& name, const Measure& ours, const Measure& rival, double bar) {
    std::vector<double> of_ours;
    std::vector<double> of_rival;
    for (int i = 0; i < options_.contest.repeats; ++i) {
      of_ours.push_back(ours());
      of_rival.push_back(rival());
    }
    report_->Add({name, Median(of_ours), Median(of_rival), "rows/s", AtLeast(bar)});
  }

  [[nodiscard]] double PerSecond(std::uint64_t rows, double seconds) const {
    return static_cast<double>(rows) / seconds;
  }

  // Imports into a new data folder.
  double ImportIntoFolder(const std::vector<std::string>& source) {
    const DataFolder data(options_.folder, "data");
    std::vector<std::string> line = {options_.binary, "import"};
    line.insert(line.end(), source.begin(), source.end());
    line.insert(line.end(), {"--board", kBoard, "--data", data.path()});
    return PerSecond(options_.rows, SecondsOf(line));
  }

  std::string WriteCsv(std::uint64_t rows) {
    const std::string path = files_.path() + "/rows.csv";
    WriteFile(path, [&](std::ofstream* file) {
      *file << "member,score,at\n";
      ForEachRow(rows, [&](const SampleRow& row) {
        *file << row.member << ',' << row.score << ',' << row.second << '\n';
      });
    });
    return path;
  }

  // Writes the rows as protocol, for redis-cli --pipe.
  std::string WriteZadds() {
    const std::string path = files_.path() + "/rows.resp";
    WriteFile(path, [&](std::ofstream* file) {
      ForEachRow(options_.rows, [&](const SampleRow& row) {
        *file << Encode({"ZADD", kBoard, std::to_string(row.score), row.member});
      });
    });
    return path;
  }

  static ServerProcess StartRedis() {
    return ServerProcess("redis-server", ServerKind::kRedis, "redis-server",
                         InMemory(ServerKind::kRedis));
  }

  double Pipe(const Target& redis, const std::string& path) {
    Connection(redis).Ask({"FLUSHALL"});
    const std::string command =
        "redis-cli -p " + std::to_string(redis.port) + " --pipe < '" + path + "'";
    return PerSecond(options_.rows, SecondsOf({"sh", "-c", command}));
  }

  void RunCsv() {
    std::printf("\nCSV into a data folder, beside redis-cli --pipe into redis-server\n");
    const std::string csv = WriteCsv(options_.rows);
    const std::string zadds = WriteZadds();
    const ServerProcess redis = StartRedis();
    Compare(
        "csv_into_folder",
        [&] {
          return ImportIntoFolder({"--csv", csv});
        },
        [&] { return Pipe(redis.target(), zadds); }, 4.0);
  }

  // Reads the whole set, and inspects only the cursors.
  double Scan(const Target& redis) {
    Connection connection(redis);
    const double seconds = SecondsOf([&] {
      std::string cursor = "0";
      do {
        const std::string page = connection.Ask({"ZSCAN", kBoard, cursor, "COUNT", kPage});
        // The page begins with *2, the length of the cursor, the cursor.
        const std::size_t begin = page.find('\n', page.find('\n') + 1) + 1;
        cursor = page.substr(begin, page.find('\r', begin) - begin);
      } while (cursor != "0");
    });
    return PerSecond(options_.rows, seconds);
  }

  void RunRedis() {
    std::printf("\nA sorted set into a data folder, beside a bare ZSCAN loop with COUNT %s\n",
                kPage);
    const ServerProcess redis = StartRedis();
    FillBoard(redis.target(), kBoard, options_.rows);
    const std::string url = "redis://127.0.0.1:" + std::to_string(redis.target().port);
    Compare(
        "redis_into_folder",
        [&] {
          return ImportIntoFolder({"--from", url, "--key", kBoard});
        },
        [&] { return Scan(redis.target()); }, 0.7);
  }

  void RunServer() {
    const std::uint64_t rows = options_.rows / kServerShare;
    std::printf("\nCSV into a server with its data on disk, beside LB.SET with pipeline %d\n",
                kPipeline);
    const std::string csv = WriteCsv(rows);
    const DataFolder data(options_.folder, "data");
    const ServerProcess ours("laurel", ServerKind::kLaurel, options_.binary,
                             {"--data", data.path()});
    const std::string address = "127.0.0.1:" + std::to_string(ours.target().port);
    const Load sets{{"LB.SET", kBoard, std::string("gamer:") + kRandom, kRandom, "AT",
                     std::to_string(kFirstSecond)},
                    kPipeline,
                    rows};
    const auto import = [&] {
      Connection(ours.target()).Ask({"DEL", kBoard});
      return PerSecond(rows, SecondsOf({options_.binary, "import", "--csv", csv, "--board", kBoard,
                                        "--to", address}));
    };
    const auto set = [&] { return RunLoad(ours.target(), sets, rows).requests_per_second; };
    Compare("csv_into_server", import, set, 1.0);
  }

  const Options& options_;
  Report* report_;
  DataFolder files_;
};

void Run(const Options& options, Report* report) {
  std::printf("Laurel import on: %s\n", DescribeMachine().c_str());
  Bench(options, report).Run();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return RunBench("import", OptionsInto(&options), argc, argv,
                  [&](Report* report) { Run(options, report); });
}
