// ./dev bench seasons: measures the cost that periods and request ids add to a submit. The engine
// runs in this process, with a log, so that only its own work is measured.
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "bench/embedded/rig.h"
#include "bench/failure.h"
#include "bench/member_name.h"
#include "bench/report.h"
#include "wire/command_table.h"

namespace {

using namespace laurel;
using namespace laurel::bench;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPipeline = 32;  // submits per pipeline

struct Kind {
  std::string name;
  std::vector<std::string> spec;
  bool with_ids = false;
  std::optional<double> bar{};  // on the time of a submit relative to the first kind
};

std::vector<Kind> Kinds() {
  return {{"plain", {}},
          {"periods_1", {"PERIODS", "1", "day"}},
          {"periods_3", {"PERIODS", "3", "day", "week", "all"}, false, 3.5},
          {"periods_5", {"PERIODS", "5", "hour", "day", "week", "month", "all"}},
          {"ids", {}, true, 1.3},
          {"ids_periods_3", {"PERIODS", "3", "day", "week", "all"}, true}};
}

// A pipeline of submits that is refilled and executed repeatedly.
class Submitter {
 public:
  Submitter(testing::TestClient* client, const Kind& kind) : kind_(kind), pipeline_(client) {
    for (std::vector<std::string>& words : words_) {
      words = {"LB.SUBMIT", kind.name, "", ""};
      if (kind.with_ids) words.insert(words.end(), {"ID", ""});
    }
  }

  void Execute(engine::Engine* engine, std::uint64_t members, base::Random* random) {
    pipeline_.Reset();
    for (std::size_t i = 0; i < kPipeline; ++i) {
      std::vector<std::string>& words = words_[i];
      words[2] = MemberName(random->Below(members));
      words[3] = std::to_string(random->Below(kScores));
      if (kind_.with_ids) words[5] = "request-" + std::to_string(random->Next());
      arguments_[i].assign(words.begin(), words.end());
      pipeline_.requests.push_back({submit_, wire::Protocol::kResp2, arguments_[i]});
    }
    engine::Pipeline* pipelines[] = {&pipeline_};
    const Clock::time_point begin = Clock::now();
    engine->Execute(pipelines);
    taken_ += Clock::now() - begin;
    count_ += kPipeline;
    if (pipeline_.Bytes().find("accepted") == std::string::npos) {
      throw Failure("not accepted: " + pipeline_.replies);
    }
  }

  // Returns the nanoseconds per submit since the last call.
  double TakeNanoseconds() {
    const double each = taken_.count() / static_cast<double>(count_);
    taken_ = {};
    count_ = 0;
    return each;
  }

 private:
  const Kind& kind_;
  const wire::CommandInfo* submit_ = &wire::CommandOf(wire::CommandId::kLbSubmit);
  testing::TestPipeline pipeline_;
  std::array<std::vector<std::string>, kPipeline> words_;
  std::array<std::vector<std::string_view>, kPipeline> arguments_;
  std::chrono::duration<double, std::nano> taken_{};
  std::size_t count_ = 0;
};

void Run(const RunOptions& options, Report* report) {
  std::printf("Seasons on: %s\n", DescribeMachine().c_str());
  std::printf(
      "load: pipelines of %zu LB.SUBMIT, %llu members, fsync everysec; medians of %d rounds of "
      "%.3g s; "
      "rival the\nsame without\n",
      kPipeline, static_cast<unsigned long long>(options.members), options.repeats,
      options.seconds);
  RunningEngine engine(options, "seasons", storage::SyncMode::kEverySec);
  std::vector<Kind> kinds = Kinds();
  std::erase_if(kinds, [&](const Kind& kind) { return !options.Wants(kind.name); });
  testing::TestClient client;
  base::Random random(1);
  std::vector<std::vector<double>> nanoseconds(kinds.size());
  for (const Kind& kind : kinds) FillBoard(engine.get(), kind.name, kind.spec, options.members);
  for (int repeat = -1; repeat < options.repeats; ++repeat) {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      Submitter submitter(&client, kinds[i]);
      const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
      while (Clock::now() < end) submitter.Execute(engine.get(), options.members, &random);
      if (repeat >= 0) nanoseconds[i].push_back(submitter.TakeNanoseconds());
    }
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    Figure figure{kinds[i].name, Median(nanoseconds[i])};
    figure.unit = "ns";
    if (i > 0) figure.rival = Median(nanoseconds[0]);
    if (kinds[i].bar && i > 0) figure.bar = AtMost(*kinds[i].bar);
    report->Add(figure);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Uses many short rounds, so that disturbances of the machine affect all kinds alike.
  Group group{"seasons", 60, 0.05, {}};
  for (const Kind& kind : Kinds()) group.kinds.push_back(kind.name);
  return RunGroup(group, argc, argv, Run);
}
