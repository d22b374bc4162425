// Files that were cut or changed: recovery gives an exact prefix of the batches, says so, or
// refuses. It never loads something else.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
// LAUREL_TEST_OPS    a twentieth of it is the number of bits flipped (default 2,000,000: 100,000)
#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/format.h"
#include "storage/log.h"
#include "tests/storage/engine_rig.h"
#include "tests/storage/simulated_files.h"
#include "tests/storage/workload.h"

namespace laurel::testing {
namespace {

constexpr std::uint64_t kDefaultOperations = 2'000'000;
constexpr std::uint64_t kOperationsPerFlip = 20;
constexpr std::size_t kLastBytes = 64 << 10;
constexpr std::size_t kMostBytes = 256 << 10;

std::uint64_t Operations() {
  return NumberFromEnvironment("LAUREL_TEST_OPS").value_or(kDefaultOperations);
}

bool IsContent(std::string_view name) {
  return storage::NumberOfName(storage::FileKind::kLog, name) ||
         storage::NumberOfName(storage::FileKind::kSnapshot, name);
}

// A folder made by an engine, and the state after each of its records.
class RealFolder {
 public:
  RealFolder(std::uint64_t seed, std::uint64_t segment_bytes) : random_(seed) {
    options_ = EngineRig::Small();
    options_.log.segment_bytes = segment_bytes;
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
      rig_->Ask(step.commands);
      Note();
    }
  }
  // A snapshot that so many commands are written during.
  void SnapshotDuring(std::size_t commands) {
    std::mutex mutex;
    std::condition_variable changed;
    bool begun = false;
    bool open = false;
    Stop(false);
    folder_.before_call = [&](const Call& call) {
      if (call.kind != CallKind::kRemove || call.name != "snapshot.tmp") return;
      std::unique_lock lock(mutex);
      begun = true;
      changed.notify_all();
      changed.wait(lock, [&] { return open; });
    };
    Start();
    rig_->Ask(Words{"BGSAVE"});
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return begun; });
    lock.unlock();
    Write(commands);
    lock.lock();
    open = true;
    changed.notify_all();
    lock.unlock();
    while (rig_->engine().Measure().persistence.snapshot_runs) std::this_thread::yield();
    Stop(false);
    folder_.before_call = nullptr;
    Start();
  }
  void Save() { ASSERT_EQ(rig_->Ask(Words{"SAVE"}), "+OK\r\n"); }
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
  // The state after the record, which was the last of a batch.
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
    rig_->Ask(Words{"LB.TEMPLATE", "SET", "own"});  // which outlives FLUSHALL
    Note();
  }
  void Note() { states_[rig_->engine().Measure().persistence.records] = rig_->engine().Digest(); }

  base::Random random_;
  ScriptedClock clock_;
  SimulatedFolder folder_;
  EngineRig::Options options_;
  std::unique_ptr<EngineRig> rig_;
  std::uint64_t written_ = 0;
  std::map<std::uint64_t, std::uint64_t> states_{{0, 0}};
};

TEST(Truncation, AtEveryByteLeavesAnExactPrefixOfTheBatches) {
  RealFolder real(TestSeed(), 1 << 20);
  real.Write(420, 300);
  real.Stop(false);
  ASSERT_EQ(real.files().size(), 1U);
  const std::string name = real.files()[0];
  const std::string bytes = real.folder().Bytes(name);
  ASSERT_GT(bytes.size(), kLastBytes);
  ASSERT_LT(bytes.size(), kMostBytes);
  const Result<storage::FileHeader> header =
      storage::ParseFileHeader(bytes, storage::FileKind::kLog);
  const storage::FrameFormat format(storage::FileKind::kLog, header->history);
  const std::size_t stride = std::max<std::size_t>(1, kDefaultOperations / (Operations() + 1));
  std::uint64_t whole = 0;  // records
  std::size_t end = storage::kFileHeaderBytes;
  for (std::size_t cut = bytes.size() - kLastBytes; cut <= bytes.size(); cut += stride) {
    while (end < bytes.size()) {
      const std::size_t next = end + format.ClaimedBytes(std::string_view(bytes).substr(end));
      if (next > cut) break;
      end = next;
      ++whole;
    }
    const std::unique_ptr<SimulatedFolder> copy = real.folder().Copy();
    copy->SetBytes(name, std::string_view(bytes).substr(0, cut));
    FolderContents contents(copy.get());
    ASSERT_TRUE(contents.ok()) << "cut at " << cut << ": " << contents.error();
    ASSERT_EQ(contents.recovery().last, whole) << "cut at " << cut;
    ASSERT_TRUE(real.IsStateAfter(whole, contents.digest())) << "cut at " << cut;
    ASSERT_EQ(contents.recovery().torn.has_value(), cut > end) << "cut at " << cut;
  }
}

