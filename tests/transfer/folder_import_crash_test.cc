// Power losses, kills, failing calls and full disks during an import into a data folder: the folder
// holds the state before the import or the one after it, nothing else, and a server can go on with
// it.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "laurel/spec.h"
#include "tests/storage/boards_world.h"
#include "tests/storage/folder_contents.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"
#include "tests/support/seed.h"
#include "tests/transfer/draft_rows.h"
#include "transfer/targets/folder_sink.h"

namespace laurel::testing {
namespace {

using Survivors = CrashOptions::Survivors;
using transfer::FolderSink;

constexpr std::uint64_t kReopened = 6;  // after one crash in kReopened a server starts

bool Changes(CallKind kind) {
  return kind != CallKind::kRead && kind != CallKind::kList && kind != CallKind::kLock;
}

// An import into three boards: one that is there, one that is there and empty, a new one with
// periods.
class ImportCase {
 public:
  ImportCase(Stamp now, base::Random* random) : now_(now) {
    seasonal_.periods = {Period::kDay, Period::kAll};
    seasonal_.cap = 20;
    rows_ = RandomRows(Spec{}, 300, 100, now, random);
    more_ = RandomRows(seasonal_, 200, 100, now, random);
  }

  // Fills a folder with a server: a snapshot, and a log behind it.
  void Prepare(SimulatedFolder* folder, const base::Clock* clock, bool stopped) {
    EngineRig rig(folder, clock);
    ASSERT_TRUE(rig.Start().ok());
    for (const char* line : {"LB.CREATE lb", "LB.CREATE empty", "ZADD set 1 a", "SAVE",
                             "LB.SUBMIT lb ann 5", "LB.SUBMIT lb 7 100", "ZADD set 2 b"}) {
      ASSERT_FALSE(rig.AskBytes(line).starts_with('-')) << line;
    }
    if (stopped) rig.engine().Close(false);
  }

  Status Run(base::Folder* folder) const {
    auto sink = FolderSink::Open(folder, {now_, nullptr});
    if (!sink.ok()) return sink.error();
    for (const char* name : {"new", "lb", "empty"}) {
      const bool is_new = *name == 'n';
      const Spec& spec = is_new ? seasonal_ : plain_;
      Status done = (*sink)->Begin(name, spec, std::nullopt);
      if (done.ok()) {
        done = (*sink)->Write(DraftOf(spec, is_new ? more_ : rows_, now_).get(), nullptr);
      }
      if (!done.ok()) return done;
    }
    return (*sink)->Finish();
  }

 private:
  Stamp now_;
  Spec plain_;
  Spec seasonal_;
  std::vector<OwnedRow> rows_;
  std::vector<OwnedRow> more_;
};

class FolderImportCrash : public ::testing::Test {
 protected:
  // The parameter says whether the server that filled the folder was stopped, or killed.
  void Prepare(bool stopped) {
    auto filled = std::make_unique<SimulatedFolder>();
    ASSERT_NO_FATAL_FAILURE(import_.Prepare(filled.get(), &clock_, stopped));
    folder_ = filled->CrashKillOnly();
    old_ = Digest(folder_.get());
    const auto imported = folder_->Copy();
    ASSERT_TRUE(import_.Run(imported.get()).ok());
    new_ = Digest(imported.get());
    ASSERT_NE(old_, new_);
  }
  static std::uint64_t Digest(SimulatedFolder* folder) {
    FolderContents contents(folder);
    EXPECT_TRUE(contents.ok()) << contents.error();
    return contents.ok() ? contents.digest() : 0;
  }

  // Checks what a crash or an error has left. Returns whether it is the new state.
  void Examine(SimulatedFolder* left, const std::string& where, bool go_on) {
    FolderContents contents(left);
    ASSERT_TRUE(contents.ok()) << where << ": " << contents.error();
    ASSERT_TRUE(contents.digest() == old_ || contents.digest() == new_)
        << where << ": a state that never was";
    ++(contents.digest() == old_ ? found_old_ : found_new_);
    if (go_on) GoOn(left, contents.digest(), where);
  }

  // Starts a server on what was left, writes, and loses power again.
  void GoOn(SimulatedFolder* left, std::uint64_t digest, const std::string& where) {
    EngineRig rig(left, &clock_);
    const Result<engine::LoadReport> started = rig.Start();
    ASSERT_TRUE(started.ok()) << where << ": " << started.error().message;
    ASSERT_EQ(rig.engine().Digest(), digest) << where;
    ASSERT_TRUE(rig.AskBytes("ZADD later 1 m").starts_with(':')) << where;
    const auto again = left->Crash(&random_, {.survivors = Survivors::kNone});
    FolderContents contents(again.get());
    ASSERT_TRUE(contents.ok()) << where << ": " << contents.error();
    ASSERT_EQ(contents.digest(), rig.engine().Digest()) << where;
  }

