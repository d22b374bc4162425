#include "bench/embedded/rig.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/random.h"
#include "bench/member_name.h"
#include "bench/server/process.h"

namespace laurel::bench {
namespace {

constexpr std::uint64_t kFillStep = 1000;  // members of one LB.MSUBMIT

void PrintUsage(const Group& group) {
  std::string kinds;
  for (const std::string& kind : group.kinds) kinds += (kinds.empty() ? "" : ", ") + kind;
  std::printf(
      "usage: laurel_bench_%s [OPTION…]\n"
      "  --only KIND    one of: %s\n"
      "  --repeats N    rounds, of which the median counts (%d)\n"
      "  --seconds S    how long each kind is written to in a round (%g)\n"
      "  --members N    members of a board (%llu)\n"
      "  --folder DIR   where the data is kept, on a disk (build/bench/%s)\n"
      "  --json FILE    where the figures go (build/bench/%s.json)\n",
      group.name.c_str(), kinds.c_str(), group.repeats, group.seconds,
      static_cast<unsigned long long>(RunOptions().members), group.name.c_str(),
      group.name.c_str());
}

bool ParseOptions(const Group& group, int argc, char** argv, RunOptions* options) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 >= argc) return false;
    const std::string_view option = argv[i];
    const std::string value = argv[i + 1];
    const double number = std::strtod(value.c_str(), nullptr);
    if (option == "--json") {
      options->json = value;
    } else if (option == "--folder") {
      options->folder = value;
    } else if (option == "--only") {
      options->only = value;
      if (std::find(group.kinds.begin(), group.kinds.end(), value) == group.kinds.end()) {
        return false;
      }
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

}  // namespace

int RunGroup(const Group& group, int argc, char** argv,
             const std::function<void(const RunOptions&, Report*)>& run) {
  RunOptions options;
  options.json = "build/bench/" + group.name + ".json";
  options.folder = "build/bench/" + group.name;
  options.repeats = group.repeats;
  options.seconds = group.seconds;
  if (!ParseOptions(group, argc, argv, &options)) {
    PrintUsage(group);
    return 2;
  }
  try {
    Report report;
    run(options, &report);
    if (!report.WriteJson(options.json)) throw Failure("cannot write " + options.json);
    std::printf("\n%s\nfigures: %s\n", report.BarsMet().c_str(), options.json.c_str());
    return 0;
  } catch (const Failure& failure) {
    std::fprintf(stderr, "bench: %s\n", failure.what());
    return 1;
  }
}

RunningEngine::RunningEngine(const RunOptions& options, const std::string& kind,
                             std::optional<storage::SyncMode> sync) {
  testing::EngineRig::Options how;
  if (sync) {
    how.data = folder_.emplace(options.folder, kind).path();
    how.log.sync = *sync;
  }
  how.keeper.snapshot_log_bytes = std::uint64_t{1} << 40;
  rig_.emplace(how);
  if (const auto started = rig_->Start(); !started.ok()) throw Failure(started.error().message);
}

RunningEngine::~RunningEngine() {
  for (const std::string& notice : rig_->callbacks().TakeNotices()) {
    std::fprintf(stderr, "bench: %s\n", notice.c_str());
  }
}

std::string Ask(engine::Engine* engine, testing::TestClient* client,
                const std::vector<std::string>& command) {
  testing::TestPipeline question(client);
  question.Add(command);
  engine::Pipeline* pipelines[] = {&question};
  engine->Execute(pipelines);
  const std::string& reply = question.Bytes();
  if (reply.starts_with('-')) throw Failure(reply);
  return reply;
}

void FillBoard(engine::Engine* engine, const std::string& board,
               const std::vector<std::string>& spec, std::uint64_t members) {
  testing::TestClient client;
  std::vector<std::string> create = {"LB.CREATE", board};
  create.insert(create.end(), spec.begin(), spec.end());
  Ask(engine, &client, create);
  base::Random random(1);
  for (std::uint64_t from = 0; from < members; from += kFillStep) {
    const std::uint64_t end = std::min(from + kFillStep, members);
    std::vector<std::string> command = {"LB.MSUBMIT", board, std::to_string(end - from)};
    for (std::uint64_t i = from; i < end; ++i) {
      command.push_back(MemberName(i));
      command.push_back(std::to_string(random.Below(kScores)));
    }
    Ask(engine, &client, command);
  }
}

}  // namespace laurel::bench