TEST(Truncation, BeforeTheEndOfTheNewestSnapshotIsRefused) {
  RealFolder real(TestSeed(), 1 << 20);
  real.Write(30);
  real.Save();
  real.Write(30);
  real.SnapshotDuring(20);
  real.Write(15);
  real.Stop(false);
  FolderContents whole(&real.folder());
  ASSERT_TRUE(whole.ok()) << whole.error();
  const storage::Footer footer = whole.recovery().footer;
  ASSERT_GE(footer.ended_at, footer.started_at + 10);
  ASSERT_EQ(whole.recovery().other_snapshots.size(), 1U);
  std::size_t refused = 0;
  std::size_t loaded = 0;
  // Cuts the log at every byte, back to its beginning: a cut in a segment is the end of the log.
  std::vector<std::string> segments = real.files();
  std::erase_if(segments, [](const std::string& name) { return name.starts_with("snapshot"); });
  const std::unique_ptr<SimulatedFolder> left = real.folder().Copy();
  for (; !segments.empty(); segments.pop_back()) {
    const std::string bytes = left->Bytes(segments.back());
    for (std::size_t cut = bytes.size();; --cut) {
      const std::unique_ptr<SimulatedFolder> copy = left->Copy();
      copy->SetBytes(segments.back(), std::string_view(bytes).substr(0, cut));
      FolderContents contents(copy.get());
      if (!contents.ok()) {
        ++refused;
        ASSERT_NE(contents.error().find(std::to_string(footer.ended_at)), std::string::npos)
            << contents.error();
      } else {
        ++loaded;
        ASSERT_GE(contents.recovery().last, footer.ended_at);
        ASSERT_TRUE(real.IsStateAfter(contents.recovery().last, contents.digest()));
      }
      if (cut == 0) break;
    }
    ASSERT_TRUE(left->Remove(segments.back()).ok());
  }
  EXPECT_GT(refused, 1'000U);
  EXPECT_GT(loaded, 500U);
}

// Flips a bit of a file and says whether recovery has noticed, or it made no difference.
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
    const storage::Recovery& found = contents.recovery();
    const std::string where = name + ", bit " + std::to_string(bit);
    if (contents.digest() == real_->final_state()) {
      ++harmless;
      return;
    }
    ASSERT_TRUE(found.torn || !found.warnings.empty()) << "silently another state: " << where;
    ASSERT_TRUE(real_->IsStateAfter(found.last, contents.digest()))
        << "a state that never was: " << where;
    ++reported;
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

TEST(FlippedBits, OfALogAloneAreNeverSilent) {
  const std::uint64_t seed = TestSeed();
  RealFolder real(seed, 1 << 20);
  real.Write(120, 100);
  real.Stop(false);
  FlipBits(&real, seed);
}

TEST(FlippedBits, OfManySegmentsAreNeverSilent) {
  const std::uint64_t seed = TestSeed();
  RealFolder real(seed, 4 << 10);
  real.Write(200, 50);
  real.Restart(false);
  real.Write(20);
  real.Stop(false);
  ASSERT_GT(real.files().size(), 3U);
  FlipBits(&real, seed);
}

TEST(FlippedBits, OfALogBehindACleanShutdownAreNeverSilent) {
  const std::uint64_t seed = TestSeed();
  RealFolder real(seed, 1 << 20);
  real.Write(60);
  real.Restart(true);
  real.Write(60, 50);
  real.Stop(false);
  // Only the one segment that the snapshot does not make redundant.
  std::vector<std::string> segments = real.files();
  std::erase_if(segments, [](const std::string& name) { return !name.starts_with("log-"); });
  ASSERT_EQ(segments.size(), 2U);
  ASSERT_TRUE(real.folder().Remove(segments[0]).ok());
  FlipBits(&real, seed);
}

TEST(FlippedBits, OfTwoSnapshotsAndTheLogAreNeverSilent) {
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

class Batches : public storage::Replayer, public storage::Log::Listener {
 public:
  void Reset() override { sizes.clear(); }
  Status OnSnapshot(std::string_view /*effects*/) override { return Ok{}; }
  Status OnSnapshotEnd(const storage::Footer& /*footer*/) override { return Ok{}; }
  Status OnBatch(std::uint64_t /*number*/, std::string_view effects, bool /*unsettled*/) override {
    sizes.push_back(effects.size());
    return Ok{};
  }
  void OnDurable(std::uint64_t /*number*/) override {}
  [[nodiscard]] std::size_t CountWaiting() const override { return 0; }
  void OnBroken(const Error& /*error*/) override {}

  std::vector<std::size_t> sizes;
};

TEST(Truncation, CutsABatchOfSeveralRecordsAsAWhole) {
  SimulatedFolder folder;
  Batches batches;
  const std::size_t large = storage::kMaxPayloadBytes * 2 + 100;
  {
    storage::LogStart start;
    start.history = 5;
    auto log = storage::Log::Open(&folder, {}, start, &batches);
    ASSERT_TRUE(log.ok());
    EXPECT_EQ((*log)->Append("small"), 1U);
    EXPECT_EQ((*log)->Append(std::string(large, 'x')), 4U);
    EXPECT_EQ((*log)->Append("after"), 5U);
  }
  const std::string name = storage::SegmentName(1);
  const std::string bytes = folder.Bytes(name);
  const auto recovered = [&](std::size_t size) {
    folder.SetBytes(name, std::string_view(bytes).substr(0, size));
    const Result<storage::Recovery> found = storage::Recover(&folder, &batches, {});
    EXPECT_TRUE(found.ok());
    return found->last;
  };
  EXPECT_EQ(recovered(bytes.size()), 5U);
  EXPECT_EQ(batches.sizes, (std::vector<std::size_t>{5, large, 5}));
  const std::size_t after = storage::FrameBytes(5);
  EXPECT_EQ(recovered(bytes.size() - after), 4U);
  for (const std::size_t cut : {after + 1, after + 200, after + storage::kMaxPayloadBytes,
                                after + storage::kMaxPayloadBytes * 2}) {
    EXPECT_EQ(recovered(bytes.size() - cut), 1U) << cut;
    EXPECT_EQ(batches.sizes, std::vector<std::size_t>{5}) << cut;
  }
}

}  // namespace
}  // namespace laurel::testing
