// The data folder, or a file in it, is moved, removed or replaced while the server runs. Writes are
// refused soon, nothing is written into a folder that is not ours, and when the folder is back
// everything in memory is on disk again.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {
namespace {

constexpr int kPatience = 120'000;  // ms

bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < kPatience; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class FolderPlace : public ::testing::TestWithParam<storage::SyncMode> {
 protected:
  void SetUp() override {
    options_ = EngineRig::Small();
    options_.log.check_us = 1000;
    options_.log.sync = GetParam();
    ASSERT_NO_FATAL_FAILURE(Start());
    ASSERT_EQ(Ask({"ZADD", "set", "1", "early"}), ":1\r\n");
  }
  void Start() {
    rig_.reset();
    rig_ = std::make_unique<EngineRig>(&folder_, &clock_, options_);
    const Result<engine::LoadReport> started = rig_->Start();
    ASSERT_TRUE(started.ok()) << started.error().message;
  }
  std::string Ask(const Words& command) { return rig_->AskBytes(command); }
  // Writes a new member. Returns whether the write is refused.
  bool IsRefused() {
    return Ask({"ZADD", "set", "1", "m" + std::to_string(++written_)}).starts_with("-MISCONF");
  }
  [[nodiscard]] std::string Segment() {
    std::string newest;
    for (const std::string& name : folder_.List().value()) {
      if (name.starts_with("log-") && !name.ends_with(".idx")) newest = name;
    }
    return newest;
  }
  void ExpectThatARestartFindsEverything() {
    ASSERT_TRUE(Eventually([&] { return !IsRefused(); })) << rig_->callbacks().notices();
    const std::uint64_t digest = rig_->engine().Digest();
    rig_->engine().Close(false);
    ASSERT_NO_FATAL_FAILURE(Start());
    EXPECT_EQ(rig_->engine().Digest(), digest);
  }

  EngineRig::Options options_;
  TestClock clock_;
  SimulatedFolder folder_;
  std::unique_ptr<EngineRig> rig_;
  int written_ = 0;
};

TEST_P(FolderPlace, WritesAreRefusedWhileTheFolderIsAway) {
  folder_.set_misplaced("the folder was moved");
  ASSERT_TRUE(Eventually([&] { return IsRefused(); }));
  EXPECT_NE(rig_->callbacks().notices().find("the folder was moved"), std::string::npos);
  EXPECT_TRUE(Ask({"ZCARD", "set"}).starts_with(':'));
  // Nothing is written any more, in a time in which the keeper tries often.
  std::uint64_t calls = 0;
  EXPECT_TRUE(Eventually([&] {
    calls = folder_.calls();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return folder_.calls() == calls;
  }));
  EXPECT_TRUE(Ask({"SAVE"}).starts_with("-ERR"));
  EXPECT_EQ(folder_.calls(), calls);
  folder_.set_misplaced("");
  ExpectThatARestartFindsEverything();
}

TEST_P(FolderPlace, IsCheckedEvenWithoutWrites) {
  folder_.set_misplaced("another folder has taken its place");
  EXPECT_TRUE(Eventually(
      [&] { return rig_->callbacks().notices().find("another folder") != std::string::npos; }));
  folder_.set_misplaced("");
  ExpectThatARestartFindsEverything();
}

TEST_P(FolderPlace, ASegmentWithoutRecordsIsReplacedWhenTheFolderIsBack) {
  rig_->engine().Close(false);
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string segment = Segment();
  const auto was_told = [&](const char* text) {
    return rig_->callbacks().notices().find(text) != std::string::npos;
  };
  folder_.set_misplaced("the folder was moved");
  ASSERT_TRUE(Eventually([&] { return was_told("the folder was moved"); }));
  folder_.set_misplaced("");
  ASSERT_TRUE(Eventually([&] { return was_told("writes are accepted"); }));
  EXPECT_EQ(Segment(), segment);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // some checks
  EXPECT_FALSE(was_told("was removed")) << rig_->callbacks().notices();
  ExpectThatARestartFindsEverything();
}

TEST_P(FolderPlace, ARemovedSegmentIsNoticedAndItsDataIsSavedAgain) {
  folder_.Steal(Segment(), std::nullopt);
  EXPECT_TRUE(Eventually([&] {
    (void)IsRefused();
    return rig_->callbacks().notices().find("was removed") != std::string::npos;
  }));
  ExpectThatARestartFindsEverything();
}

TEST_P(FolderPlace, AReplacedSegmentIsNoticedAndItsDataIsSavedAgain) {
  const std::string name = Segment();
  folder_.Steal(name, folder_.Bytes(name));
  EXPECT_TRUE(Eventually([&] {
    (void)IsRefused();
    return rig_->callbacks().notices().find("was replaced") != std::string::npos;
  }));
  ExpectThatARestartFindsEverything();
}

TEST_P(FolderPlace, FilesRemovedByAnotherProcessDoNotStopTheKeeper) {
  ASSERT_EQ(Ask({"SAVE"}), "+OK\r\n");
  for (int i = 0; i < 300; ++i) (void)IsRefused();
  ASSERT_EQ(Ask({"SAVE"}), "+OK\r\n");
  for (const std::string& name : folder_.List().value()) {
    const bool is_newest = name == Segment() || name == folder_.List().value().back();
    if (!is_newest) folder_.Steal(name, std::nullopt);
  }
  for (int i = 0; i < 300; ++i) (void)IsRefused();
  EXPECT_EQ(Ask({"SAVE"}), "+OK\r\n");
  ExpectThatARestartFindsEverything();
}

INSTANTIATE_TEST_SUITE_P(Modes, FolderPlace,
                         ::testing::Values(storage::SyncMode::kAlways, storage::SyncMode::kEverySec,
                                           storage::SyncMode::kOff),
                         [](const auto& mode) {
                           return "Mode" + std::to_string(static_cast<int>(mode.param));
                         });

}  // namespace
}  // namespace laurel::testing
