// The same commands give the same state, to the last stamp: live, replayed, loaded, in every build.
// Stamps rise whatever the clock does between two runs.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/storage/folder_contents.h"
#include "tests/storage/simulated_files.h"
#include "tests/storage/workload.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {
namespace {

constexpr std::uint64_t kSeed = 20'240'101;
constexpr std::uint64_t kSteps = 2'000;
// The digest of the state after the steps from that seed. It changes with the workload and with the
// form of the digest, and with nothing else.
constexpr std::uint64_t kDigest = 7'631'825'053'518'087'107U;

constexpr Stamp kHour = Stamp{3600} * 1'000'000;

// Runs the random steps, without FLUSHALL.
void Play(EngineRig* rig, TestClock* clock) {
  base::Random random(kSeed);
  rig->AskBytes(Words{"LB.TEMPLATE", "SET", "board*"});
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    const Step step = RandomStep(&random, i);
    if (step.kind == Step::Kind::kTime) {
      clock->Move(step.micros);
      rig->engine().Tick();
    } else if (step.commands[0][0] != "FLUSHALL") {
      rig->AskAllBytes(step.commands);
    }
  }
}

TEST(Determinism, TheDigestIsTheSameLiveReplayedAndLoadedAndInEveryBuild) {
  TestClock clock;
  SimulatedFolder folder;
  auto rig = std::make_unique<EngineRig>(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig->Start().ok());
  Play(rig.get(), &clock);
  const std::uint64_t live = rig->engine().Digest();
  EXPECT_EQ(live, kDigest);

  // The log alone, replayed by an engine with another hash seed.
  rig->engine().Close(false);
  EngineRig::Options options = EngineRig::Small();
  options.hash_seed = 4711;
  rig = std::make_unique<EngineRig>(&folder, &clock, options);
  ASSERT_TRUE(rig->Start().ok());
  EXPECT_EQ(rig->engine().Digest(), live);

  // A snapshot, and records after it that lead back to the same state.
  ASSERT_EQ(rig->AskBytes(Words{"SAVE"}), "+OK\r\n");
  rig->AskBytes(Words{"ZADD", "brief", "1", "m"});
  EXPECT_NE(rig->engine().Digest(), live);
  rig->AskBytes(Words{"DEL", "brief"});
  rig->engine().Close(false);
  FolderContents with_log(&folder);
  ASSERT_TRUE(with_log.ok()) << with_log.error();
  EXPECT_EQ(with_log.digest(), live);
  EXPECT_EQ(with_log.recovery().batches, 2U);

  // A snapshot alone.
  rig = std::make_unique<EngineRig>(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig->Start().ok());
  rig->engine().Close(true);
  FolderContents snapshot(&folder);
  ASSERT_TRUE(snapshot.ok()) << snapshot.error();
  EXPECT_EQ(snapshot.digest(), live);
  EXPECT_EQ(snapshot.recovery().batches, 0U);
}

TEST(Determinism, TheDigestChangesWithEveryVisibleChange) {
  TestClock clock;
  SimulatedFolder folder;
  EngineRig rig(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig.Start().ok());
  std::uint64_t before = rig.engine().Digest();
  for (const Words& command :
       std::vector<Words>{{"LB.CREATE", "a"},
                          {"LB.SUBMIT", "a", "m", "1"},
                          {"LB.SUBMIT", "a", "m", "2"},
                          {"LB.META", "a", "m", "x"},
                          {"LB.HIDE", "a", "m"},
                          {"LB.HIDE", "a", "n"},
                          {"LB.SHOW", "a", "m"},
                          {"LB.SET", "a", "m", "3"},
                          {"PEXPIRE", "a", "100"},
                          {"PERSIST", "a"},
                          {"LB.ALTER", "a", "CAP", "5"},
                          {"LB.ALTER", "a", "END", "4102444800", "GRACE", "5s"},
                          {"LB.SUBMIT", "a", "m", "3", "ID", "i"},
                          {"RENAME", "a", "b"},
                          {"LB.CREATE", "s", "PERIODS", "1", "day"},
                          {"LB.SUBMIT", "s", "m", "1"},
                          {"LB.CLEAR", "s@day"},
                          {"LB.ALTER", "s", "KEEP", "3"},
                          {"LB.TEMPLATE", "SET", "x*"},
                          {"LB.TEMPLATE", "DEL", "x*"}}) {
    const std::string reply = rig.AskBytes(command);
    EXPECT_FALSE(reply.starts_with('-')) << reply;
    EXPECT_NE(rig.engine().Digest(), before) << command[0];
    before = rig.engine().Digest();
  }
}

// The entries have equal scores, so they are in the order of their stamps.
std::string Order(EngineRig* rig) { return rig->AskBytes(Words{"ZREVRANGE", "ties", "0", "-1"}); }

class SteppedClock : public ::testing::TestWithParam<std::tuple<Stamp, bool>> {};

TEST_P(SteppedClock, StepsBackBetweenTwoRunsAndStampsStillRise) {
  const auto [step, with_snapshot] = GetParam();
  TestClock clock;
  SimulatedFolder folder;
  Stamp last = 0;
  for (int run = 0; run < 4; ++run) {
    EngineRig rig(&folder, &clock, EngineRig::Small());
    ASSERT_TRUE(rig.Start().ok());
    rig.AskBytes(Words{"LB.CREATE", "ties"});
    const std::string early = "early" + std::to_string(9 - run);
    rig.AskBytes(Words{"LB.SUBMIT", "ties", early, "7"});
    // The entry with the highest stamp is removed, but its stamp is remembered.
    rig.AskBytes(Words{"LB.SUBMIT", "ties", "gone", "7"});
    rig.AskBytes(Words{"LB.REMOVE", "ties", "gone"});
    rig.engine().Close(with_snapshot);
    FolderContents contents(&folder);
    ASSERT_TRUE(contents.ok()) << contents.error();
    EXPECT_GT(contents.last_stamp(), last);
    last = contents.last_stamp();
    clock.Move(-step);
  }
  EngineRig rig(&folder, &clock, EngineRig::Small());
  ASSERT_TRUE(rig.Start().ok());
  EXPECT_EQ(Order(&rig), "*4\r\n$6\r\nearly9\r\n$6\r\nearly8\r\n$6\r\nearly7\r\n$6\r\nearly6\r\n");
}

INSTANTIATE_TEST_SUITE_P(All, SteppedClock,
                         ::testing::Combine(::testing::Values(kHour, 24 * kHour),
                                            ::testing::Bool()));

}  // namespace
}  // namespace laurel::testing
