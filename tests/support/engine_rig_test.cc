// Tests of the rig that other tests use for an engine in their own process.
#include "tests/support/engine_rig.h"

#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/storage/simulated_files.h"

namespace laurel::testing {
namespace {

class EngineRigTest : public ::testing::Test {
 protected:
  TestClock clock_;
  EngineRig rig_{nullptr, &clock_};
};

TEST_F(EngineRigTest, RepliesComeAsValuesOrBytes) {
  EXPECT_EQ(rig_.Ask("ZADD s 1 a 2 b").Integer(), 2);
  EXPECT_EQ(rig_.AskBytes(Words{"ZADD", "s", "3", "with blank"}), ":1\r\n");
  EXPECT_EQ(rig_.Ask("ZRANGE s 0 -1").ToString(), R"(["a", "b", "with blank"])");
  EXPECT_EQ(rig_.AskAllBytes({{"ZCARD", "s"}, {"DEL", "s"}}), "*2\r\n:3\r\n:1\r\n");
}

TEST_F(EngineRigTest, EachClientHasItsOwnProtocolAndAccess) {
  rig_.Ask("ZADD s 1.5 a");
  TestClient guest(wire::Protocol::kResp3);
  guest.access = engine::Access("guest", "t*");
  EXPECT_TRUE(rig_.BeginLines(&guest, {"ZSCORE s a"})->Answer().IsError());
  guest.access = {};
  EXPECT_EQ(rig_.BeginLines(&guest, {"ZSCORE s a"})->Answer().ToString(), ",1.5");
  EXPECT_EQ(rig_.Ask("ZSCORE s a").ToString(), "\"1.5\"");
}

TEST_F(EngineRigTest, QuestionsOfSeveralClientsExecuteInOneBatch) {
  TestClient first;
  TestClient second;
  TestPipeline pipeline(&first);
  pipeline.Add({"ZADD", "s", "1", "a"});
  pipeline.Add({"ZCARD", "s"});
  TestPipeline transaction(&second);
  transaction.AddTransaction({{"ZINCRBY", "s", "1", "a"}, {"ZCARD", "s"}});
  TestPipeline* both[] = {&pipeline, &transaction};
  rig_.Execute(both);
  EXPECT_EQ(pipeline.Answers().size(), 2U);
  EXPECT_EQ(transaction.Answer().Plain(), "[2 1]");
}

TEST_F(EngineRigTest, BlockedQuestionIsAnsweredByAWriteOrCancelled) {
  TestClient waits;
  const auto pop = rig_.BeginLines(&waits, {"BZPOPMIN s 0"});
  EXPECT_TRUE(pop->blocked());
  EXPECT_FALSE(pop->answered());
  rig_.Ask("ZADD s 1 a");
  EXPECT_EQ(pop->Answer().Plain(), "[s a 1]");
  const auto limited = rig_.BeginLines(&waits, {"BZPOPMIN s 1"});
  EXPECT_EQ(limited->deadline_ms(), TestClock::kStart / 1000 + 1000);
  EXPECT_TRUE(rig_.engine().Cancel(limited.get(), engine::Wakeup::kTimeout));
  EXPECT_TRUE(limited->Answer().IsNull());
}

TEST_F(EngineRigTest, EngineUsesTheClockOfTheTest) {
  rig_.Ask("ZADD s 1 a");
  rig_.Ask("PEXPIRE s 1000");
  clock_.Move(999'999);
  EXPECT_EQ(rig_.Ask("EXISTS s").Integer(), 1);
  clock_.Set(TestClock::kStart + 1'000'000);
  EXPECT_EQ(rig_.Ask("EXISTS s").Integer(), 0);
}

TEST_F(EngineRigTest, UnknownCommandsAndWrongArityThrow) {
  EXPECT_THROW(rig_.Ask("NOSUCH x"), std::runtime_error);
  EXPECT_THROW(rig_.Ask("ZADD s"), std::runtime_error);
}

TEST(EngineRigRestart, LoadsTheDataOfASimulatedDisk) {
  const TestClock clock;
  SimulatedFolder folder;
  std::unique_ptr<SimulatedFolder> killed;  // outlives the rig, which uses it last
  EngineRig rig(&folder, &clock);
  rig.StartOrThrow();
  rig.Ask("ZADD s 1 a");
  for (const bool snapshot : {false, true}) {
    rig.Restart(snapshot);
    EXPECT_EQ(rig.Ask("ZCARD s").Integer(), 1);
  }
  killed = folder.CrashKillOnly();
  rig.Ask("ZADD s 2 late");
  rig.Restart(killed.get());
  EXPECT_EQ(rig.Ask("ZCARD s").Integer(), 1);
}

TEST(EngineRigRestart, LoadsTheDataOfARealFolder) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("laurel_rig_" + std::to_string(getpid()));
  {
    EngineRig::Options options = EngineRig::Small();
    options.data = folder.string();
    EngineRig rig(options);
    rig.StartOrThrow();
    rig.Ask("ZADD s 1 a");
    rig.Restart();
    EXPECT_EQ(rig.Ask("ZCARD s").Integer(), 1);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace laurel::testing
