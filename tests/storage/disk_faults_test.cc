// In one run each, every call to the disk fails: once, or from there on until the disk is healed.
// In other runs the disk is full after every few bytes. No acknowledged write is lost, reads
// continue, writes are refused while they cannot be kept, and when the disk works again everything
// that was applied becomes durable.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
// LAUREL_TEST_OPS    below 2,000,000 (default 200,000): only a proportional share of the calls fail
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/storage/folder_contents.h"
#include "tests/storage/simulated_files.h"
#include "tests/storage/workload.h"
#include "tests/support/engine_rig.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

constexpr std::size_t kSteps = 90;
constexpr int kPatience = 120'000;  // ms, until a healed disk must have been noticed

using Survivors = CrashOptions::Survivors;

// A script without steps of time.
std::vector<Step> MakeScript(std::uint64_t seed) {
  base::Random random(seed);
  std::vector<Step> script;
  for (std::size_t i = 0; script.size() < kSteps; ++i) {
    Step step = RandomStep(&random, i);
    if (step.kind == Step::Kind::kTime) step.kind = Step::Kind::kSave;
    script.push_back(step);
    if (i % 30 == 15) script.push_back({.kind = Step::Kind::kRestart});
  }
  script[0].commands = {{"LB.CREATE", "board0"}};
  script[1].commands = {{"ZADD", "set0", "1", "m"}};
  return script;
}

bool IsRefusal(const std::string& reply) {
  return reply.starts_with("-MISCONF") ||
         (reply.starts_with("-EXECABORT") && reply.find("MISCONF") != std::string::npos);
}

class FaultyRun {
 public:
  FaultyRun(const std::vector<Step>& script, std::uint64_t seed,
            const EngineRig::Options& options = EngineRig::Small())
      : script_(script), random_(seed), options_(options) {}

  // Runs the script while call `number` fails; 0: none does.
  void Run(std::uint64_t number, Fault fault, bool persists) {
    if (number > 0) persists ? folder_.FailFrom(number, fault) : folder_.FailCall(number, fault);
    Play();
  }

  // Runs the script on a disk of `capacity` bytes.
  void Run(std::uint64_t capacity) {
    folder_.set_capacity(capacity);
    Play();
  }
  [[nodiscard]] std::uint64_t calls() const { return folder_.calls(); }
  std::uint64_t unknown = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed_starts = 0;

 private:
  void Play() {
    ASSERT_NO_FATAL_FAILURE(Start());
    for (const Step& step : script_) {
      SCOPED_TRACE(step.ToString());
      ASSERT_NO_FATAL_FAILURE(Perform(step));
      if (!random_.OneIn(4)) continue;
      ASSERT_NO_FATAL_FAILURE(CheckCrash(Survivors(random_.Below(4))));
    }
    ASSERT_NO_FATAL_FAILURE(HealAndCheck());
  }

  void Start() {
    rig_ = std::make_unique<EngineRig>(&folder_, &clock_, options_);
    Result<engine::LoadReport> started = rig_->Start();
    if (!started.ok()) {
      ++failed_starts;
      rig_.reset();
      Heal();
      rig_ = std::make_unique<EngineRig>(&folder_, &clock_, options_);
      started = rig_->Start();
    }
    ASSERT_TRUE(started.ok()) << started.error().message;
    const std::uint64_t digest = rig_->engine().Digest();
    ASSERT_TRUE(possible_.empty() || IsPossible(digest)) << "after a restart";
    // While the disk is too full to write anything, the outcome of UNKNOWN writes stays open.
    const bool is_full = !rig_->engine().Measure().persistence.trouble.empty();
    if (!is_full || possible_.empty()) possible_ = {digest};
  }

  void Perform(const Step& step) {
    if (step.kind == Step::Kind::kSave) {
      const std::string reply = rig_->AskBytes(Words{"SAVE"});
      ASSERT_TRUE(reply == "+OK\r\n" || reply.starts_with("-ERR")) << reply;
      return;
    }
    if (step.kind == Step::Kind::kRestart) {
      rig_->engine().Close(random_.OneIn(2));
      rig_.reset();
      return Start();
    }
    const std::uint64_t before = rig_->engine().Digest();
    const std::string reply = rig_->AskAllBytes(step.commands);
    const std::uint64_t after = rig_->engine().Digest();
    history_.push_back(after);
    if (IsRefusal(reply)) {
      ++refused;
      ASSERT_EQ(before, after) << "refused, but applied: " << reply;
    } else if (reply.starts_with("-UNKNOWN")) {
      ++unknown;
      possible_.push_back(after);
    } else {
      possible_ = {after};
    }
    ASSERT_TRUE(rig_->AskBytes(Words{"ZCARD", "set0"}).starts_with(':'));
    ASSERT_FALSE(rig_->AskBytes(Words{"LB.LIST"}).starts_with('-'));
  }