  TestClock clock_;
  base::Random random_{TestSeed()};
  ImportCase import_{clock_.Now(), &random_};
  std::unique_ptr<SimulatedFolder> folder_;
  std::uint64_t old_ = 0;
  std::uint64_t new_ = 0;
  std::size_t found_old_ = 0;
  std::size_t found_new_ = 0;
};

class AfterServer : public FolderImportCrash, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(, AfterServer, ::testing::Bool(),
                         [](const auto& stopped) { return stopped.param ? "Stopped" : "Killed"; });

TEST_P(AfterServer, APowerLossAtAnyCallLeavesTheOldStateOrTheNewOne) {
  ASSERT_NO_FATAL_FAILURE(Prepare(GetParam()));
  const auto crash = [&](const Call& call, const char* when) {
    if (!Changes(call.kind) || HasFatalFailure()) return;
    const std::string where = when + call.ToString();
    for (const Survivors survivors :
         {Survivors::kNone, Survivors::kAll, Survivors::kPrefix, Survivors::kAny}) {
      const auto left = folder_->Crash(&random_, {.survivors = survivors});
      Examine(left.get(), where + ", survivors " + std::to_string(static_cast<int>(survivors)),
              random_.OneIn(kReopened));
    }
    const auto killed = folder_->CrashKillOnly();
    Examine(killed.get(), where + ", killed", random_.OneIn(kReopened));
  };
  folder_->before_call = [&](const Call& call) { crash(call, "before "); };
  folder_->after_call = [&](const Call& call) { crash(call, "after "); };
  const Status done = import_.Run(folder_.get());
  ASSERT_TRUE(done.ok()) << done.error().message;
  folder_->before_call = nullptr;
  folder_->after_call = nullptr;
  if (HasFatalFailure()) return;
  Examine(folder_.get(), "at the end", true);
  EXPECT_GT(found_old_, 20U);
  EXPECT_GT(found_new_, 2U);
  std::printf("%zu times the old state, %zu times the new one\n", found_old_, found_new_);
}

TEST_P(AfterServer, AnErrorOfAnyCallLeavesTheOldStateOrTheNewOne) {
  ASSERT_NO_FATAL_FAILURE(Prepare(GetParam()));
  std::uint64_t calls = 0;
  {
    const auto counted = folder_->Copy();
    ASSERT_TRUE(import_.Run(counted.get()).ok());
    calls = counted->calls();
  }
  std::size_t refused = 0;
  for (const Fault fault : {Fault::kError, Fault::kNoSpace, Fault::kShortWrite}) {
    for (std::uint64_t number = 1; number <= calls; ++number) {
      const std::string where =
          "fault " + std::to_string(static_cast<int>(fault)) + " of call " + std::to_string(number);
      const auto folder = folder_->Copy();
      folder->FailCall(number, fault);
      const Status done = import_.Run(folder.get());
      folder->Heal();
      FolderContents contents(folder.get());
      ASSERT_TRUE(contents.ok()) << where << ": " << contents.error();
      if (done.ok()) {
        ASSERT_EQ(contents.digest(), new_) << where;
        continue;
      }
      ++refused;
      ASSERT_FALSE(done.error().message.empty());
      // An error of the last sync of the folder leaves open which of the two is on disk.
      ASSERT_TRUE(contents.digest() == old_ || contents.digest() == new_) << where;
      if (contents.digest() == new_) continue;
      ASSERT_FALSE(folder->Exists("snapshot.tmp")) << where;
      // The next import succeeds.
      const Status again = import_.Run(folder.get());
      ASSERT_TRUE(again.ok()) << where << ": " << again.error().message;
      ASSERT_EQ(Digest(folder.get()), new_) << where;
    }
  }
  EXPECT_GT(refused, 20U);
}

TEST_P(AfterServer, AFullDiskLeavesTheOldStateAndAClearError) {
  ASSERT_NO_FATAL_FAILURE(Prepare(GetParam()));
  std::uint64_t used = 0;
  const std::vector<std::string> names = *folder_->List();
  for (const std::string& name : names) used += folder_->Bytes(name).size();
  std::size_t refused = 0;
  for (std::uint64_t room = 0;; room += 997) {
    const auto folder = folder_->Copy();
    folder->set_capacity(used + room);
    const Status done = import_.Run(folder.get());
    folder->set_capacity(std::nullopt);
    if (done.ok()) break;
    ++refused;
    EXPECT_EQ(done.error().code, ErrorCode::kNoSpace) << done.error().message;
    EXPECT_NE(done.error().message.find("cannot write"), std::string::npos) << done.error().message;
    ASSERT_EQ(Digest(folder.get()), old_) << room;
    ASSERT_FALSE(folder->Exists("snapshot.tmp")) << room;
    if (refused % 5 == 1) GoOn(folder.get(), old_, "room " + std::to_string(room));
  }
  EXPECT_GT(refused, 5U);
}

TEST_F(FolderImportCrash, AMovedFolderIsNotPublished) {
  ASSERT_NO_FATAL_FAILURE(Prepare(true));
  folder_->set_misplaced("the folder was moved");
  const Status done = import_.Run(folder_.get());
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "the folder was moved");
  EXPECT_EQ(Digest(folder_.get()), old_);
}

// If the new snapshot is damaged later, the older files do not pass for the newest state.
TEST_F(FolderImportCrash, ADamagedImportIsRefusedAndNotForgotten) {
  ASSERT_NO_FATAL_FAILURE(Prepare(true));
  ASSERT_TRUE(import_.Run(folder_.get()).ok());
  const std::string newest = folder_->List()->back();
  ASSERT_TRUE(newest.starts_with("snapshot-")) << newest;
  std::string bytes = folder_->Bytes(newest);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  folder_->SetBytes(newest, bytes);
  FolderContents contents(folder_.get());
  ASSERT_FALSE(contents.ok());
  EXPECT_NE(contents.error().find("restore a backup"), std::string::npos) << contents.error();
}

}  // namespace
}  // namespace laurel::testing
