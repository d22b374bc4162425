// ./dev bench seasons: what periods and request ids add to a submit. The engine is in this process,
// with a log, so that nothing but its own work is measured.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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
#include "wire/command_table.h"

namespace {

using namespace laurel;
using namespace laurel::bench;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPipeline = 32;                     // submits of one turn
constexpr std::uint64_t kScores = 1'000'000'000'000'000;  // so many that none comes twice

struct Options {
  std::string json = "build/bench/seasons.json";
  std::string folder = "build/bench/seasons";
  std::uint64_t members = 100'000;
  int repeats = 7;
  double seconds = 1;
};

void PrintUsage() {
  std::printf(
      "usage: laurel_bench_seasons [OPTION…]\n"
      "  --repeats N    rounds, of which the median counts (7)\n"
      "  --seconds S    how long each kind of board is written to in a round (1)\n"
      "  --members N    members of each board (100000)\n"
      "  --folder DIR   where the data is kept (build/bench/seasons)\n"
      "  --json FILE    where the figures go (build/bench/seasons.json)\n");
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

struct Kind {
  std::string name;
  std::vector<std::string> spec;
  bool with_ids = false;
  std::optional<double> bar{};  // on the time of a submit beside that of the first kind
};

std::vector<Kind> Kinds() {
  return {{"plain", {}},
          {"periods_1", {"PERIODS", "1", "day"}},
          {"periods_3", {"PERIODS", "3", "day", "week", "all"}, false, 3.5},
          {"periods_5", {"PERIODS", "5", "hour", "day", "week", "month", "all"}},
          {"ids", {}, true, 1.3},
          {"ids_periods_3", {"PERIODS", "3", "day", "week", "all"}, true}};
}

// A turn of submits that is filled anew and executed again and again.
class Submitter : public engine::Turn {
 public:
  Submitter(engine::Client* client, const Kind& kind) : Turn(client), kind_(kind) {
    for (std::vector<std::string>& words : words_) {
      words = {"LB.SUBMIT", kind.name, "", ""};
      if (kind.with_ids) words.insert(words.end(), {"ID", ""});
    }
  }

  void Execute(engine::Engine* engine, std::uint64_t members, base::Random* random) {
    requests.clear();
    replies.clear();
    executed = 0;
    for (std::size_t i = 0; i < kPipeline; ++i) {
      std::vector<std::string>& words = words_[i];
      words[2] = MemberName(random->Below(members));
      words[3] = std::to_string(random->Below(kScores));
      if (kind_.with_ids) words[5] = "request-" + std::to_string(random->Next());
      arguments_[i].assign(words.begin(), words.end());
      requests.push_back({submit_, wire::Protocol::kResp2, arguments_[i], {}, nullptr, nullptr});
    }
    engine::Turn* turns[] = {this};
    const Clock::time_point begin = Clock::now();
    engine->Execute(turns);
    taken_ += Clock::now() - begin;
    count_ += kPipeline;
    if (replies.find("accepted") == std::string::npos) throw Failure("not accepted: " + replies);
  }

  void Done() override {}
  void Blocked(std::int64_t /*deadline_ms*/) override {}

  // Of a submit since the last call.
  double TakeNanoseconds() {
    const double each = taken_.count() / static_cast<double>(count_);
    taken_ = {};
    count_ = 0;
    return each;
  }

 private:
  const Kind& kind_;
  const wire::CommandInfo* submit_ = &wire::CommandOf(wire::CommandId::kLbSubmit);
  std::array<std::vector<std::string>, kPipeline> words_;
  std::array<std::vector<std::string_view>, kPipeline> arguments_;
  std::chrono::duration<double, std::nano> taken_{};
  std::size_t count_ = 0;
};

void Fill(engine::Engine* engine, const Kind& kind, std::uint64_t members) {
  std::vector<std::string> create = {"LB.CREATE", kind.name};
  create.insert(create.end(), kind.spec.begin(), kind.spec.end());
  Ask(engine, create);
  for (std::uint64_t from = 0; from < members; from += 1000) {
    const std::uint64_t end = std::min(from + 1000, members);
    std::vector<std::string> command = {"LB.MSUBMIT", kind.name, std::to_string(end - from)};
    for (std::uint64_t i = from; i < end; ++i) {
      command.push_back(MemberName(i));
      command.push_back(std::to_string(i));
    }
    Ask(engine, command);
  }
}

int Run(const Options& options) {
  std::printf("Seasons on: %s\n", DescribeMachine().c_str());
  std::printf(
      "load: turns of %zu LB.SUBMIT, %llu members, fsync everysec; medians of %d rounds of %.3g s; "
      "rival the\nsame without\n",
      kPipeline, static_cast<unsigned long long>(options.members), options.repeats,
      options.seconds);
  const DataFolder folder(options.folder, "seasons");
  engine::EmbeddedOptions how;
  how.data = folder.path();
  how.log.sync = storage::SyncMode::kEverySec;
  how.keeper.snapshot_log_bytes = std::uint64_t{1} << 40;  // none meanwhile
  QuietHost host;
  engine::EmbeddedEngine engine(how, &host);
  if (const Status opened = engine.Open(); !opened.ok()) throw Failure(opened.error().message);
  if (const auto loaded = engine.Load(); !loaded.ok()) throw Failure(loaded.error().message);

  const std::vector<Kind> kinds = Kinds();
  engine::Client client;
  base::Random random(1);
  std::vector<std::vector<double>> nanoseconds(kinds.size());
  for (const Kind& kind : kinds) Fill(&engine, kind, options.members);
  for (int repeat = -1; repeat < options.repeats; ++repeat) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      Submitter submitter(&client, kinds[i]);
      const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
      while (Clock::now() < end) submitter.Execute(&engine, options.members, &random);
      if (repeat >= 0) nanoseconds[i].push_back(submitter.TakeNanoseconds());
    }
  }
  Report report;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    Figure figure{kinds[i].name, Median(nanoseconds[i])};
    figure.unit = "ns";
    if (i > 0) figure.rival = Median(nanoseconds[0]);
    if (kinds[i].bar) figure.bar = AtMost(*kinds[i].bar);
    report.Add(figure);
  }
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