  [[nodiscard]] bool IsPossible(std::uint64_t digest) const {
    return std::find(possible_.begin(), possible_.end(), digest) != possible_.end();
  }

  // For messages: how many commands ago the engine last had this state.
  [[nodiscard]] std::string WhenItWas(std::uint64_t digest) const {
    const auto found = std::find(history_.rbegin(), history_.rend(), digest);
    if (found == history_.rend()) return "a state that never was";
    return "the state of " + std::to_string(found - history_.rbegin()) + " commands ago";
  }

  void CheckCrash(Survivors survivors) {
    // The state may change meanwhile: what became due while nothing could be written is done when
    // writes are accepted again.
    const std::uint64_t before = rig_->engine().Digest();
    const std::unique_ptr<SimulatedFolder> left = folder_.Crash(&random_, {.survivors = survivors});
    const std::uint64_t after = rig_->engine().Digest();
    FolderContents contents(left.get());
    ASSERT_TRUE(contents.ok()) << contents.error() << "\n" << rig_->callbacks().notices();
    const bool is_current = contents.digest() == before || contents.digest() == after;
    ASSERT_TRUE(is_current || IsPossible(contents.digest()))
        << "acknowledged writes are lost, or invented ones found; survivors "
        << static_cast<int>(survivors) << ", " << WhenItWas(contents.digest()) << "\n"
        << rig_->callbacks().notices();
    if (!random_.OneIn(4)) return;
    // Start a server on it, with as much room as the crash has left.
    EngineRig next(left.get(), &clock_, options_);
    const Result<engine::LoadReport> started = next.Start();
    ASSERT_TRUE(started.ok() || contents.recovery().history == 0) << started.error().message;
    if (started.ok()) {
      ASSERT_EQ(next.engine().Digest(), contents.digest());
    }
  }

  void Heal() {
    folder_.Heal();
    folder_.set_capacity(std::nullopt);
  }

