// A disk of a few kilobytes: what the server drops before it refuses writes, how removals and SAVE
// make room again, a start without room, and crashes at every step. No acknowledged write is lost.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/storage/folder_contents.h"
#include "tests/storage/simulated_files.h"
#include "tests/storage/workload.h"
#include "tests/support/engine_rig.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

using Survivors = CrashOptions::Survivors;

constexpr int kPatience = 120'000;  // ms, until the keeper must have acted
constexpr std::uint64_t kReserveBytes = 4 << 10;

// Options for a small disk. keep-log would keep everything.
EngineRig::Options OnSmallDisk() {
  EngineRig::Options options = EngineRig::Small();
  options.keeper.snapshot_log_bytes = 16 << 10;
  options.keeper.keep_log_bytes = std::uint64_t{1} << 40;
  options.keeper.reserve_bytes = kReserveBytes;
  return options;
}

bool IsRefusal(const std::string& reply) {
  return reply.starts_with("-MISCONF") ||
         (reply.starts_with("-EXECABORT") && reply.find("MISCONF") != std::string::npos);
}

bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < kPatience; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class FullDisk : public ::testing::Test {
 protected:
  void Start(std::uint64_t capacity) {
    folder_->set_capacity(capacity);
    Restart();
  }
  void Restart() {
    rig_.reset();
    rig_ = std::make_unique<EngineRig>(folder_.get(), &clock_, OnSmallDisk());
    const Result<engine::LoadReport> started = rig_->Start();
    ASSERT_TRUE(started.ok()) << started.error().message;
  }
  std::string Ask(const Words& command) { return rig_->AskBytes(command); }
  // Repeats the request while the disk has no room for it: a snapshot that makes room may be under
  // way.
  std::string AskPatiently(const std::vector<Words>& commands) {
    std::string reply;
    (void)Eventually([&] {
      reply = rig_->AskAllBytes(commands);
      return !IsRefusal(reply) && !reply.starts_with("-UNKNOWN");
    });
    return reply;
  }
  [[nodiscard]] bool HasNotice(const std::string& text) const {
    return rig_->callbacks().notices().find(text) != std::string::npos;
  }
  // Adds entries, and removes none, until the disk is full.
  void FillForGood() {
    ASSERT_EQ(Ask({"LB.CREATE", "board"}), "+OK\r\n");
    int added = 0;
    for (; !HasNotice("writes that add are refused"); ++added) {
      const std::string number = std::to_string(added);
      (void)Ask({"LB.SUBMIT", "board", "m" + number, number, "META", std::string(60, 'x')});
      (void)Ask({"ZADD", "set", number, "m" + number});
      ASSERT_LT(added, 1'000'000);
      // A keeper that is not scheduled would let the log fill the disk before a snapshot.
      if (added % 50 == 49) (void)Ask({"SAVE"});
    }
    ASSERT_GT(added, 50);
    ASSERT_TRUE(IsRefusal(Ask({"ZADD", "set", "1", "late"})));
  }
  void ExpectThatARestartFindsEverything() {
    const std::uint64_t digest = rig_->engine().Digest();
    rig_->engine().Close(false);
    FolderContents contents(folder_.get());
    ASSERT_TRUE(contents.ok()) << contents.error();
    EXPECT_EQ(contents.digest(), digest);
    ASSERT_NO_FATAL_FAILURE(Restart());
    EXPECT_EQ(rig_->engine().Digest(), digest);
  }

  TestClock clock_;
  std::unique_ptr<SimulatedFolder> folder_ = std::make_unique<SimulatedFolder>();
  std::unique_ptr<EngineRig> rig_;
};

// Notes which threads ask for the space of the disk.
class NotingFolder : public SimulatedFolder {
 public:
  std::optional<base::DiskSpace> Space() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    askers_.insert(std::this_thread::get_id());
    return SimulatedFolder::Space();
  }
  std::set<std::thread::id> TakeAskers() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(askers_, {});
  }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> askers_;
};

// A disk that hangs would stop all clients if a thread asked it with the engine's lock held.
TEST(SpaceOfTheDisk, IsNotMeasuredByTheThreadThatShowsIt) {
  TestClock clock;
  NotingFolder folder;
  folder.set_capacity(1 << 20);
  EngineRig rig(&folder, &clock, OnSmallDisk());
  ASSERT_TRUE(rig.Start().ok());
  folder.TakeAskers();
  ASSERT_EQ(rig.AskBytes({"ZADD", "z", "1", "m"}), ":1\r\n");
  const std::optional<std::uint64_t> shown =
      rig.engine().Measure().persistence.keeper.disk_free_bytes;
  ASSERT_TRUE(shown);
  EXPECT_FALSE(folder.TakeAskers().contains(std::this_thread::get_id()));
  folder.set_capacity(2 << 20);
  EXPECT_TRUE(Eventually([&] {
    return rig.engine().Measure().persistence.keeper.disk_free_bytes > *shown + (1 << 19);
  }));
  EXPECT_FALSE(folder.TakeAskers().contains(std::this_thread::get_id()));
}

