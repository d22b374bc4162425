// Damage to every record of a log, before, during and after a snapshot. A start loads everything
// that was acknowledged, or refuses the folder. A repair keeps every record that is whole.
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/log.h"
#include "storage/recovery.h"
#include "storage/segment_walk.h"
#include "tests/storage/batch_sizes.h"
#include "tests/storage/call_gate.h"
#include "tests/storage/folder_contents.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {
namespace {

using storage::Holes;

enum class SnapshotKind : std::uint8_t { kNone, kQuiet, kDuringWrites };  // none, S = E, S < E

struct Layout {
  SnapshotKind snapshot = SnapshotKind::kNone;
  std::uint64_t segment_bytes = 1 << 20;
  bool vouched = false;  // a sync mark of a quiet log vouches for the last record

  [[nodiscard]] std::string ToString() const {
    return "snapshot " + std::to_string(static_cast<int>(snapshot)) + ", segments of " +
           std::to_string(segment_bytes) + (vouched ? ", vouched" : "");
  }
};

struct RecordPlace {
  std::string file;
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// The folder of a killed server. Record 1 creates the board, record n sets the member "m<n>".
class KilledServer {
 public:
  explicit KilledServer(const Layout& layout) {
    EngineRig::Options options = EngineRig::Small();
    options.log.segment_bytes = layout.segment_bytes;
    options.log.quiet_us = layout.vouched ? 100 : std::int64_t{3600} * 1'000'000;
    options.keeper.keep_log_bytes = std::uint64_t{1} << 40;
    snapshots_.Guard(&running_);
    rig_ = std::make_unique<EngineRig>(&running_, &clock_, options);
    EXPECT_TRUE(rig_->Start().ok());
    states[0] = rig_->engine().Digest();
    Ask({"LB.CREATE", "lb"});
    Write(7);
    if (layout.snapshot == SnapshotKind::kQuiet) {
      EXPECT_EQ(rig_->AskBytes(Words{"SAVE"}), "+OK\r\n");
    } else if (layout.snapshot == SnapshotKind::kDuringWrites) {
      SnapshotDuring(5);
    }
    Write(9);
    if (layout.vouched) AwaitSyncMark();
    folder = running_.CrashKillOnly();
    FindRecords();
    FolderContents contents(folder.get());
    EXPECT_TRUE(contents.ok()) << contents.error();
    footer = contents.recovery().footer;
    EXPECT_EQ(footer.started_at < footer.ended_at, layout.snapshot == SnapshotKind::kDuringWrites);
  }

  [[nodiscard]] std::uint64_t last() const { return states.rbegin()->first; }
  [[nodiscard]] bool IsInNewestSegment(std::uint64_t record) const {
    return places.at(record).file == places.at(last()).file;
  }

  std::unique_ptr<SimulatedFolder> folder;
  storage::Footer footer;
  std::map<std::uint64_t, std::uint64_t> states;  // digest by record
  std::map<std::uint64_t, RecordPlace> places;    // by record
  std::string newest;                             // the newest segment

