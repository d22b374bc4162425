// Truncated and changed files: recovery returns everything that was acknowledged, or refuses the
// folder. It never loads another state.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
// LAUREL_TEST_OPS    a twentieth of it is the number of bits flipped (default 200,000: 10,000)
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/format.h"
#include "storage/inspection.h"
#include "storage/log.h"
#include "storage/repair.h"
#include "storage/segment_walk.h"
#include "tests/storage/batch_sizes.h"
#include "tests/storage/call_gate.h"
#include "tests/storage/folder_contents.h"
#include "tests/storage/simulated_files.h"
#include "tests/storage/workload.h"
#include "tests/support/engine_rig.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

constexpr std::uint64_t kOperationsPerFlip = 20;
constexpr std::size_t kLastBytes = 16 << 10;
constexpr std::size_t kMostBytes = 256 << 10;

std::uint64_t Operations() { return TestOperations(); }

bool IsContent(std::string_view name) {
  return storage::NumberOfName(storage::FileKind::kLog, name) ||
         storage::NumberOfName(storage::FileKind::kSnapshot, name);
}

// A folder written by an engine, and the digest of the state after each of its records.
class RealFolder {
 public:
  RealFolder(std::uint64_t seed, std::uint64_t segment_bytes) : random_(seed) {
    options_ = EngineRig::Small();
    options_.log.segment_bytes = segment_bytes;
    options_.log.fill_bytes = 4 << 10;  // larger than any batch here
    options_.keeper.keep_log_bytes = std::uint64_t{1} << 40;
    Start();
  }

  void Write(std::size_t commands, std::size_t meta_bytes = 0) {
    for (std::size_t i = 0; i < commands; ++i) {
      Step step = RandomStep(&random_, ++written_);
      if (step.kind != Step::Kind::kCommand || step.commands[0][0] == "FLUSHALL" ||
          random_.OneIn(2)) {
        step.commands = {{"LB.SUBMIT", "own", "m" + std::to_string(random_.Below(9)),
                          std::to_string(written_), "META", std::string(meta_bytes, 'y')}};
      }
      rig_->AskAllBytes(step.commands);
      Note();
    }
  }
  // Takes a snapshot and writes `commands` commands meanwhile.
  void SnapshotDuring(std::size_t commands) {
    CallGate snapshots(BeginsSnapshot);
    Stop(false);
    snapshots.Guard(&folder_);
    snapshots.Close();
    Start();
    rig_->AskBytes(Words{"BGSAVE"});
    snapshots.AwaitWaiting();
    Write(commands);
    snapshots.Open();
    while (rig_->engine().Measure().persistence.keeper.snapshot_runs) std::this_thread::yield();
    Stop(false);
    folder_.before_call = nullptr;
    Start();
  }
  void Save() { ASSERT_EQ(rig_->AskBytes(Words{"SAVE"}), "+OK\r\n"); }
  void Restart(bool with_snapshot) {
    Stop(with_snapshot);
    Start();
  }
  void Stop(bool with_snapshot) {
    rig_->engine().Close(with_snapshot);
    rig_.reset();
  }

  [[nodiscard]] SimulatedFolder& folder() { return folder_; }
  [[nodiscard]] std::vector<std::string> files() {
    std::vector<std::string> names = *folder_.List();
    std::erase_if(names, [](const std::string& name) { return !IsContent(name); });
    return names;
  }
  [[nodiscard]] std::uint64_t final_state() const { return states_.rbegin()->second; }
  // Whether `digest` is the state after `record`, the last record of a batch.
  [[nodiscard]] bool IsStateAfter(std::uint64_t record, std::uint64_t digest) const {
    const auto found = states_.find(record);
    return found != states_.end() && found->second == digest;
  }
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& states() const { return states_; }

 private:
  void Start() {
    rig_.reset();
    rig_ = std::make_unique<EngineRig>(&folder_, &clock_, options_);
    const Result<engine::LoadReport> started = rig_->Start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    rig_->AskBytes(Words{"LB.TEMPLATE", "SET", "own"});  // a template survives FLUSHALL
    Note();
  }
  void Note() {
    states_[rig_->engine().Measure().persistence.log.appended] = rig_->engine().Digest();
  }

  base::Random random_;
  TestClock clock_;
  SimulatedFolder folder_;
  EngineRig::Options options_;
  std::unique_ptr<EngineRig> rig_;
  std::uint64_t written_ = 0;
  std::map<std::uint64_t, std::uint64_t> states_{{0, 0}};
};

