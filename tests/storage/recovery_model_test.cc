// Snapshots, log and recovery, with random operations between the slices of a snapshot: the
// recovered state is the live state. Each rule is needed: with any one of them broken, it is not.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
// LAUREL_TEST_OPS    a two-hundredth of it is the number of recoveries (default 200,000)
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "engine/disk/restorer.h"
#include "engine/disk/snapshot_walk.h"
#include "engine/journal/journal.h"
#include "storage/log.h"
#include "storage/recovery.h"
#include "storage/snapshot.h"
#include "tests/storage/boards_world.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

using engine::Keyspace;
using engine::NamedBoard;

constexpr std::uint64_t kOperationsPerRecovery = 200;
constexpr std::uint64_t kMostBrokenRounds = 2000;  // in which a broken rule must be noticed

// Produces all boards as effects, in slices.
class Slices {
 public:
  virtual ~Slices() = default;
  virtual bool Next(std::size_t budget, std::string* effects) = 0;
};

class WalkedSlices : public Slices {
 public:
  explicit WalkedSlices(Keyspace* keys) : walk_(keys) {}

  bool Next(std::size_t budget, std::string* effects) override {
    std::vector<std::size_t> ends;
    return walk_.Next(budget, effects, &ends);
  }

 private:
  engine::SnapshotWalk walk_;
};

// Broken: walks boards in the order of their hashes, and puts whole boards into a slice.
class HashOrderSlices : public Slices {
 public:
  explicit HashOrderSlices(Keyspace* keys) : keys_(keys) {}

  bool Next(std::size_t budget, std::string* effects) override {
    cursor_ = keys_->Scan(cursor_, 1 + budget / 10, [&](const NamedBoard& named) {
      engine::LogWriter writer(effects);
      writer.Create(named.id, named.name, named.spec());
      if (named.expires_at_ms != 0) writer.Expiry(named.expires_at_ms);
      engine::Leaderboard::WalkCursor cursor;
      while (named.board.Walk(&cursor, 100, &writer.effects())) {
      }
    });
    return cursor_ != 0;
  }

 private:
  Keyspace* keys_;
  std::uint64_t cursor_ = 0;
};

// What a variant of the test does differently. By default no rule is broken.
struct Variant {
  bool quiet = false;  // nothing changes while the snapshot is taken
  bool hash_order = false;
  bool log_is_durable_through_the_end = true;
  std::function<std::unique_ptr<engine::Restorer>(Keyspace*)> replayer;
};

class NoListener : public storage::Log::Listener {
 public:
  void OnDurable(std::uint64_t /*number*/) override {}
  [[nodiscard]] std::size_t CountWaiting() const override { return 0; }
  void OnBroken(const Error& /*error*/) override {}
};

class Model {
 public:
  explicit Model(std::uint64_t seed) : world_(seed), random_(seed + 1) {
    storage::LogOptions options;
    options.sync = storage::SyncMode::kOff;  // durable only where the rules require it
    options.segment_bytes = 8 << 10;
    options.fill_bytes = 1 << 10;
    storage::LogStart start;
    start.history = kHistory;
    auto opened = storage::Log::Open(&folder_, options, start, &listener_);
    log_ = std::move(*opened);
    for (int i = 0; i < 100; ++i) Step();
    Append();
  }

  // Takes a snapshot while boards change, loses power, and returns how the recovered state differs.
  // Empty if it does not.
  std::string Round(const Variant& variant) {
    Steps(20);
    Append();
    const std::uint64_t started_at = log_->appended();
    auto writer = storage::SnapshotWriter::Begin(&folder_, kHistory, 1, started_at);
    EXPECT_TRUE(writer.ok());
    const std::uint64_t steps = variant.quiet ? 0 : random_.Below(8);
    std::unique_ptr<Slices> slices;
    if (variant.hash_order) {
      slices = std::make_unique<HashOrderSlices>(&world_.keys());
    } else {
      slices = std::make_unique<WalkedSlices>(&world_.keys());
    }
    bool first = true;
    for (bool more = true; more;) {
      std::string effects;
      if (first) AppendTemplates(&effects);
      first = false;
      more = slices->Next(1 + random_.Below(30), &effects);
      EXPECT_TRUE((*writer)->Add(effects).ok());
      if (more) Steps(steps);
      if (random_.OneIn(2)) Append();
    }
    Append();
    storage::Footer footer;
    footer.started_at = started_at;
    footer.ended_at = log_->appended();
    footer.next_board = world_.keys().catalog().next_id();
    footer.last_stamp = appended_stamp_;
    EXPECT_TRUE((*writer)->Finish(footer).ok());
    const std::string at_end = Describe(world_.keys());
    if (variant.log_is_durable_through_the_end) {
      EXPECT_TRUE(log_->SyncThrough(footer.ended_at).ok());
    }
    EXPECT_TRUE((*writer)->Publish().ok());
    std::string difference = Compare(variant, at_end, false);
    Steps(random_.Below(10));
    Append();
    if (difference.empty()) difference = Compare(variant, Describe(world_.keys()), true);
    DropOld(footer);
    return difference;
  }

 private:
  static constexpr std::uint64_t kHistory = 77;

