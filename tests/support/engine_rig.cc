#include "tests/support/engine_rig.h"

#include <stdexcept>
#include <utility>

namespace laurel::testing {
namespace {

EngineRig::Options On(base::Folder* folder, const base::Clock* clock, EngineRig::Options options) {
  options.folder = folder;
  options.clock = clock;
  return options;
}

}  // namespace

EngineRig::Options EngineRig::Small() {
  Options options;
  options.hash_seed = 1;
  options.log.segment_bytes = 4 << 10;
  options.log.fill_bytes = 1 << 10;
  options.keeper.snapshot_log_bytes = std::uint64_t{1} << 40;
  options.keeper.keep_log_bytes = 0;
  options.keeper.retry_us = 1000;
  options.keeper.reserve_bytes = 0;
  options.live_interval_us = 1000;
  return options;
}

EngineRig::EngineRig(const Options& options) : options_(options) {
  engine_.emplace(options_, &callbacks_);
}

EngineRig::EngineRig(base::Folder* folder, const base::Clock* clock, const Options& options)
    : EngineRig(On(folder, clock, options)) {}

Result<engine::LoadReport> EngineRig::Start() {
  if (const Status opened = engine_->Open(); !opened.ok()) return opened.error();
  return engine_->Load();
}

void EngineRig::StartOrThrow() {
  if (const auto started = Start(); !started.ok()) {
    throw std::runtime_error(started.error().message);
  }
}

void EngineRig::Restart(bool snapshot) {
  engine_->Close(snapshot);
  Restart(options_.folder);
}

void EngineRig::Restart(base::Folder* left) {
  engine_.reset();
  options_.folder = left;
  engine_.emplace(options_, &callbacks_);
  StartOrThrow();
}

std::string EngineRig::AskAllBytes(const std::vector<Words>& commands,
                                   const std::function<void()>& executed) {
  const auto question =
      Begin(&client_, commands, commands.size() == 1 ? As::kPipeline : As::kTransaction);
  if (executed) executed();
  return question->Bytes();
}

std::unique_ptr<TestPipeline> EngineRig::Begin(TestClient* client,
                                               const std::vector<Words>& commands, As as) {
  auto question = std::make_unique<TestPipeline>(client);
  if (as == As::kTransaction) {
    question->AddTransaction(commands);
  } else {
    for (const Words& command : commands) question->Add(command);
  }
  Execute(question.get());
  return question;
}

std::unique_ptr<TestPipeline> EngineRig::BeginLines(TestClient* client,
                                                    const std::vector<std::string>& lines, As as) {
  std::vector<Words> commands;
  for (const std::string& line : lines) commands.push_back(Split(line));
  return Begin(client, commands, as);
}

void EngineRig::Execute(std::span<TestPipeline* const> questions) {
  const std::vector<engine::Pipeline*> pipelines(questions.begin(), questions.end());
  engine_->Execute(pipelines);
}

void EngineRig::Tick() {
  while (engine_->Tick()) {
  }
}

}  // namespace laurel::testing