 private:
  void Ask(const Words& command) {
    const std::string reply = rig_->AskBytes(command);
    EXPECT_FALSE(reply.starts_with('-')) << reply;
    states[rig_->engine().Measure().persistence.log.appended] = rig_->engine().Digest();
  }
  void Write(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(last() + 1);
      Ask({"LB.SET", "lb", "m" + number, number});
    }
  }
  void SnapshotDuring(int count) {
    snapshots_.Close();
    rig_->AskBytes(Words{"BGSAVE"});
    snapshots_.AwaitWaiting();
    Write(count);
    snapshots_.Open();
    while (rig_->engine().Measure().persistence.keeper.snapshot_runs) std::this_thread::yield();
  }
  // Waits until a sync mark vouches for the last record.
  void AwaitSyncMark() {
    for (;;) {
      folder = running_.CrashKillOnly();
      if (FindRecords() == last()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  // Returns the last record that is known to be on disk.
  std::uint64_t FindRecords() {
    std::uint64_t synced = 0;
    const std::vector<std::string> names = *folder->List();
    for (const std::string& name : names) {
      if (!storage::NumberOfName(storage::FileKind::kLog, name)) continue;
      const std::string bytes = folder->Bytes(name);
      const auto header = storage::ParseFileHeader(bytes, storage::FileKind::kLog);
      storage::SegmentWalk walk(*header, bytes);
      while (const auto frame = walk.Next()) {
        places[frame->number] = {name, walk.offset() - frame->bytes(), frame->bytes()};
      }
      synced = std::max(synced, walk.synced());
      newest = name;
    }
    return synced;
  }

  TestClock clock_;
  SimulatedFolder running_;
  CallGate snapshots_{BeginsSnapshot};
  std::unique_ptr<EngineRig> rig_;
};

std::vector<Layout> Layouts() {
  std::vector<Layout> layouts;
  for (const auto snapshot :
       {SnapshotKind::kNone, SnapshotKind::kQuiet, SnapshotKind::kDuringWrites}) {
    for (const std::uint64_t segment_bytes : {std::uint64_t{1} << 20, std::uint64_t{400}}) {
      for (const bool vouched : {false, true})
        layouts.push_back({snapshot, segment_bytes, vouched});
    }
  }
  return layouts;
}

// The byte of a frame in which a bit is flipped: magic, checksum, length, number, payload. 0: the
// whole frame becomes zeros.
constexpr std::size_t kFlips[] = {1, 5, 8, 17, 34, 0};

void Damage(const RecordPlace& place, std::size_t flip, SimulatedFolder* folder) {
  std::string bytes = folder->Bytes(place.file);
  if (flip == 0) {
    bytes.replace(place.offset, place.bytes, place.bytes, '\0');
  } else {
    bytes[place.offset + flip] ^= 4;
  }
  folder->SetBytes(place.file, bytes);
}

std::set<std::string> Members(FolderContents* contents) {
  std::set<std::string> members;
  const engine::NamedBoard* named = contents->keys().catalog().FirstById();
  if (named == nullptr) return members;
  const core::EntryStore& entries = contents->keys().ViewOf(named->name).standings->entries();
  entries.ForRange(0, entries.size(), false, [&](const core::EntryView& view) {
    members.emplace(view.member);
    return true;
  });
  return members;
}

class DamagedRecord : public ::testing::TestWithParam<Layout> {
 protected:
  // Checks what a start does with the damaged folder.
  void CheckStart(std::uint64_t record, bool is_zeros, SimulatedFolder* damaged) {
    FolderContents contents(damaged);
    const bool needed = record > server_.footer.started_at;
    const bool torn = needed && record == server_.last() && !GetParam().vouched &&
                      server_.places.at(record).file == server_.newest;
    ASSERT_EQ(contents.ok(), !needed || torn) << (contents.ok() ? "loaded" : contents.error());
    if (!contents.ok()) {
      ASSERT_NE(contents.error().find("record " + std::to_string(record)), std::string::npos)
          << contents.error();
      return;
    }
    ASSERT_EQ(contents.digest(), server_.states.at(torn ? record - 1 : server_.last()));
    ASSERT_EQ(contents.recovery().last, torn ? record - 1 : server_.last());
    const bool told =
        torn ? contents.recovery().torn.has_value() : !contents.recovery().warnings.empty();
    // Zeros at the end of the log leave no trace.
    ASSERT_TRUE(told || !server_.IsInNewestSegment(record) || (torn && is_zeros)) << "in silence";
    CheckServer(damaged, contents.digest());
  }

  // Starts a server on the folder, writes, kills the server, and checks that what it acknowledged
  // is there.
  static void CheckServer(SimulatedFolder* damaged, std::uint64_t digest) {
    const TestClock clock;
    EngineRig rig(damaged, &clock, EngineRig::Small());
    const Result<engine::LoadReport> started = rig.Start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    ASSERT_EQ(rig.engine().Digest(), digest);
    ASSERT_FALSE(rig.AskBytes(Words{"LB.SET", "lb", "later", "1"}).starts_with('-'));
    const std::unique_ptr<SimulatedFolder> left = damaged->CrashKillOnly();
    FolderContents again(left.get());
    ASSERT_TRUE(again.ok()) << again.error();
    ASSERT_EQ(again.digest(), rig.engine().Digest());
  }

  // Checks what a repair keeps.
  void CheckRepairs(std::uint64_t record, SimulatedFolder* damaged) {
    if (record <= server_.footer.started_at) return;
    storage::RecoverOptions options;
    options.holes = Holes::kSkip;
    FolderContents most(damaged, nullptr, options);
    ASSERT_TRUE(most.ok()) << most.error();
    const bool torn = most.recovery().lost.empty();
    if (!torn) {
      ASSERT_EQ(most.recovery().lost.size(), 1U);
      ASSERT_EQ(most.recovery().lost[0].first, record);
      ASSERT_EQ(most.recovery().lost[0].last, record);
      ASSERT_EQ(most.recovery().last, server_.last());
    }
    std::set<std::string> members = Members(&most);
    for (std::uint64_t other = 2; other <= server_.last() && record > 1; ++other) {
      if (other == record) continue;  // the snapshot may hold it
      ASSERT_EQ(members.count("m" + std::to_string(other)), 1U) << other;
    }
    options.holes = Holes::kStopBefore;
    FolderContents exact(damaged, nullptr, options);
    const bool before_end = record <= server_.footer.ended_at;
    ASSERT_EQ(exact.ok(), !before_end);
    if (before_end) return;
    ASSERT_EQ(exact.recovery().last, record - 1);
    ASSERT_EQ(exact.digest(), server_.states.at(record - 1));
    if (!torn) {
      ASSERT_EQ(exact.recovery().lost[0].last, server_.last());
    }
  }

  KilledServer server_{GetParam()};
};

TEST_P(DamagedRecord, IsRefusedUnlessTheSnapshotHoldsItOrItIsATornTail) {
  ASSERT_GE(server_.last(), 17U);
  for (const auto& [record, place] : server_.places) {
    for (const std::size_t flip : kFlips) {
      SCOPED_TRACE("record " + std::to_string(record) + ", byte " + std::to_string(flip));
      const std::unique_ptr<SimulatedFolder> damaged = server_.folder->Copy();
      Damage(place, flip, damaged.get());
      ASSERT_NO_FATAL_FAILURE(CheckRepairs(record, damaged.get()));
      ASSERT_NO_FATAL_FAILURE(CheckStart(record, flip == 0, damaged.get()));
    }
  }
}

// Damages each pair of neighbours, those on both sides of S and of E too.
TEST_P(DamagedRecord, AndADamagedNeighbourAreBothReportedAsLost) {
  for (std::uint64_t record = 1; record + 1 < server_.last(); ++record) {
    SCOPED_TRACE("record " + std::to_string(record));
    const std::unique_ptr<SimulatedFolder> damaged = server_.folder->Copy();
    Damage(server_.places.at(record), 34, damaged.get());
    Damage(server_.places.at(record + 1), 8, damaged.get());
    FolderContents contents(damaged.get());
    const std::uint64_t began = server_.footer.started_at;
    ASSERT_EQ(contents.ok(), record + 1 <= began) << (contents.ok() ? "" : contents.error());
    if (contents.ok()) {
      ASSERT_EQ(contents.digest(), server_.states.at(server_.last()));
    }
    storage::RecoverOptions options;
    options.holes = Holes::kSkip;
    FolderContents most(damaged.get(), nullptr, options);
    ASSERT_TRUE(most.ok()) << most.error();
    if (record + 1 <= began) continue;
    ASSERT_EQ(most.recovery().lost.size(), 1U);
    ASSERT_EQ(most.recovery().lost[0].first, std::max(record, began + 1));
    ASSERT_EQ(most.recovery().lost[0].last, record + 1);
  }
}

TEST_P(DamagedRecord, DamagedSegmentHeaderLosesNoneOfTheRecords) {
  std::set<std::string> files;
  for (const auto& [record, place] : server_.places) files.insert(place.file);
  for (const std::string& file : files) {
    if (files.size() == 1 && GetParam().snapshot == SnapshotKind::kNone) continue;
    for (const std::size_t byte : {0, 12, 16, 33}) {
      SCOPED_TRACE(file + ", byte " + std::to_string(byte));
      const std::unique_ptr<SimulatedFolder> damaged = server_.folder->Copy();
      std::string bytes = damaged->Bytes(file);
      bytes[byte] ^= 4;
      damaged->SetBytes(file, bytes);
      const auto next = files.upper_bound(file);
      const bool needed =
          next == files.end() ||
          *storage::NumberOfName(storage::FileKind::kLog, *next) > server_.footer.started_at + 1;
      FolderContents contents(damaged.get());
      ASSERT_EQ(contents.ok(), !needed);
      if (contents.ok()) {
        ASSERT_EQ(contents.digest(), server_.states.at(server_.last()));
      }
      if (contents.ok()) {
        ASSERT_FALSE(contents.recovery().warnings.empty());
      }
      storage::RecoverOptions options;
      options.holes = Holes::kSkip;
      FolderContents most(damaged.get(), nullptr, options);
      ASSERT_TRUE(most.ok()) << most.error();
      ASSERT_EQ(most.digest(), server_.states.at(server_.last()));
      ASSERT_TRUE(most.recovery().lost.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedRecord, ::testing::ValuesIn(Layouts()));

// Batches of several records -------------------------------------------------------------------

TEST(DamagedBatch, IsLostAsAWholeWhicheverOfItsRecordsIsDamaged) {
  SimulatedFolder folder;
  BatchSizes batches;
  const std::size_t large = storage::kMaxPayloadBytes * 2 + 100;
  {
    storage::LogStart start;
    start.history = 5;
    auto log = storage::Log::Open(&folder, {}, start, &batches);
    ASSERT_TRUE(log.ok());
    (*log)->Append("small");
    EXPECT_EQ((*log)->Append(std::string(large, 'x')), 4U);
    (*log)->Append("after");
  }
  const std::string name = storage::SegmentName(1);
  const std::string bytes = folder.Bytes(name);
  const auto header = storage::ParseFileHeader(bytes, storage::FileKind::kLog);
  storage::SegmentWalk walk(*header, bytes);
  std::size_t damaged = 0;
  while (const auto frame = walk.Next()) {
    if (frame->number == 1 || frame->number == 5) continue;
    ++damaged;
    std::string flipped = bytes;
    flipped[walk.offset() - frame->bytes() + 40] ^= 1;
    folder.SetBytes(name, flipped);
    EXPECT_FALSE(storage::Recover(&folder, &batches, {}).ok());
    storage::RecoverOptions options;
    options.holes = Holes::kSkip;
    const Result<storage::Recovery> most = storage::Recover(&folder, &batches, options);
    ASSERT_TRUE(most.ok()) << most.error().message;
    EXPECT_EQ(batches.sizes, (std::vector<std::size_t>{5, 5})) << frame->number;
    ASSERT_EQ(most->lost.size(), 1U);
    EXPECT_EQ(most->lost[0].first, 2U);
    EXPECT_EQ(most->lost[0].last, 4U);
  }
  EXPECT_EQ(damaged, 3U);
}

// Sync marks -----------------------------------------------------------------------------------

// One sync mark for each burst of writes, however long the log is quiet.
TEST(QuietLog, GetsOneSyncMarkAfterItsLastRecord) {
  for (const auto sync : {storage::SyncMode::kAlways, storage::SyncMode::kEverySec}) {
    SimulatedFolder folder;
    BatchSizes listener;
    storage::LogOptions options;
    options.sync = sync;
    options.fill_bytes = 4 << 10;
    options.quiet_us = 1000;
    storage::LogStart start;
    start.history = 5;
    auto log = storage::Log::Open(&folder, options, start, &listener);
    ASSERT_TRUE(log.ok());
    const std::string name = storage::SegmentName(1);
    for (std::uint64_t burst = 1; burst <= 3; ++burst) {
      (*log)->Append("x");
      const std::size_t end =
          storage::kFileHeaderBytes + burst * (storage::FrameBytes(1) + storage::kSyncMarkBytes);
      while ((*log)->segments()[0].bytes < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ASSERT_EQ((*log)->segments()[0].bytes, end);
      ASSERT_EQ((*log)->appended(), burst);
    }
    const std::string bytes = folder.Bytes(name);
    const auto header = storage::ParseFileHeader(bytes, storage::FileKind::kLog);
    storage::SegmentWalk walk(*header, bytes);
    while (walk.Next()) continue;
    EXPECT_EQ(walk.next(), 4U);
    EXPECT_EQ(walk.synced(), 3U);
  }
}

}  // namespace
}  // namespace laurel::testing
