// Loses power before and after every call to the disk: the state found is the one after some prefix
// of the commands, with all acknowledged ones in it.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
// LAUREL_TEST_OPS    scales the run (default 200,000: 100 steps)
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/storage/call_gate.h"
#include "tests/storage/folder_contents.h"
#include "tests/storage/simulated_files.h"
#include "tests/storage/workload.h"
#include "tests/support/engine_rig.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

constexpr std::size_t kDefaultSteps = 1000;
constexpr std::uint64_t kTornWrites = 12;   // one write in kTornWrites is torn at each of its bytes
constexpr std::uint64_t kReopened = 25;     // after one crash in kReopened an engine starts
constexpr std::uint64_t kKilled = 5;        // at one call in kKilled the process is killed too
constexpr std::int64_t kQuietUs = 300;      // so that sync marks of a quiet log occur too
constexpr std::uint64_t kStepsBesides = 4;  // that a snapshot awaits before its first slice

using Survivors = CrashOptions::Survivors;

bool Changes(CallKind kind) {
  return kind != CallKind::kRead && kind != CallKind::kList && kind != CallKind::kLock;
}

class KillPoints : public ::testing::Test {
 protected:
  // What was found after a crash, and the range of states in which it must be.
  struct Found {
    std::string where;
    std::string error;
    std::uint64_t digest = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t begun = 0;
  };

  void Run(const std::vector<Step>& script) {
    UseFolder(std::make_unique<SimulatedFolder>());
    rig_ = std::make_unique<EngineRig>(folder_.load(), &clock_, Options());
    ASSERT_TRUE(rig_->Start().ok());
    states_.push_back(rig_->engine().Digest());
    for (const Step& step : script) {
      SCOPED_TRACE(step.ToString());
      ASSERT_NO_FATAL_FAILURE(Perform(step));
    }
    OpenGate();
    rig_.reset();
  }

  void CheckFound() const {
    for (const Found& found : found_) {
      ASSERT_EQ(found.error, "") << found.where;
      const auto first = states_.begin() + static_cast<std::ptrdiff_t>(found.acknowledged);
      const auto last = states_.begin() + static_cast<std::ptrdiff_t>(found.begun) + 1;
      if (std::find(first, last, found.digest) != last) continue;
      const auto known = std::find(states_.begin(), states_.end(), found.digest);
      FAIL() << found.where << ": "
             << (known == states_.end()
                     ? "a state that never was"
                     : "the state after step " + std::to_string(known - states_.begin()))
             << ", but " << found.acknowledged << " were acknowledged, " << found.begun << " begun";
    }
  }

  std::vector<Found> found_;
  std::vector<std::uint64_t> states_;  // element n: digest after n steps that can change it
  base::Random random_{1};
  std::set<std::string> kinds_;  // kinds of calls seen

 private:
  static EngineRig::Options Options() {
    EngineRig::Options options = EngineRig::Small();
    options.log.quiet_us = kQuietUs;
    return options;
  }

  void UseFolder(std::unique_ptr<SimulatedFolder> folder) {
    SimulatedFolder* raw = folder.get();
    raw->before_call = [this, raw](const Call& call) { OnCall(raw, call, "before "); };
    raw->after_call = [this, raw](const Call& call) { OnCall(raw, call, "after "); };
    folder_ = raw;
    folders_.push_back(std::move(folder));
  }

  void Perform(const Step& step) {
    if (step.kind >= Step::Kind::kSave && step.kind != Step::Kind::kSnapshot) OpenGate();
    switch (step.kind) {
      case Step::Kind::kCommand: {
        ++begun_;
        const std::string reply = rig_->AskAllBytes(
            step.commands, [this] { states_.push_back(rig_->engine().Digest()); });
        ASSERT_FALSE(reply.starts_with("-UNKNOWN") || reply.starts_with("-MISCONF")) << reply;
        acknowledged_ = begun_.load();
        break;
      }
      case Step::Kind::kTime:
        ++begun_;
        clock_.Move(step.micros);
        rig_->engine().Tick();
        states_.push_back(rig_->engine().Digest());
        break;  // there is no reply, so nothing is acknowledged
      case Step::Kind::kSave:
        ASSERT_EQ(rig_->AskBytes(Words{"SAVE"}), "+OK\r\n");
        break;
      case Step::Kind::kSnapshot: {
        const std::lock_guard lock(gate_mutex_);
        gate_ = begun_ + kStepsBesides;
        rig_->AskBytes(Words{"BGSAVE"});
        break;
      }
      case Step::Kind::kRestart:
        rig_->engine().Close(step.with_snapshot);
        acknowledged_ = begun_.load();
        Restart();
        break;
      case Step::Kind::kKill: {
        const std::unique_ptr<EngineRig> killed = std::move(rig_);
        UseFolder(folder_.load()->CrashKillOnly());
        Restart();
        break;
      }
    }
    gate_changed_.notify_all();
  }

