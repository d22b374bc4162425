// Damaged indexes and segments: the reader returns no wrong batch, and skips none without a gap.
#include <algorithm>

#include <gtest/gtest.h>

#include "storage/feed_reader.h"
#include "storage/inspection.h"
#include "storage/recovery.h"
#include "tests/storage/feed_rig.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

using storage::FeedPosition;
using storage::FeedReader;
using storage::IndexName;
using storage::SegmentName;

constexpr FeedPosition kOldest{};

struct Place {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  bool is_sync_mark = false;
};

// Returns the frames of a whole segment.
std::vector<Place> FramesOf(std::string_view segment) {
  const auto header = storage::ParseFileHeader(segment, storage::FileKind::kLog);
  const storage::FrameFormat format(storage::FileKind::kLog, header.value().history);
  std::vector<Place> frames;
  for (std::size_t at = storage::kFileHeaderBytes;;) {
    const auto frame = format.Parse(segment.substr(at));
    if (!frame) return frames;
    frames.push_back({at, frame->bytes(), frame->Has(storage::kSyncMark)});
    at += frame->bytes();
  }
}

// A log of several segments with saved indexes.
class FeedDamage : public ::testing::Test {
 protected:
  FeedDamage() {
    for (std::uint64_t i = 0; i < 1000; ++i) rig_.Append({i % 7, 100 + i % 50}, 200);
    rig_.Sync();
    ReadOnce();
    segments_ = rig_.log().segments();
    EXPECT_GE(segments_.size(), 4U);
  }

  void ReadOnce() {
    const std::unique_ptr<FeedReader> reader = rig_.NewReader();
    for (const Tags& tags : {Tags{3}, Tags{120}, Tags{2, 149}}) {
      rig_.ExpectAll(rig_.ReadAll(reader.get(), tags, kOldest), tags, 0);
    }
  }

  void DamageARecordOf(const storage::Segment& segment) {
    const std::string name = SegmentName(segment.first);
    std::string bytes = rig_.folder().Bytes(name);
    const std::vector<Place> frames = FramesOf(bytes);
    const auto record =
        std::find_if(frames.begin() + static_cast<std::ptrdiff_t>(frames.size() / 2), frames.end(),
                     [](const Place& frame) { return !frame.is_sync_mark; });
    ASSERT_NE(record, frames.end());
    bytes[record->offset + record->bytes / 2] ^= 1;
    // Into the same file, because a reader may have it open.
    const auto file = rig_.folder().Open(name, base::Folder::Mode::kWrite);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->WriteAt(0, bytes).ok());
  }

  FeedRig rig_{50'000};
  std::vector<storage::Segment> segments_;
};

TEST_F(FeedDamage, ADamagedIndexIsRebuilt) {
  base::Random random(TestSeed());
  const std::string name = IndexName(segments_[1].first);
  const std::string good = rig_.folder().Bytes(name);
  const std::string other = rig_.folder().Bytes(IndexName(segments_[2].first));
  std::vector<std::string> bad = {"", "x", other, std::string(good.size(), '\0'), good + "x"};
  for (int i = 0; i < 30; ++i) {
    bad.push_back(good);
    std::string& flipped = bad.back();
    flipped[random.Below(flipped.size())] ^= static_cast<char>(1 << random.Below(8));
    bad.push_back(good.substr(0, random.Below(good.size())));
    std::string noise(random.Below(500), '\0');
    for (char& byte : noise) byte = static_cast<char>(random.Next());
    bad.push_back(noise);
  }
  for (const std::string& bytes : bad) {
    rig_.folder().SetBytes(name, bytes);
    ReadOnce();
    ASSERT_EQ(rig_.folder().Bytes(name), good);
  }
  ASSERT_TRUE(rig_.folder().Remove(name).ok());
  ReadOnce();
  EXPECT_EQ(rig_.folder().Bytes(name), good);
}

TEST_F(FeedDamage, AnIndexOfAnotherSchemeIsRebuilt) {
  const std::string name = IndexName(segments_[1].first);
  const std::string before = rig_.folder().Bytes(name);
  storage::FeedOptions options;
  options.scheme = 2;
  const std::unique_ptr<FeedReader> reader = rig_.NewReader(options);
  rig_.ExpectAll(rig_.ReadAll(reader.get(), {3}, kOldest), {3}, 0);
  EXPECT_NE(rig_.folder().Bytes(name), before);
}

