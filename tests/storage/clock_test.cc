// Stamps across restarts, when the system clock steps back between two runs.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {
namespace {

constexpr Stamp kSecond = 1'000'000;
constexpr Stamp kHour = 3600 * kSecond;
constexpr Stamp kDay = 24 * kHour;
constexpr Stamp kStart = 1'700'000'000 * kSecond;

// Whether a run ends with a snapshot, and how far the system clock steps back before the next run.
struct Step {
  bool saves = false;
  Stamp back = 0;
};

// Returns the number after `name` in a flat reply of names and values, or -1.
std::int64_t Number(const std::string& reply, const std::string& name) {
  const std::size_t at = reply.find(name + "\r\n:");
  return at == std::string::npos ? -1 : std::stoll(reply.substr(at + name.size() + 3));
}

class ClockStepsBack : public ::testing::TestWithParam<Step> {};

TEST_P(ClockStepsBack, StampsKeepRisingAndEqualScoresKeepTheirOrder) {
  auto folder = std::make_unique<SimulatedFolder>();
  TestClock clock(kStart);
  std::int64_t last = 0;
  std::string order;
  const int kRuns = 4;
  for (int run = 0; run < kRuns; ++run) {
    {
      EngineRig rig(folder.get(), &clock, {});
      rig.StartOrThrow();
      if (run == 0) rig.AskBytes("LB.CREATE lb TIE first");
      for (int i = 0; i < 3; ++i) {
        const std::string member = "m" + std::to_string(run) + std::to_string(i);
        const std::int64_t stamp = Number(rig.AskBytes("LB.SUBMIT lb " + member + " 5"), "stamp");
        ASSERT_GT(stamp, last) << "run " << run;
        last = stamp;
        order += "$3\r\n" + member + "\r\n";
      }
      // The entries do not show the highest stamp: the entry that got it is removed again.
      const std::int64_t gone = Number(rig.AskBytes("LB.SUBMIT lb gone 5"), "stamp");
      ASSERT_GT(gone, last);
      last = gone;
      rig.AskBytes("LB.REMOVE lb gone");
      if (GetParam().saves) {
        ASSERT_EQ(rig.AskBytes("SAVE"), "+OK\r\n");
      }
      EXPECT_EQ(rig.AskBytes("ZREVRANGE lb 0 -1"),
                "*" + std::to_string(3 * (run + 1)) + "\r\n" + order);
    }
    folder = folder->CrashKillOnly();
    clock.Set(clock.Now() - GetParam().back);
  }
  EXPECT_LT(clock.Now(), kStart);
}

INSTANTIATE_TEST_SUITE_P(Steps, ClockStepsBack,
                         ::testing::Values(Step{false, kHour}, Step{true, kHour}, Step{false, kDay},
                                           Step{true, kDay}),
                         [](const auto& step) {
                           return std::string(step.param.back == kDay ? "Day" : "Hour") +
                                  (step.param.saves ? "WithSnapshot" : "LogAlone");
                         });

TEST(StampLead, IsReportedOnceAndItsEndIsReportedToo) {
  auto folder = std::make_unique<SimulatedFolder>();
  TestClock clock(kStart + 2 * kHour);
  {
    EngineRig rig(folder.get(), &clock, {});
    rig.StartOrThrow();
    rig.AskBytes("LB.CREATE lb");
    rig.AskBytes("LB.SUBMIT lb a 1");
    for (int i = 0; i < 3; ++i) rig.engine().Tick();
    EXPECT_TRUE(rig.callbacks().TakeNotices().empty());
  }
  folder = folder->CrashKillOnly();
  clock.Set(kStart);
  EngineRig rig(folder.get(), &clock, {});
  rig.StartOrThrow();
  rig.callbacks().TakeNotices();
  for (int i = 0; i < 10; ++i) {
    rig.engine().Tick();
    rig.AskBytes("LB.SUBMIT lb a " + std::to_string(i));
  }
  std::vector<std::string> notices = rig.callbacks().TakeNotices();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_TRUE(notices[0].starts_with("! stamps lead the system clock by 2h")) << notices[0];
  clock.Set(kStart + 2 * kHour);
  for (int i = 0; i < 3; ++i) rig.engine().Tick();
  notices = rig.callbacks().TakeNotices();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0], "the system clock has caught up with the stamps");
}

}  // namespace
}  // namespace laurel::testing