// Clients may fill the disk before the keeper's thread runs for the first time.
TEST_F(FullDisk, ReserveIsThereBeforeTheFirstWrite) {
  ASSERT_NO_FATAL_FAILURE(Start(100 << 10));
  EXPECT_GE(folder_->Bytes("reserve").size(), kReserveBytes);
}

TEST_F(FullDisk, RedundantLogIsDroppedAndWritesContinue) {
  ASSERT_NO_FATAL_FAILURE(Start(100 << 10));
  const std::string meta(100, 'x');
  for (int i = 0; i < 4000; ++i) {  // some 800 KB of log
    const std::string member = "m" + std::to_string(i % 50);
    const std::string reply = AskPatiently({{"ZADD", "set", std::to_string(i), member + meta}});
    ASSERT_TRUE(reply.starts_with(':')) << reply << "\n" << rig_->callbacks().notices();
    // A keeper that is not scheduled would let the log fill the disk before a snapshot, and then no
    // part of the log is redundant.
    if (i % 100 == 99) {
      ASSERT_EQ(Ask({"SAVE"}), "+OK\r\n") << rig_->callbacks().notices();
    }
  }
  EXPECT_TRUE(HasNotice("of log that keep-log would keep")) << rig_->callbacks().notices();
  EXPECT_GE(folder_->Bytes("reserve").size(), kReserveBytes);
  ExpectThatARestartFindsEverything();
}

// The parameter is a way to make room: a command, or several of one transaction.
class FullDiskHeals : public FullDisk, public ::testing::WithParamInterface<std::vector<Words>> {};

TEST_P(FullDiskHeals, AfterARemovalAndASave) {
  ASSERT_NO_FATAL_FAILURE(Start(100 << 10));
  ASSERT_NO_FATAL_FAILURE(FillForGood());
  EXPECT_TRUE(IsRefusal(Ask({"LB.CREATE", "other"})));
  EXPECT_TRUE(IsRefusal(rig_->AskAllBytes({{"DEL", "set"}, {"ZADD", "set", "1", "m"}})));
  EXPECT_TRUE(Ask({"ZCARD", "set"}).starts_with(':'));
  const std::string removed = AskPatiently(GetParam());
  ASSERT_FALSE(removed.starts_with('-')) << removed << rig_->callbacks().notices();
  ASSERT_EQ(Ask({"SAVE"}), "+OK\r\n") << rig_->callbacks().notices();
  const std::string added = AskPatiently({{"ZADD", "set", "1", "late"}});
  EXPECT_TRUE(added.starts_with(':')) << added << rig_->callbacks().notices();
  EXPECT_TRUE(Eventually([&] { return HasNotice("writes are accepted"); }));
  ExpectThatARestartFindsEverything();
}

INSTANTIATE_TEST_SUITE_P(
    By, FullDiskHeals,
    ::testing::Values(std::vector<Words>{{"DEL", "board"}}, std::vector<Words>{{"UNLINK", "board"}},
                      std::vector<Words>{{"LB.DROP", "board"}},
                      std::vector<Words>{{"LB.CLEAR", "board"}},
                      std::vector<Words>{{"LB.TRIM", "board", "3"}},
                      std::vector<Words>{{"FLUSHALL"}},
                      std::vector<Words>{{"DEL", "set"}, {"LB.TRIM", "board", "3"}}),
    [](const auto& way) {
      std::string name;
      for (const Words& command : way.param) name += command[0];
      std::erase(name, '.');
      return name;
    });