  void Restart() {
    rig_.reset();
    rig_ = std::make_unique<EngineRig>(folder_.load(), &clock_, Options());
    const Result<engine::LoadReport> started = rig_->Start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    ASSERT_EQ(started->warnings, std::vector<std::string>());
    ASSERT_EQ(rig_->engine().Digest(), states_.back());
  }

  void OpenGate() {
    const std::lock_guard lock(gate_mutex_);
    gate_ = 0;
    gate_changed_.notify_all();
  }

  void OnCall(SimulatedFolder* folder, const Call& call, const char* when) {
    if (BeginsSnapshot(call)) {
      std::unique_lock lock(gate_mutex_);
      gate_changed_.wait(lock, [&] { return begun_ >= gate_; });
    }
    if (!Changes(call.kind)) return;
    const std::lock_guard lock(mutex_);
    if (folder != folder_) return;  // a call of a process that was killed
    kinds_.insert(std::string(CallKindName(call.kind)));
    const std::string where = when + call.ToString();
    for (const Survivors survivors :
         {Survivors::kNone, Survivors::kAll, Survivors::kPrefix, Survivors::kAny}) {
      CrashAt(folder, {.survivors = survivors}, where);
    }
    if (random_.OneIn(kKilled)) KillAt(folder, where);
    if (call.kind != CallKind::kWrite || *when == 'b' || call.bytes > 600) return;
    if (!random_.OneIn(kTornWrites)) return;
    for (std::uint64_t bytes = 0; bytes < call.bytes; ++bytes) {
      CrashAt(folder, {.survivors = Survivors::kAll, .torn_bytes = bytes}, where);
    }
  }

  void CrashAt(SimulatedFolder* folder, const CrashOptions& options, std::string where) {
    where += ", survivors " + std::to_string(static_cast<int>(options.survivors));
    if (options.torn_bytes) where += ", torn at " + std::to_string(*options.torn_bytes);
    const std::uint64_t acknowledged = acknowledged_;
    const std::unique_ptr<SimulatedFolder> left = folder->Crash(&random_, options);
    Examine(left.get(), {where, "", 0, acknowledged, begun_}, random_.OneIn(kReopened));
  }

  // Kills the process alone: writes that are not synced are still on their way to the disk.
  void KillAt(SimulatedFolder* folder, const std::string& where) {
    const std::uint64_t acknowledged = acknowledged_;
    const std::unique_ptr<SimulatedFolder> left = folder->CrashKillOnly();
    Examine(left.get(), {where + ", killed", "", 0, acknowledged, begun_}, true);
  }

  void Examine(SimulatedFolder* left, Found found, bool go_on) {
    FolderContents contents(left);
    if (contents.ok()) {
      found.digest = contents.digest();
      if (go_on) GoOn(left, &found);
    } else {
      found.error = contents.error();
    }
    found_.push_back(std::move(found));
  }

  // Starts an engine on what was left, writes, and loses power again.
  void GoOn(SimulatedFolder* left, Found* found) {
    const TestClock clock;  // does not advance, so that nothing expires
    EngineRig rig(left, &clock, Options());
    const Result<engine::LoadReport> started = rig.Start();
    if (!started.ok()) {
      found->error = "start: " + started.error().message;
      return;
    }
    if (rig.engine().Digest() != found->digest) found->error = "the engine finds another state";
    const std::string reply = rig.AskBytes(Words{"ZADD", "later", "1", "m"});
    if (!reply.starts_with(':')) found->error = "a write after it: " + reply;
    const std::unique_ptr<SimulatedFolder> again =
        left->Crash(&random_, {.survivors = Survivors::kNone});
    FolderContents contents(again.get());
    if (!contents.ok()) {
      found->error = "after another crash: " + contents.error();
    } else if (contents.digest() != rig.engine().Digest()) {
      found->error = "the write after it is lost";
    }
  }

  TestClock clock_;
  std::vector<std::unique_ptr<SimulatedFolder>> folders_;
  std::atomic<SimulatedFolder*> folder_{nullptr};  // the current one
  std::unique_ptr<EngineRig> rig_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> acknowledged_{0};
  std::mutex gate_mutex_;
  std::condition_variable gate_changed_;
  std::uint64_t gate_ = 0;  // steps that must have begun before a snapshot continues
};

TEST_F(KillPoints, NothingAcknowledgedIsLostAndNothingIsInvented) {
  const std::uint64_t seed = TestSeed();
  const std::uint64_t operations = TestOperations();
  const std::size_t steps =
      std::clamp<std::size_t>(kDefaultSteps * operations / kFullOperations, 60, 10'000);
  random_ = base::Random(seed);
  Run(MakeWorkload(seed, steps));
  if (HasFatalFailure()) return;
  CheckFound();
  EXPECT_GT(found_.size(), steps * 8);
  EXPECT_EQ(kinds_, (std::set<std::string>{"open", "write", "sync", "truncate", "rename", "remove",
                                           "folder sync"}));
  std::printf("%zu crashes, %zu states\n", found_.size(), states_.size());
}

}  // namespace
}  // namespace laurel::testing
