#include "bench/embedded/rig.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/random.h"
#include "bench/failure.h"
#include "bench/member_name.h"
#include "bench/option_parser.h"
#include "bench/program.h"

namespace laurel::bench {
namespace {

constexpr std::uint64_t kFillStep = 1000;  // members of one LB.MSUBMIT

OptionParser OptionsInto(const Group& group, RunOptions* options) {
  std::string kinds;
  for (const std::string& kind : group.kinds) kinds += (kinds.empty() ? "" : ", ") + kind;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", group.seconds);
  OptionParser parser;
  parser.AddChoice("--only", "KIND", "one of: " + kinds, group.kinds, &options->only);
  parser.AddNumber("--repeats", "N",
                   "rounds, of which the median counts (" + std::to_string(group.repeats) + ")",
                   &options->repeats);
  parser.AddNumber("--seconds", "S",
                   std::string("how long each kind is written to in a round (") + seconds + ")",
                   &options->seconds);
  parser.AddNumber("--members", "N",
                   "members of a board (" + std::to_string(options->members) + ")",
                   &options->members);
  parser.AddText("--folder", "DIR", "where the data is kept, on a disk (" + options->folder + ")",
                 &options->folder);
  return parser;
}

}  // namespace

int RunGroup(const Group& group, int argc, char** argv,
             const std::function<void(const RunOptions&, Report*)>& run) {
  RunOptions options;
  options.folder = "build/bench/" + group.name;
  options.repeats = group.repeats;
  options.seconds = group.seconds;
  return RunBench(group.name, OptionsInto(group, &options), argc, argv,
                  [&](Report* report) { run(options, report); });
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