TEST_F(FullDisk, NamedEntriesThatAreRemovedMakeRoom) {
  constexpr int kMembers = 2000;
  constexpr int kTogether = 20;
  ASSERT_NO_FATAL_FAILURE(Start(100 << 10));
  ASSERT_NO_FATAL_FAILURE(FillForGood());
  std::string added;
  const auto adds = [&] {
    added = Ask({"ZADD", "set", "1", "late"});
    return added.starts_with(':');
  };
  for (int i = 0; i < kMembers && !added.starts_with(':'); i += kTogether) {
    Words remove = {"LB.REMOVE", "board"};
    for (int k = 0; k < kTogether; ++k) remove.push_back("m" + std::to_string(i + k));
    const std::string reply = AskPatiently({remove});
    ASSERT_TRUE(reply.starts_with(':')) << reply << rig_->callbacks().notices();
    // Removals are logged too: a snapshot has to come before they fill the log.
    for (int tries = 0; tries < 500 && !adds(); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  EXPECT_TRUE(Eventually(adds)) << added << rig_->callbacks().notices();
  ExpectThatARestartFindsEverything();
}

TEST_F(FullDisk, WritesAreAcceptedWhenAnotherProcessMakesRoom) {
  ASSERT_NO_FATAL_FAILURE(Start(60 << 10));
  ASSERT_NO_FATAL_FAILURE(FillForGood());
  folder_->set_capacity(400 << 10);
  const std::string added = AskPatiently({{"ZADD", "set", "1", "late"}});
  EXPECT_TRUE(added.starts_with(':')) << added;
  ExpectThatARestartFindsEverything();
}

// The parameter says whether the server was stopped cleanly, or killed.
class StartOnAFullDisk : public FullDisk, public ::testing::WithParamInterface<bool> {};

TEST_P(StartOnAFullDisk, ServesReadsAndAcceptsWritesOnceThereIsRoom) {
  ASSERT_NO_FATAL_FAILURE(Start(60 << 10));
  ASSERT_NO_FATAL_FAILURE(FillForGood());
  const std::uint64_t digest = rig_->engine().Digest();
  if (GetParam()) {
    rig_->engine().Close(true);
  } else {
    std::unique_ptr<SimulatedFolder> left = folder_->CrashKillOnly();
    rig_.reset();
    folder_ = std::move(left);
  }
  folder_->SetBytes("reserve", "");
  folder_->set_capacity(1 << 10);  // so small that dropping files does not help
  ASSERT_NO_FATAL_FAILURE(Restart());
  EXPECT_EQ(rig_->engine().Digest(), digest);
  EXPECT_TRUE(Ask({"ZCARD", "set"}).starts_with(':'));
  EXPECT_TRUE(Ask({"LB.TOP", "board", "1"}).starts_with('*'));
  EXPECT_TRUE(IsRefusal(Ask({"ZADD", "set", "1", "late"})));
  (void)Ask({"LB.CHANGES", "board", "0"});  // must be answered, whatever is left of the log
  EXPECT_EQ(rig_->engine().Digest(), digest);
  folder_->set_capacity(400 << 10);
  const std::string added = AskPatiently({{"ZADD", "set", "1", "late"}});
  EXPECT_TRUE(added.starts_with(':')) << added << rig_->callbacks().notices();
  ExpectThatARestartFindsEverything();
}

INSTANTIATE_TEST_SUITE_P(After, StartOnAFullDisk, ::testing::Bool(),
                         [](const auto& stopped) { return stopped.param ? "Stopped" : "Killed"; });

// Loses power at every call that changes the names or the lengths of files, or syncs names.
TEST_F(FullDisk, ACrashWhileRoomIsMadeLosesNothingAcknowledged) {
  struct Found {
    std::string where;
    std::string error;
    std::uint64_t digest = 0;
    std::size_t acknowledged = 0;
    std::size_t begun = 0;
  };
  base::Random random(TestSeed());
  std::mutex mutex;
  std::vector<Found> found;
  std::atomic<std::size_t> acknowledged{0};
  std::atomic<std::size_t> begun{0};
  const auto crash = [&](const Call& call) {
    const bool renames = call.kind == CallKind::kRename || call.kind == CallKind::kRemove;
    if (!renames && call.kind != CallKind::kTruncate && call.kind != CallKind::kFolderSync) return;
    const std::lock_guard lock(mutex);
    for (const Survivors survivors : {Survivors::kNone, Survivors::kAll, Survivors::kAny}) {
      Found one{call.ToString(), "", 0, acknowledged, 0};
      const auto left = folder_->Crash(&random, {.survivors = survivors});
      one.begun = begun;
      FolderContents contents(left.get());
      if (contents.ok()) {
        one.digest = contents.digest();
      } else {
        one.error = contents.error();
      }
      found.push_back(std::move(one));
    }
  };
  ASSERT_NO_FATAL_FAILURE(Start(60 << 10));
  folder_->before_call = crash;
  folder_->after_call = crash;
  std::vector<std::uint64_t> states = {rig_->engine().Digest()};
  const std::string meta(100, 'x');
  for (int i = 0; i < 1200; ++i) {
    std::string reply;
    (void)Eventually([&] {
      ++begun;
      reply = rig_->AskAllBytes({{"ZADD", "set", std::to_string(i), std::to_string(i % 40) + meta}},
                                [&] { states.push_back(rig_->engine().Digest()); });
      return !IsRefusal(reply);
    });
    ASSERT_TRUE(reply.starts_with(':') || reply.starts_with("-UNKNOWN")) << reply;
    if (reply.starts_with(':')) acknowledged = begun.load();
  }
  rig_.reset();
  for (const Found& one : found) {
    ASSERT_EQ(one.error, "") << one.where;
    const auto first = states.begin() + static_cast<std::ptrdiff_t>(one.acknowledged);
    const auto last = states.begin() + static_cast<std::ptrdiff_t>(one.begun) + 1;
    ASSERT_NE(std::find(first, last, one.digest), last) << one.where;
  }
  EXPECT_GT(found.size(), 100U);
}

}  // namespace
}  // namespace laurel::testing