// The log of a killed server ends in zeros, where records were not written or not synced.
TEST(Zeros, FromAnyByteToTheEndLeaveAnExactPrefixOfTheBatches) {
  RealFolder real(TestSeed(), 1 << 20);
  real.Write(120, 300);
  const std::unique_ptr<SimulatedFolder> killed = real.folder().CrashKillOnly();
  const std::string name = storage::SegmentName(1);
  const std::string bytes = killed->Bytes(name);
  const std::size_t content = bytes.find_last_not_of('\0') + 1;
  ASSERT_GT(content, kLastBytes);
  ASSERT_LT(content, kMostBytes);
  const Result<storage::FileHeader> header =
      storage::ParseFileHeader(bytes, storage::FileKind::kLog);
  storage::SegmentWalk walk(*header, bytes);
  std::vector<std::size_t> ends;  // of records
  while (walk.Next()) ends.push_back(walk.offset());
  const std::size_t stride = std::max<std::size_t>(1, kFullOperations / (Operations() + 1));
  for (std::size_t cut = content - kLastBytes; cut <= content; cut += stride) {
    std::string zeroed = bytes;
    std::fill(zeroed.begin() + static_cast<std::ptrdiff_t>(cut), zeroed.end(), '\0');
    killed->SetBytes(name, zeroed);
    FolderContents contents(killed.get());
    ASSERT_TRUE(contents.ok()) << "zeros from " << cut << ": " << contents.error();
    // A record may itself end in zeros, so one more may be found.
    const std::uint64_t last = contents.recovery().last;
    ASSERT_GE(last, std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin()) << cut;
    ASSERT_LE(last, 1 + std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin()) << cut;
    ASSERT_TRUE(real.IsStateAfter(last, contents.digest())) << "zeros from " << cut;
  }
}

// Truncates the file at every offset. Recovery must refuse it, or find everything if only zeros
// after the records are gone.
void CutEverywhere(SimulatedFolder* folder, const std::string& name, std::uint64_t final_state) {
  const std::string bytes = folder->Bytes(name);
  const std::unique_ptr<SimulatedFolder> copy = folder->Copy();
  FolderContents whole(copy.get());
  ASSERT_TRUE(whole.ok()) << whole.error();
  ASSERT_EQ(whole.digest(), final_state);
  // The zeros after the records are cut at some places only.
  const std::size_t content = bytes.find_last_not_of('\0') + 1;
  for (std::size_t cut = 0; cut < bytes.size(); cut += cut < content ? 1 : 509) {
    copy->SetBytes(name, std::string_view(bytes).substr(0, cut));
    FolderContents contents(copy.get());
    if (contents.ok() && cut >= content) {
      ASSERT_EQ(contents.digest(), final_state) << name << " cut at " << cut;
      continue;
    }
    ASSERT_FALSE(contents.ok()) << name << " cut at " << cut;
    ASSERT_NE(contents.error().find(name), std::string::npos) << contents.error();
  }
}

TEST(Truncation, OfTheNewestSegmentIsRefusedAfterAKillAndAfterACleanStop) {
  for (const bool with_snapshots : {false, true}) {
    RealFolder real(TestSeed(), 1 << 20);
    real.Write(30, 20);
    if (with_snapshots) real.Save();
    real.Write(20);
    if (with_snapshots) real.SnapshotDuring(20);
    real.Write(15);
    const std::unique_ptr<SimulatedFolder> killed = real.folder().CrashKillOnly();
    const auto newest = [](SimulatedFolder* folder) {
      std::string name;
      const std::vector<std::string> names = *folder->List();
      for (const std::string& one : names) {
        if (one.starts_with("log-")) name = one;
      }
      return name;
    };
    CutEverywhere(killed.get(), newest(killed.get()), real.final_state());
    real.Stop(false);
    CutEverywhere(&real.folder(), newest(&real.folder()), real.final_state());
  }
}

TEST(Truncation, AfterManyRestartsAndRotationsIsRefused) {
  RealFolder real(TestSeed(), 2 << 10);
  for (int i = 0; i < 3; ++i) {
    real.Write(40);
    real.Restart(i == 1);
  }
  real.Write(15);
  real.Stop(false);
  std::vector<std::string> segments = real.files();
  std::erase_if(segments, [](const std::string& name) { return !name.starts_with("log-"); });
  ASSERT_GE(segments.size(), 4U);
  CutEverywhere(&real.folder(), segments.back(), real.final_state());
  // Remove the newest segments one by one, but not the last one left: the segment before says that
  // the removed one existed.
  const std::unique_ptr<SimulatedFolder> left = real.folder().Copy();
  while (segments.size() > 1) {
    ASSERT_TRUE(left->Remove(segments.back()).ok());
    FolderContents contents(left.get());
    ASSERT_FALSE(contents.ok()) << "without " << segments.back();
    ASSERT_NE(contents.error().find(segments.back()), std::string::npos) << contents.error();
    segments.pop_back();
  }
}