TEST_F(FeedDamage, AnIndexOfPartOfItsSegmentIsRebuilt) {
  const std::string name = IndexName(segments_[1].first);
  const std::string good = rig_.folder().Bytes(name);
  const std::string segment = rig_.folder().Bytes(SegmentName(segments_[1].first));
  const auto header = storage::ParseFileHeader(segment, storage::FileKind::kLog);
  ASSERT_TRUE(header.ok());
  storage::IndexBuilder part(header->first);
  const std::size_t end = storage::kFileHeaderBytes + 320;
  part.Add({storage::kFileHeaderBytes, end, header->first, header->first, {}}, Tags{3});
  rig_.folder().SetBytes(name, part.Encode(*header, storage::FeedOptions{}.scheme));
  ReadOnce();
  EXPECT_EQ(rig_.folder().Bytes(name), good);
}

TEST_F(FeedDamage, ATruncatedSegmentIsAGapEvenForTagsThatAreNotInIt) {
  const auto file = rig_.folder().Open(SegmentName(segments_[1].first), base::Folder::Mode::kWrite);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->Truncate(segments_[1].bytes / 2).ok());
  const std::unique_ptr<FeedReader> reader = rig_.NewReader();
  const FeedRig::Reading reading = rig_.ReadAll(reader.get(), {9999}, kOldest);
  EXPECT_EQ(reading.error, "");
  ASSERT_TRUE(reading.gap);
  EXPECT_EQ(reading.next, (FeedPosition{rig_.epoch(), segments_[2].first - 1}));
}

TEST_F(FeedDamage, LostSyncMarksLoseNoBatch) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    rig_.Append({i % 7}, 200);
    rig_.Sync();  // so that the log writes sync marks
  }
  rig_.Restart();
  rig_.Append({3}, 200);
  rig_.Sync();
  const std::vector<storage::Segment> segments = rig_.log().segments();
  const std::string name = SegmentName(segments[segments.size() - 2].first);
  std::string bytes = rig_.folder().Bytes(name);
  std::size_t sync_marks = 0;
  for (const Place& frame : FramesOf(bytes)) {
    if (!frame.is_sync_mark) continue;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(frame.offset), frame.bytes, '\0');
    ++sync_marks;
  }
  ASSERT_GE(sync_marks, 3U);
  rig_.folder().SetBytes(name, bytes);
  (void)rig_.folder().Remove(IndexName(segments[segments.size() - 2].first));
  ReadOnce();
}

TEST_F(FeedDamage, ADamagedSegmentEndsInAGapWhetherItWasIndexedOrNot) {
  const std::unique_ptr<FeedReader> used = rig_.NewReader();
  rig_.ExpectAll(rig_.ReadAll(used.get(), {3}, kOldest), {3}, 0);
  DamageARecordOf(segments_[1]);
  const std::unique_ptr<FeedReader> fresh = rig_.NewReader();
  for (FeedReader* reader : {used.get(), fresh.get()}) {
    const FeedRig::Reading reading = rig_.ReadAll(reader, {0, 1, 2, 3, 4, 5, 6}, kOldest);
    EXPECT_EQ(reading.error, "");
    ASSERT_TRUE(reading.gap);
    EXPECT_EQ(reading.next, (FeedPosition{rig_.epoch(), segments_[2].first - 1}));
    EXPECT_GT(reading.batches.size(), segments_[1].first);
    EXPECT_LT(reading.batches.size(), segments_[2].first - 1);
    for (std::size_t i = 0; i < reading.batches.size(); ++i) {
      ASSERT_EQ(reading.batches[i].payload, rig_.batches()[i].payload);
    }
    rig_.ExpectAll(rig_.ReadAll(reader, {3}, reading.next), {3}, reading.next.number);
  }
  EXPECT_FALSE(rig_.folder().Exists(IndexName(segments_[1].first)));
}

// A reader that had indexed the segment before still finds the batches after the damage.
TEST_F(FeedDamage, AReadBackEndsAtDamageWhetherTheSegmentWasIndexedOrNot) {
  const std::unique_ptr<FeedReader> used = rig_.NewReader();
  rig_.ExpectAll(rig_.ReadAll(used.get(), {3}, kOldest), {3}, 0);
  DamageARecordOf(segments_[1]);
  const std::uint64_t durable = rig_.log().durable();
  const std::unique_ptr<FeedReader> fresh = rig_.NewReader();
  for (FeedReader* reader : {used.get(), fresh.get(), used.get()}) {
    const auto back = FeedRig::ReadBack(reader, {0, 1, 2, 3, 4, 5, 6}, durable, durable);
    ASSERT_FALSE(back.empty());
    EXPECT_GT(back[0].number, segments_[1].first);
    EXPECT_LE(back[0].number, segments_[2].first);
    EXPECT_EQ(back.size(), durable - back[0].number + 1);
  }
}