  void Step() { world_.Step(); }
  void Steps(std::uint64_t most) {
    for (std::uint64_t i = random_.Below(most + 1); i > 0; --i) {
      Step();
      if (random_.OneIn(3)) Append();
    }
  }
  void Append() {
    engine::Journal& journal = world_.keys().journal();
    if (journal.empty()) return;
    appended_stamp_ = world_.stamp();
    log_->Append(journal.Finish(appended_stamp_));
    journal.Reset();
    world_.keys().SetLogPosition({1, log_->appended()});
  }

  void AppendTemplates(std::string* effects) { engine::WriteTemplates(world_.keys(), effects); }

  // Loses power now, or kills the process when all is written. Returns how the recovered state
  // differs from `expected`.
  std::string Compare(const Variant& variant, const std::string& expected, bool all_written) {
    std::unique_ptr<SimulatedFolder> left;
    if (all_written) {
      EXPECT_TRUE(log_->SyncThrough(log_->appended()).ok());
      left = folder_.CrashKillOnly();
    } else {
      left = folder_.Crash(&random_, {.survivors = CrashOptions::Survivors::kNone});
    }
    Keyspace keys(base::SystemMemory(), 99, TinyShape());
    const std::unique_ptr<engine::Restorer> restorer =
        variant.replayer ? variant.replayer(&keys) : std::make_unique<engine::Restorer>(&keys);
    const Result<storage::Recovery> found = storage::Recover(left.get(), restorer.get(), {});
    if (!found.ok()) {
      if (keys.catalog().restoring()) keys.catalog().AbandonRestore();
      return found.error().message;
    }
    if (const Status finished = restorer->Finish(); !finished.ok()) {
      keys.catalog().AbandonRestore();
      return finished.error().message;
    }
    if (all_written && restorer->last_stamp() != appended_stamp_) return "another stamp";
    for (const NamedBoard* named = keys.catalog().FirstById(); named != nullptr;
         named = engine::Catalog::NextById(named)) {
      if (!named->is_leaderboard()) continue;
      if (std::string broken = named->board.Validate(); !broken.empty()) return broken;
    }
    const std::string actual = Describe(keys);
    return actual == expected ? "" : "expected:\n" + expected + "found:\n" + actual;
  }

  void DropOld(const storage::Footer& footer) {
    const std::vector<std::string> names = *folder_.List();
    for (const std::string& name : names) {
      const auto number = storage::NumberOfName(storage::FileKind::kSnapshot, name);
      if (!number || *number >= footer.ended_at) continue;
      EXPECT_TRUE(folder_.Remove(name).ok());
    }
    EXPECT_TRUE(log_->DropThrough(footer.started_at).ok());
  }

  RandomBoards world_;
  base::Random random_;
  SimulatedFolder folder_;
  NoListener listener_;
  std::unique_ptr<storage::Log> log_;
  Stamp appended_stamp_ = 0;
};

// Runs rounds until one finds a difference.
bool IsNoticed(const Variant& variant) {
  const std::uint64_t seed = TestSeed();
  Model model(seed);
  for (std::uint64_t round = 0; round < kMostBrokenRounds; ++round) {
    if (!model.Round(variant).empty()) {
      std::printf("noticed in round %llu\n", static_cast<unsigned long long>(round));
      return true;
    }
  }
  return false;
}

TEST(RecoveryModel, TheRecoveredStateIsTheLiveState) {
  Model model(TestSeed());
  const std::uint64_t rounds = TestOperations() / kOperationsPerRecovery;
  for (std::uint64_t round = 0; round < rounds / 2; ++round) {
    ASSERT_EQ(model.Round({}), "") << "round " << round;
  }
}

// Broken: does not replay the changes that were made while the snapshot was taken.
class FromEndRestorer : public engine::Restorer {
 public:
  using Restorer::Restorer;
  Status OnBatch(std::uint64_t number, std::string_view effects, bool lenient) override {
    return lenient ? Status(Ok{}) : Restorer::OnBatch(number, effects, lenient);
  }
};

TEST(RecoveryModel, NoticesAReplayFromTheEndOfTheSnapshot) {
  Variant variant;
  variant.replayer = [](Keyspace* keys) { return std::make_unique<FromEndRestorer>(keys); };
  EXPECT_TRUE(IsNoticed(variant));
}

TEST(RecoveryModel, NoticesAWalkInTheOrderOfHashes) {
  Variant variant;
  variant.hash_order = true;
  EXPECT_TRUE(IsNoticed(variant));
}

TEST(RecoveryModel, NoticesALogThatIsNotDurableThroughTheEndOfTheSnapshot) {
  Variant variant;
  variant.log_is_durable_through_the_end = false;
  EXPECT_TRUE(IsNoticed(variant));
}

// The variants break only their rule: if nothing changes during a snapshot, all of them are right.
TEST(RecoveryModel, BrokenRulesDoNoHarmWhileNothingChanges) {
  Variant from_end;
  from_end.replayer = [](Keyspace* keys) { return std::make_unique<FromEndRestorer>(keys); };
  Variant hash_order;
  hash_order.hash_order = true;
  Model model(TestSeed());
  for (int round = 0; round < 100; ++round) {
    for (Variant* variant : {&from_end, &hash_order}) {
      variant->quiet = true;
      ASSERT_EQ(model.Round(*variant), "") << "round " << round;
    }
  }
}

}  // namespace
}  // namespace laurel::testing