  void HealAndCheck() {
    Heal();
    std::string reply;
    for (int i = 0; i < kPatience; ++i) {
      reply = rig_->AskBytes(Words{"ZADD", "probe", std::to_string(i), "m"});
      if (reply.starts_with(':')) break;
      ASSERT_TRUE(IsRefusal(reply) || reply.starts_with("-UNKNOWN")) << reply;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(reply.starts_with(':')) << reply << rig_->callbacks().notices();
    possible_ = {rig_->engine().Digest()};
    ASSERT_NO_FATAL_FAILURE(CheckCrash(Survivors::kNone));
    ASSERT_NO_FATAL_FAILURE(CheckCrash(Survivors::kAny));
    rig_->engine().Close(true);
    rig_.reset();
    ASSERT_NO_FATAL_FAILURE(Start());
  }

  const std::vector<Step>& script_;
  base::Random random_;
  const EngineRig::Options options_;
  TestClock clock_;
  SimulatedFolder folder_;
  std::unique_ptr<EngineRig> rig_;
  std::vector<std::uint64_t> history_;   // digests after each command
  std::vector<std::uint64_t> possible_;  // digests that a crash may leave
};

class DiskFaults : public ::testing::TestWithParam<std::tuple<Fault, bool>> {};

TEST_P(DiskFaults, InEveryCallLoseNothingAndHeal) {
  const std::uint64_t seed = TestSeed();
  const std::vector<Step> script = MakeScript(seed);
  FaultyRun healthy(script, seed);
  ASSERT_NO_FATAL_FAILURE(healthy.Run(0, Fault::kError, false));
  ASSERT_EQ(healthy.unknown + healthy.refused + healthy.failed_starts, 0U);
  const std::uint64_t operations = TestOperations();
  const std::uint64_t stride = std::max<std::uint64_t>(1, kFullOperations / (operations + 1));
  const auto [fault, persists] = GetParam();
  std::uint64_t unknown = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed_starts = 0;
  for (std::uint64_t number = 1; number <= healthy.calls(); number += stride) {
    SCOPED_TRACE("call " + std::to_string(number));
    FaultyRun run(script, seed + number);
    ASSERT_NO_FATAL_FAILURE(run.Run(number, fault, persists));
    unknown += run.unknown;
    refused += run.refused;
    failed_starts += run.failed_starts;
  }
  std::printf("%llu calls, %llu unknown, %llu refused, %llu failed starts\n",
              static_cast<unsigned long long>(healthy.calls()),
              static_cast<unsigned long long>(unknown), static_cast<unsigned long long>(refused),
              static_cast<unsigned long long>(failed_starts));
  if (stride > 1) return;  // too few runs to cover everything
  EXPECT_GT(unknown, 0U);
  EXPECT_GT(failed_starts, 0U);
  if (persists && fault != Fault::kShortWrite) {
    EXPECT_GT(refused, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DiskFaults,
                         ::testing::Combine(::testing::Values(Fault::kError, Fault::kNoSpace,
                                                              Fault::kShortWrite),
                                            ::testing::Bool()));

// The script leaves about 20 KB, and keep-log would keep everything.
TEST(DiskTrouble, AFullDiskOfAnySizeLosesNothingAndHeals) {
  const std::uint64_t seed = TestSeed();
  const std::vector<Step> script = MakeScript(seed);
  EngineRig::Options options = EngineRig::Small();
  options.keeper.snapshot_log_bytes = 8 << 10;
  options.keeper.keep_log_bytes = std::uint64_t{1} << 40;
  options.keeper.reserve_bytes = 2 << 10;
  const std::uint64_t operations = TestOperations();
  const std::uint64_t step = std::max<std::uint64_t>(61, kFullOperations * 61 / (operations + 1));
  std::uint64_t refused = 0;
  std::uint64_t accepted_runs = 0;
  for (std::uint64_t capacity = 1; capacity < 30'000; capacity += step) {
    SCOPED_TRACE("capacity " + std::to_string(capacity));
    FaultyRun run(script, seed + capacity, options);
    ASSERT_NO_FATAL_FAILURE(run.Run(capacity));
    // Only a new folder needs room to start.
    ASSERT_LE(run.failed_starts, capacity < 2048 ? 1U : 0U);
    refused += run.refused;
    if (run.refused + run.unknown == 0) ++accepted_runs;
  }
  std::printf("%llu refused, %llu runs without\n", static_cast<unsigned long long>(refused),
              static_cast<unsigned long long>(accepted_runs));
  if (step > 61) return;  // too few runs to cover everything
  EXPECT_GT(refused, 0U);
  EXPECT_GT(accepted_runs, 0U);
}

TEST(DiskTrouble, NothingExpiresWhileNothingCanBeWritten) {
  TestClock clock;
  SimulatedFolder folder;
  EngineRig rig(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig.Start().ok());
  ASSERT_EQ(rig.AskBytes(Words{"ZADD", "a", "1", "m"}), ":1\r\n");
  ASSERT_EQ(rig.AskBytes(Words{"PEXPIRE", "a", "1000"}), ":1\r\n");
  folder.FailFrom(folder.calls() + 1, Fault::kError);
  ASSERT_TRUE(rig.AskBytes(Words{"ZADD", "b", "1", "m"}).starts_with("-UNKNOWN"));
  clock.Move(2'000'000);
  rig.engine().Tick();
  EXPECT_EQ(rig.AskBytes(Words{"ZCARD", "a"}), ":1\r\n");
  folder.Heal();
  while (IsRefusal(rig.AskBytes(Words{"ZADD", "c", "1", "m"}))) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(rig.AskBytes(Words{"ZCARD", "a"}), ":0\r\n");
  EXPECT_EQ(rig.AskBytes(Words{"ZCARD", "b"}), ":1\r\n");
}

// After a failed sync the kernel may show bytes that the disk does not have. A server that starts
// on them must make them durable before it continues.
TEST(DiskTrouble, RecordsFoundAfterAFailedSyncAreDurableBeforeNewWritesAreAcknowledged) {
  TestClock clock;
  SimulatedFolder folder;
  std::atomic<bool> fails{false};
  folder.before_call = [&](const Call& call) {
    if (fails && call.kind == CallKind::kSync) folder.FailFrom(call.number, Fault::kError);
  };
  EngineRig rig(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig.Start().ok());
  ASSERT_EQ(rig.AskBytes(Words{"ZADD", "a", "1", "m"}), ":1\r\n");
  fails = true;
  ASSERT_TRUE(rig.AskBytes(Words{"ZADD", "b", "1", "m"}).starts_with("-UNKNOWN"));
  const std::unique_ptr<SimulatedFolder> found = folder.CrashKillOnly();
  EngineRig next(found.get(), &clock, EngineRig::Small());
  ASSERT_TRUE(next.Start().ok());
  ASSERT_EQ(next.AskBytes(Words{"ZADD", "c", "1", "m"}), ":1\r\n");
  base::Random random(1);
  const std::unique_ptr<SimulatedFolder> left =
      found->Crash(&random, {.survivors = Survivors::kNone});
  FolderContents contents(left.get());
  ASSERT_TRUE(contents.ok()) << contents.error();
  EXPECT_EQ(contents.digest(), next.engine().Digest());
}

}  // namespace
}  // namespace laurel::testing