TEST_F(FeedDamage, DamageInTheNewestSegmentIsAnErrorAfterTheEarlierBatches) {
  rig_.Append({3}, 100);
  rig_.Sync();
  const storage::Segment newest = rig_.log().segments().back();
  const auto file = rig_.folder().Open(SegmentName(newest.first), base::Folder::Mode::kWrite);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->WriteAt(newest.bytes - 16, "damage").ok());
  const std::unique_ptr<FeedReader> reader = rig_.NewReader();
  const FeedRig::Reading reading = rig_.ReadAll(reader.get(), {3}, kOldest);
  EXPECT_NE(reading.error.find("is damaged at offset"), std::string::npos) << reading.error;
  EXPECT_EQ(reading.batches.size() + rig_.Expected({3}, newest.first - 1).size(),
            rig_.Expected({3}, 0).size());
  EXPECT_EQ(reading.next, (FeedPosition{rig_.epoch(), newest.first - 1}));
}

TEST_F(FeedDamage, AFailedCallIsAnErrorOrHarmlessAndTheNextReadSucceeds) {
  const std::uint64_t before = rig_.folder().calls();
  const std::unique_ptr<FeedReader> measured = rig_.NewReader();
  (void)rig_.ReadAll(measured.get(), {3}, kOldest);
  const std::uint64_t calls = rig_.folder().calls() - before;
  ASSERT_GT(calls, 10U);
  for (std::uint64_t call = 1; call <= calls; ++call) {
    const std::unique_ptr<FeedReader> reader = rig_.NewReader();
    rig_.folder().FailCall(rig_.folder().calls() + call, Fault::kError);
    const FeedRig::Reading reading = rig_.ReadAll(reader.get(), {3}, kOldest);
    EXPECT_FALSE(reading.gap) << call;
    // If an index could not be read, the segment was read instead.
    if (reading.error.empty()) rig_.ExpectAll(reading, {3}, 0);
    rig_.folder().Heal();
    rig_.ExpectAll(rig_.ReadAll(reader.get(), {3}, kOldest), {3}, 0);
  }
}

TEST_F(FeedDamage, OnAFullDiskNoIndexIsSavedAndNoPartOfOneIsLeft) {
  for (const storage::Segment& segment : segments_) {
    (void)rig_.folder().Remove(IndexName(segment.first)).ok();
  }
  rig_.folder().set_capacity(0);
  ReadOnce();
  for (const storage::Segment& segment : segments_) {
    EXPECT_FALSE(rig_.folder().Exists(IndexName(segment.first)));
  }
  EXPECT_FALSE(rig_.folder().Exists(storage::kUnfinishedIndex));
}

class NoReplay : public storage::Replayer {
 public:
  void Reset() override {}
  Status OnSnapshot(std::string_view) override { return Ok{}; }
  Status OnSnapshotEnd(const storage::Footer&) override { return Ok{}; }
  Status OnBatch(std::uint64_t, std::string_view, bool) override { return Ok{}; }
};

TEST_F(FeedDamage, AStartKeepsIndexesOfSegmentsAndRemovesOtherIndexes) {
  const std::unique_ptr<SimulatedFolder> folder = rig_.folder().CrashKillOnly();
  folder->SetBytes(IndexName(999'999), "of no segment");
  folder->SetBytes(storage::kUnfinishedIndex, "interrupted");
  NoReplay replayer;
  Result<storage::Recovery> recovery = storage::Recover(folder.get(), &replayer, {});
  ASSERT_TRUE(recovery.ok());
  EXPECT_TRUE(recovery->warnings.empty());
  ASSERT_TRUE(storage::Tidy(folder.get(), &*recovery).ok());
  EXPECT_FALSE(folder->Exists(IndexName(999'999)));
  EXPECT_FALSE(folder->Exists(storage::kUnfinishedIndex));
  for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
    EXPECT_TRUE(folder->Exists(IndexName(segments_[i].first)));
  }
}

TEST_F(FeedDamage, AnInspectionDoesNotListIndexesAsUnknownFiles) {
  rig_.folder().SetBytes(storage::kUnfinishedIndex, "interrupted");
  rig_.folder().SetBytes("stranger", "");
  const Result<storage::Inspection> inspection = storage::Inspect(&rig_.folder(), {});
  ASSERT_TRUE(inspection.ok());
  EXPECT_EQ(inspection->others, std::vector<std::string>{"stranger"});
  EXPECT_EQ(inspection->segments.size(), segments_.size());
}

}  // namespace
}  // namespace laurel::testing
