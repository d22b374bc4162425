#include "tests/storage/engine_rig.h"

#include <cstdio>
#include <cstdlib>

#include "base/assert.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/awaited_turn.h"
#include "engine/embedded/digest.h"
#include "wire/command_table.h"

namespace laurel::testing {
namespace {

constexpr std::uint64_t kOtherHashSeed = 99;

// Passes everything on, and tells of each batch.
class ToldRestorer : public engine::Restorer {
 public:
  ToldRestorer(engine::Keyspace* keys, const FolderContents::OnBatch& on_batch)
      : Restorer(keys), keys_(keys), on_batch_(on_batch) {}

  Status OnBatch(std::uint64_t number, std::string_view effects, bool unsettled) override {
    const Status status = Restorer::OnBatch(number, effects, unsettled);
    if (status.ok() && on_batch_) on_batch_(number, *keys_);
    return status;
  }

 private:
  engine::Keyspace* keys_;
  const FolderContents::OnBatch& on_batch_;
};

}  // namespace

std::optional<std::uint64_t> NumberFromEnvironment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

std::uint64_t TestSeed() {
  const std::uint64_t seed =
      NumberFromEnvironment("LAUREL_TEST_SEED").value_or(base::SystemEntropy());
  std::printf("LAUREL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return seed;
}

void QuietHost::NoteTime(const engine::Request& /*request*/, const engine::Client& /*client*/,
                         std::int64_t /*micros*/) {}

void QuietHost::Notice(NoticeLevel /*level*/, const std::string& text) {
  const std::lock_guard lock(mutex_);
  notices_ += text + "\n";
}

std::string QuietHost::notices() const {
  const std::lock_guard lock(mutex_);
  return notices_;
}

EngineRig::Options EngineRig::Small() {
  Options options;
  options.log.segment_bytes = 4 << 10;
  options.log.fill_bytes = 1 << 10;
  options.keeper.snapshot_log_bytes = std::uint64_t{1} << 40;  // only when asked
  options.keeper.keep_log_bytes = 0;
  options.keeper.retry_us = 1000;
  options.keeper.reserve_bytes = 0;
  return options;
}

EngineRig::EngineRig(base::Folder* folder, const base::Clock* clock, const Options& options) {
  engine::EmbeddedOptions how;
  how.hash_seed = options.hash_seed;
  how.shape = options.shape;
  how.clock = clock;
  how.folder = folder;
  how.log = options.log;
  how.keeper = options.keeper;
  how.live_interval_us = options.live_interval_us;
  engine_ = std::make_unique<engine::EmbeddedEngine>(how, &host_);
}

Result<engine::LoadReport> EngineRig::Start() {
  if (const Status opened = engine_->Open(); !opened.ok()) return opened.error();
  return engine_->Load();
}

std::string EngineRig::Ask(const std::vector<Words>& commands) {
  return Ask(commands, [] {});
}

std::string EngineRig::Ask(const std::vector<Words>& commands,
                           const std::function<void()>& executed) {
  std::vector<std::vector<std::string_view>> arguments;
  std::vector<engine::Request> requests;
  arguments.reserve(commands.size());
  for (const Words& command : commands) {
    arguments.emplace_back(command.begin(), command.end());
    const wire::Lookup found = wire::LookUp(arguments.back());
    LAUREL_ASSERT(found.command != nullptr);
    requests.push_back({found.command, wire::Protocol::kResp2, arguments.back()});
  }
  engine::AwaitedTurn turn(&client_);
  const engine::Transaction transaction{{}, requests};
  const std::vector<std::string_view> exec = {"EXEC"};
  if (commands.size() == 1) {
    turn.requests = requests;
  } else {
    engine::Request request{wire::LookUp(exec).command, wire::Protocol::kResp2, exec};
    request.transaction = &transaction;
    turn.requests.push_back(request);
  }
  engine::Turn* turns[] = {&turn};
  engine_->Execute(turns);
  executed();
  turn.Await();
  return turn.replies;
}

FolderContents::FolderContents(base::Folder* folder, const OnBatch& on_batch,
                               const storage::RecoverOptions& options)
    : keys_(base::SystemMemory(), kOtherHashSeed), recovery_(storage::Recovery()) {
  ToldRestorer restorer(&keys_, on_batch);
  recovery_ = storage::Recover(folder, &restorer, options);
  if (!recovery_.ok()) {
    keys_.catalog().AbandonRestore();
    return;
  }
  if (options.holes == storage::Holes::kPassOver && !recovery_->lost.empty()) restorer.Reconcile();
  if (const Status finished = restorer.Finish(); !finished.ok()) {
    keys_.catalog().AbandonRestore();
    recovery_ = finished.error();
    return;
  }
  digest_ = engine::DigestOf(&keys_).value;
  last_stamp_ = restorer.last_stamp();
}

}  // namespace laurel::testing