// Flips a bit of a file and counts whether recovery refused the folder, reported the damage, or
// found everything without a warning.
class Flipper {
 public:
  explicit Flipper(RealFolder* real) : real_(real) {
    for (const std::string& name : real->files()) {
      files_.emplace_back(name, real->folder().Bytes(name));
      bytes_ += files_.back().second.size();
    }
  }

  void FlipHeads() {
    for (std::size_t file = 0; file < files_.size(); ++file) {
      const std::size_t end = std::min<std::size_t>(files_[file].second.size(), 256);
      for (std::size_t bit = 0; bit < end * 8; ++bit) ASSERT_NO_FATAL_FAILURE(Flip(file, bit));
    }
  }
  void FlipAnywhere(base::Random* random) {
    std::size_t byte = random->Below(bytes_);
    std::size_t file = 0;
    while (byte >= files_[file].second.size()) byte -= files_[file++].second.size();
    Flip(file, byte * 8 + random->Below(8));
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  std::uint64_t refused = 0;
  std::uint64_t reported = 0;
  std::uint64_t harmless = 0;

 private:
  void Flip(std::size_t file, std::size_t bit) {
    const auto& [name, bytes] = files_[file];
    const std::unique_ptr<SimulatedFolder> copy = real_->folder().Copy();
    const Result<std::unique_ptr<base::File>> opened = copy->Open(name, base::Folder::Mode::kWrite);
    const char flipped = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    ASSERT_TRUE((*opened)->WriteAt(bit / 8, {&flipped, 1}).ok());
    FolderContents contents(copy.get());
    if (!contents.ok()) {
      ++refused;
      return;
    }
    const std::string where = name + ", bit " + std::to_string(bit);
    ASSERT_EQ(contents.digest(), real_->final_state()) << "acknowledged writes are lost: " << where;
    ++(contents.recovery().warnings.empty() ? harmless : reported);
  }

  RealFolder* real_;
  std::vector<std::pair<std::string, std::string>> files_;
  std::size_t bytes_ = 0;
};

void FlipBits(RealFolder* real, std::uint64_t seed) {
  Flipper flipper(real);
  ASSERT_LE(flipper.bytes(), kMostBytes);
  ASSERT_NO_FATAL_FAILURE(flipper.FlipHeads());
  base::Random random(seed);
  for (std::uint64_t i = Operations() / kOperationsPerFlip / 4; i > 0; --i) {
    ASSERT_NO_FATAL_FAILURE(flipper.FlipAnywhere(&random));
  }
  std::printf("%zu bytes: %llu refused, %llu reported, %llu harmless\n", flipper.bytes(),
              static_cast<unsigned long long>(flipper.refused),
              static_cast<unsigned long long>(flipper.reported),
              static_cast<unsigned long long>(flipper.harmless));
  EXPECT_GT(flipper.refused + flipper.reported, 0U);
}

TEST(FlippedBits, InALogAloneNeverLoseWritesSilently) {
  const std::uint64_t seed = TestSeed();
  RealFolder real(seed, 1 << 20);
  real.Write(120, 100);
  real.Stop(false);
  FlipBits(&real, seed);
}

TEST(FlippedBits, InManySegmentsNeverLoseWritesSilently) {
  const std::uint64_t seed = TestSeed();
  RealFolder real(seed, 4 << 10);
  real.Write(200, 50);
  real.Restart(false);
  real.Write(20);
  real.Stop(false);
  ASSERT_GT(real.files().size(), 3U);
  FlipBits(&real, seed);
}

TEST(FlippedBits, InALogAfterACleanShutdownNeverLoseWritesSilently) {
  const std::uint64_t seed = TestSeed();
  RealFolder real(seed, 1 << 20);
  real.Write(60);
  real.Restart(true);
  real.Write(60, 50);
  real.Stop(false);
  // Keep only the segment that the snapshot does not make redundant.
  std::vector<std::string> segments = real.files();
  std::erase_if(segments, [](const std::string& name) { return !name.starts_with("log-"); });
  ASSERT_EQ(segments.size(), 2U);
  ASSERT_TRUE(real.folder().Remove(segments[0]).ok());
  FlipBits(&real, seed);
}

TEST(FlippedBits, InTwoSnapshotsAndTheLogNeverLoseWritesSilently) {
  const std::uint64_t seed = TestSeed();
  RealFolder real(seed, 4 << 10);
  real.Write(60);
  real.Save();
  real.Write(40);
  real.SnapshotDuring(20);
  real.Write(20);
  real.Stop(false);
  FlipBits(&real, seed);
}

TEST(Zeros, InABatchOfSeveralRecordsDropTheWholeBatch) {
  SimulatedFolder folder;
  BatchSizes batches;
  const std::size_t large = storage::kMaxPayloadBytes * 2 + 100;
  const std::string name = storage::SegmentName(1);
  std::unique_ptr<SimulatedFolder> killed;
  {
    storage::LogStart start;
    start.history = 5;
    auto log = storage::Log::Open(&folder, {}, start, &batches);
    ASSERT_TRUE(log.ok());
    EXPECT_EQ((*log)->Append("small"), 1U);
    EXPECT_EQ((*log)->Append(std::string(large, 'x')), 4U);
    EXPECT_EQ((*log)->Append("after"), 5U);
    ASSERT_TRUE((*log)->SyncThrough(5).ok());
    killed = folder.CrashKillOnly();
  }
  const std::string bytes = killed->Bytes(name);
  const auto header = storage::ParseFileHeader(bytes, storage::FileKind::kLog);
  storage::SegmentWalk walk(*header, bytes);
  std::vector<std::size_t> ends;  // of records
  while (walk.Next()) ends.push_back(walk.offset());
  ASSERT_EQ(ends.size(), 5U);
  const auto recovered = [&](std::size_t size) {
    killed->SetBytes(name, bytes.substr(0, size) + std::string(bytes.size() - size, '\0'));
    const Result<storage::Recovery> found = storage::Recover(killed.get(), &batches, {});
    EXPECT_TRUE(found.ok()) << found.error().message;
    if (!found.ok()) return std::uint64_t{0};
    const Result<storage::Inspection> inspection = storage::Inspect(killed.get(), {});
    EXPECT_TRUE(storage::PlanRepair(*inspection, *found).empty()) << "it is a torn tail";
    return found->last;
  };
  EXPECT_EQ(recovered(ends[4]), 5U);
  EXPECT_EQ(batches.sizes, (std::vector<std::size_t>{5, large, 5}));
  EXPECT_EQ(recovered(ends[3]), 4U);
  for (const std::size_t cut : {ends[3] - 8, ends[2], ends[2] - 8, ends[1], ends[1] - 8, ends[0]}) {
    EXPECT_EQ(recovered(cut), 1U) << cut;
    EXPECT_EQ(batches.sizes, std::vector<std::size_t>{5}) << cut;
  }
}

// As after a power loss in a mode that does not wait for the disk: only some of the records that
// were not synced are there.
TEST(TornTail, MayContainWholeRecords) {
  storage::FileHeader header;
  header.history = 5;
  header.epoch = 1;
  header.first = 1;
  const storage::FrameFormat format(storage::FileKind::kLog, header.history);
  std::string bytes = storage::EncodeFileHeader(header);
  std::size_t second = 0;
  for (const std::uint64_t number : {1, 2, 3, 4}) {
    if (number == 2) second = bytes.size();
    format.Append({number, 0, 0, "payload"}, &bytes);
  }
  bytes[second + 34] ^= 1;
  SimulatedFolder folder;
  const std::string name = storage::SegmentName(1);
  folder.SetBytes(name, bytes);
  BatchSizes batches;
  Result<storage::Recovery> found = storage::Recover(&folder, &batches, {});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->last, 1U);
  ASSERT_TRUE(found->torn);
  EXPECT_EQ(found->torn->record, 2U);
  const Result<storage::Inspection> inspection = storage::Inspect(&folder, {});
  ASSERT_TRUE(inspection.ok());
  EXPECT_TRUE(storage::PlanRepair(*inspection, *found).empty());
  ASSERT_TRUE(storage::Tidy(&folder, &*found).ok());
  EXPECT_EQ(folder.Bytes(name).find_first_not_of('\0', second), std::string::npos);
}

}  // namespace
}  // namespace laurel::testing
