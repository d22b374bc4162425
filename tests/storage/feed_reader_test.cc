// Reading the log by subject, forward and back, returns the same as a scan of every batch, from
// every place, at a cost that does not depend on what was written about other boards.
//
// LAUREL_TEST_SEED   the seed of the random tests; random if not set, and printed
#include "storage/feed_reader.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/storage/feed_rig.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

using storage::FeedLimits;
using storage::FeedOptions;
using storage::FeedPage;
using storage::FeedPosition;
using storage::FeedReader;

constexpr std::uint64_t kBoards = 40;
constexpr FeedPosition kOldest{};

// Some boards are busy, most are not.
Tags SomeTags(base::Random* random) {
  Tags tags;
  for (std::uint64_t count = 1 + random->Below(3); count > 0; --count) {
    tags.push_back(random->OneIn(3) ? random->Below(kBoards) : random->Below(3));
  }
  return tags;
}

std::size_t SomeFiller(base::Random* random) {
  if (random->OneIn(200)) return 1'100'000 + random->Below(2'000'000);  // several records
  return random->OneIn(10) ? random->Below(20'000) : random->Below(300);
}

FeedOptions SomeOptions(base::Random* random) {
  FeedOptions options;
  options.slice_bytes = 1 + random->Below(200'000);
  options.cached_indexes = 1 + random->Below(4);
  return options;
}

FeedLimits SomeLimits(base::Random* random) {
  if (random->OneIn(3)) return {};
  return {1 + random->Below(50'000), 1 + random->Below(50)};
}

// A place that a reader may have got: before a segment, or after any batch.
FeedPosition SomePlace(FeedRig* rig, FeedReader* reader, base::Random* random) {
  if (rig->batches().empty() || random->OneIn(8)) return kOldest;
  if (random->OneIn(8)) return *reader->Oldest();
  if (random->OneIn(8)) return *reader->End(rig->log().durable());
  const FeedPosition place = rig->batches()[random->Below(rig->batches().size())].place;
  return place.number <= rig->log().durable() ? place : kOldest;
}

TEST(FeedReader, AnyBoardFromAnyPlaceGivesTheSameAsAFullScan) {
  base::Random random(TestSeed());
  for (int episode = 0; episode < 6; ++episode) {
    FeedRig rig(20'000 + random.Below(300'000));
    std::unique_ptr<FeedReader> reader = rig.NewReader(SomeOptions(&random));
    for (int step = 0; step < 250; ++step) {
      for (std::uint64_t i = random.Below(20); i > 0; --i) {
        rig.Append(SomeTags(&random), SomeFiller(&random));
      }
      if (random.OneIn(2)) rig.Sync();
      if (random.OneIn(40)) {
        rig.Restart();
        reader = rig.NewReader(SomeOptions(&random));
      }
      if (random.OneIn(40)) reader = rig.NewReader(SomeOptions(&random));
      if (random.OneIn(30)) rig.DropThrough(random.Below(rig.log().durable() + 1));
      Tags tags{random.Below(kBoards + 2)};
      if (random.OneIn(3)) tags.push_back(random.Below(kBoards));
      // Only batches that are durable when the reading begins are compared.
      rig.Sync();
      const FeedPosition from = SomePlace(&rig, reader.get(), &random);
      rig.ExpectAll(rig.ReadAll(reader.get(), tags, from, SomeLimits(&random)), tags, from.number);
      if (HasFatalFailure()) FAIL() << "episode " << episode << " step " << step;
    }
  }
}

// Compares a read back from `through` with the batches that a forward read finds.
void ExpectBack(FeedRig* rig, FeedReader* reader, const Tags& tags, std::uint64_t through,
                const FeedLimits& limits) {
  const std::vector<storage::FeedBatch> found =
      FeedRig::ReadBack(reader, tags, through, rig->log().durable(), limits);
  std::vector<const FeedRig::Batch*> expected = rig->Expected(tags, 0);
  std::erase_if(expected, [&](const auto* batch) { return batch->place.number > through; });
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ((FeedPosition{found[i].epoch, found[i].number}), expected[i]->place);
    ASSERT_TRUE(found[i].payload == expected[i]->payload);
  }
}

TEST(FeedReader, AnyBoardReadBackFromAnyBatchGivesTheSameAsAFullScan) {
  base::Random random(TestSeed());
  for (int episode = 0; episode < 6; ++episode) {
    FeedRig rig(20'000 + random.Below(300'000));
    std::unique_ptr<FeedReader> reader = rig.NewReader(SomeOptions(&random));
    for (int step = 0; step < 150; ++step) {
      for (std::uint64_t i = random.Below(20); i > 0; --i) {
        rig.Append(SomeTags(&random), SomeFiller(&random));
      }
      const bool restarts = random.OneIn(40);
      if (restarts) rig.Restart();
      if (restarts || random.OneIn(20)) reader = rig.NewReader(SomeOptions(&random));
      if (random.OneIn(30)) rig.DropThrough(random.Below(rig.log().durable() + 1));
      Tags tags{random.Below(kBoards + 2)};
      if (random.OneIn(3)) tags.push_back(random.Below(kBoards));
      rig.Sync();
      std::uint64_t through = rig.log().durable();
      if (!rig.batches().empty() && random.OneIn(2)) {
        through = rig.batches()[random.Below(rig.batches().size())].place.number;
      }
      ExpectBack(&rig, reader.get(), tags, through, SomeLimits(&random));
      if (HasFailure()) FAIL() << "episode " << episode << " step " << step;
    }
  }
}

TEST(FeedReader, BatchesAppendedWhileReadingAreReadOnceAndInOrder) {
  base::Random random(TestSeed());
  FeedRig rig(100'000);
  const std::unique_ptr<FeedReader> reader = rig.NewReader({1, 30'000, 2});
  std::atomic<bool> done = false;
  std::thread writer([&rig, &done, seed = random.Next()] {
    base::Random own(seed);
    for (int i = 0; i < 20'000; ++i) {
      rig.Append(SomeTags(&own), own.Below(200));
      if (own.OneIn(100)) rig.Sync();
    }
    rig.Sync();
    done = true;
  });
  FeedRig::Reading reading;
  reading.next = kOldest;
  bool at_end = false;
  while (!at_end) {
    const bool was_done = done;
    const Result<FeedPage> page =
        reader->Read(Tags{1, 30}, reading.next, rig.log().durable(), {5000, 100});
    if (!page.ok() || page->state == FeedPage::State::kGap) {
      reading.error = page.ok() ? "a gap" : page.error().message;
      break;
    }
    for (const auto& batch : page->batches) reading.batches.push_back(batch);
    reading.next = page->next;
    at_end = was_done && page->at_end;
  }
  writer.join();
  rig.ExpectAll(reading, {1, 30}, 0);
}

TEST(FeedReader, OnlyDurableRecordsAreRead) {
  FeedRig rig(1 << 20);
  for (int i = 0; i < 10; ++i) rig.Append({1}, 100);
  rig.Sync();
  const std::uint64_t durable = rig.log().durable();
  const std::unique_ptr<FeedReader> reader = rig.NewReader();
  // Part of a record, after the durable ones.
  const storage::Segment segment = rig.log().segments().back();
  {
    const auto file =
        rig.folder().Open(storage::SegmentName(segment.first), base::Folder::Mode::kWrite);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->WriteAt(segment.bytes, "LRec and something").ok());
  }
  rig.ExpectAll(rig.ReadAll(reader.get(), {1}, kOldest), {1}, 0);
  // The log overwrites it.
  for (int i = 0; i < 10; ++i) rig.Append({1}, 100);
  const Result<FeedPage> before = reader->Read(Tags{1}, kOldest, durable, {});
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(before->batches.size(), 10U);
  EXPECT_TRUE(before->at_end);
  rig.Sync();
  rig.ExpectAll(rig.ReadAll(reader.get(), {1}, before->next), {1}, durable);
  // Asked for fewer records than it has indexed.
  const Result<FeedPage> less = reader->Read(Tags{1}, kOldest, 4, {});
  ASSERT_TRUE(less.ok());
  EXPECT_EQ(less->batches.size(), 4U);
  EXPECT_TRUE(less->at_end);
  EXPECT_EQ(less->next, (FeedPosition{rig.epoch(), 4}));
}

TEST(FeedReader, ABatchOfSeveralRecordsIsReturnedAsOneWithTheNumberOfItsLastRecord) {
  FeedRig rig(5 << 20);
  rig.Append({1}, 10);
  const std::uint64_t number = rig.Append({1}, 3'500'000);
  EXPECT_EQ(number, 5U);
  rig.Append({2}, 10);
  rig.Append({1}, 3'500'000);
  rig.Append({1}, 10);
  rig.Sync();
  for (const std::uint64_t slice : {std::uint64_t{1}, std::uint64_t{1} << 30}) {
    const std::unique_ptr<FeedReader> reader = rig.NewReader({1, slice, 2});
    rig.ExpectAll(rig.ReadAll(reader.get(), {1}, kOldest, {1, 1}), {1}, 0);
    rig.ExpectAll(rig.ReadAll(reader.get(), {1}, {rig.epoch(), number}), {1}, number);
  }
}

TEST(FeedReader, AQuietBoardCostsOnlyItsBlocks) {
  FeedRig rig(1 << 20);
  for (int i = 0; i < 60'000; ++i) {
    const bool quiet = i % 20'000 == 7'000;
    rig.Append(quiet ? Tags{7777} : Tags{static_cast<std::uint64_t>(i % 1000)}, 60);
  }
  rig.Sync();
  const std::vector<storage::Segment> segments = rig.log().segments();
  ASSERT_GE(segments.size(), 5U);
  {
    const std::unique_ptr<FeedReader> first = rig.NewReader();
    rig.ExpectAll(rig.ReadAll(first.get(), {1}, kOldest), {1}, 0);
  }
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    EXPECT_TRUE(rig.folder().Exists(storage::IndexName(segments[i].first)));
  }
  const std::unique_ptr<FeedReader> reader = rig.NewReader();
  // The index of the newest segment is in memory only: build it first.
  ASSERT_TRUE(reader->Read(Tags{1}, *reader->End(rig.log().durable()), rig.log().durable()).ok());
  const std::uint64_t segments_before = rig.segment_bytes_read();
  const std::uint64_t indexes_before = rig.index_bytes_read();
  rig.ExpectAll(rig.ReadAll(reader.get(), {7777}, kOldest), {7777}, 0);
  const std::uint64_t most =
      3 * (storage::kIndexBlockBytes + 1000) + segments.size() * storage::kFileHeaderBytes;
  EXPECT_LE(rig.segment_bytes_read() - segments_before, most);
  EXPECT_LE(rig.index_bytes_read() - indexes_before, rig.log().figures().bytes / 20);
  // At the end nothing is read.
  const std::uint64_t read = rig.segment_bytes_read() + rig.index_bytes_read();
  ASSERT_TRUE(reader->Read(Tags{1}, *reader->End(rig.log().durable()), rig.log().durable()).ok());
  EXPECT_EQ(rig.segment_bytes_read() + rig.index_bytes_read(), read);
}

TEST(FeedReader, TheLastBatchOfABoardCostsOneBlock) {
  FeedRig rig(1 << 20);
  for (std::uint64_t i = 0; i < 60'000; ++i) rig.Append({i % 1000}, 60);
  rig.Sync();
  const std::uint64_t durable = rig.log().durable();
  const std::unique_ptr<FeedReader> reader = rig.NewReader();
  ASSERT_FALSE(FeedRig::ReadBack(reader.get(), {1}, durable, durable).empty());  // builds the index
  const std::uint64_t before = rig.segment_bytes_read();
  const Result<storage::FeedBackPage> page = reader->ReadBack(Tags{999}, durable, durable, {1, 1});
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->batches.size(), 1U);
  EXPECT_EQ(page->batches[0].number, durable);
  EXPECT_LE(rig.segment_bytes_read() - before, storage::kIndexBlockBytes + 1000);
}

TEST(FeedReader, OneCallReadsBackOnlyASlice) {
  FeedRig rig(2 << 20);
  for (int i = 0; i < 20'000; ++i) rig.Append({1}, 300);
  rig.Sync();
  constexpr std::uint64_t kSlice = 300'000;
  const std::unique_ptr<FeedReader> reader = rig.NewReader({1, kSlice, 2});
  storage::FeedBackPage page;
  page.next = rig.log().durable();
  int calls = 0;
  while (!page.at_start) {
    const std::uint64_t before = rig.segment_bytes_read();
    const Result<storage::FeedBackPage> read =
        reader->ReadBack(Tags{1}, page.next, rig.log().durable());
    ASSERT_TRUE(read.ok());
    EXPECT_LE(rig.segment_bytes_read() - before, 3 * kSlice);
    page = *read;
    ++calls;
  }
  EXPECT_GE(calls, 40);  // twice over the log: the indexes, then the batches
}

TEST(FeedReader, OneCallReadsOnlyASliceOfASegmentThatIsNotIndexedYet) {
  FeedRig rig(2 << 20);
  for (int i = 0; i < 10'000; ++i) rig.Append({1}, 300);
  rig.Sync();
  constexpr std::uint64_t kSlice = 300'000;
  const std::unique_ptr<FeedReader> reader = rig.NewReader({1, kSlice, 2});
  FeedPage page;
  int calls = 0;
  do {
    const std::uint64_t before = rig.segment_bytes_read();
    const Result<FeedPage> read = reader->Read(Tags{5}, page.next, rig.log().durable());
    ASSERT_TRUE(read.ok());
    EXPECT_LE(rig.segment_bytes_read() - before, 3 * kSlice);
    page = *read;
    ++calls;
  } while (page.state == FeedPage::State::kMore);
  EXPECT_GE(calls, 10);
  EXPECT_TRUE(page.at_end);
}

TEST(FeedReader, ReadersOfMoreSegmentsThanAreCachedAllMakeProgress) {
  FeedRig rig(200'000);
  for (int i = 0; i < 10'000; ++i) rig.Append({1}, 150);
  rig.Sync();
  const std::vector<storage::Segment> segments = rig.log().segments();
  ASSERT_GE(segments.size(), 8U);
  const std::unique_ptr<FeedReader> reader = rig.NewReader({1, 50'000, 2});
  std::vector<FeedPosition> places;
  for (const storage::Segment& segment : segments) {
    places.push_back({rig.epoch(), segment.first - 1});
  }
  std::vector<bool> found(places.size());
  for (int round = 0; round < 1000; ++round) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Result<FeedPage> page = reader->Read(Tags{1}, places[i], rig.log().durable(), {1, 1});
      ASSERT_TRUE(page.ok());
      if (!page->batches.empty()) found[i] = true;
    }
    if (std::find(found.begin(), found.end(), false) == found.end()) return;
  }
  FAIL() << "somebody is kept from reading";
}

TEST(FeedReader, APlaceOfAnotherEpochOrBeyondTheEndIsAGap) {
  FeedRig rig(10'000);
  for (int i = 0; i < 100; ++i) rig.Append({1}, 300);
  rig.Sync();
  rig.DropThrough(40);
  const std::uint64_t old_epoch = rig.epoch();
  const std::uint64_t old_end = rig.log().durable();
  rig.Restart();
  for (int i = 0; i < 100; ++i) rig.Append({1}, 300);
  rig.Sync();
  const std::unique_ptr<FeedReader> reader = rig.NewReader();
  const FeedPosition oldest = *reader->Oldest();
  EXPECT_EQ(oldest, (FeedPosition{old_epoch, rig.batches()[0].place.number - 1}));
  for (const FeedPosition place :
       {FeedPosition{old_epoch, oldest.number - 1}, FeedPosition{old_epoch, 0}, FeedPosition{0, 60},
        FeedPosition{rig.epoch(), 60}, FeedPosition{old_epoch, old_end + 1},
        FeedPosition{rig.epoch(), rig.log().durable() + 1}, FeedPosition{rig.epoch(), UINT64_MAX},
        FeedPosition{old_epoch + 1, oldest.number}, FeedPosition{rig.epoch() + 1, old_end}}) {
    const Result<FeedPage> page = reader->Read(Tags{1}, place, rig.log().durable());
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->state, FeedPage::State::kGap) << place.epoch << " " << place.number;
    EXPECT_EQ(page->next, oldest);
  }
  for (const FeedPosition place :
       {oldest, FeedPosition{old_epoch, 60}, FeedPosition{old_epoch, old_end},
        FeedPosition{rig.epoch(), old_end}, FeedPosition{rig.epoch(), 150}}) {
    rig.ExpectAll(rig.ReadAll(reader.get(), {1}, place), {1}, place.number);
  }
}

TEST(FeedReader, ADroppedSegmentTakesItsIndexWithItAndLeavesAGap) {
  FeedRig rig(20'000);
  for (int i = 0; i < 300; ++i) rig.Append({1}, 300);
  rig.Sync();
  const std::unique_ptr<FeedReader> reader = rig.NewReader();
  const FeedPosition early = rig.batches()[3].place;
  rig.ExpectAll(rig.ReadAll(reader.get(), {1}, early), {1}, early.number);
  const std::uint64_t first = rig.log().segments()[0].first;
  ASSERT_TRUE(rig.folder().Exists(storage::IndexName(first)));
  rig.DropThrough(rig.log().segments()[2].first - 1);
  EXPECT_FALSE(rig.folder().Exists(storage::IndexName(first)));
  const FeedRig::Reading reading = rig.ReadAll(reader.get(), {1}, early);
  EXPECT_TRUE(reading.gap);
  EXPECT_EQ(reading.next, *reader->Oldest());
  rig.ExpectAll(rig.ReadAll(reader.get(), {1}, reading.next), {1}, reading.next.number);
}

TEST(FeedReader, AMissingSegmentFileIsAGap) {
  FeedRig rig(20'000);
  for (int i = 0; i < 300; ++i) rig.Append({1}, 300);
  rig.Sync();
  const std::vector<storage::Segment> segments = rig.log().segments();
  ASSERT_TRUE(rig.folder().Remove(storage::SegmentName(segments[1].first)).ok());
  const std::unique_ptr<FeedReader> reader = rig.NewReader();
  const FeedRig::Reading reading = rig.ReadAll(reader.get(), {1}, kOldest);
  EXPECT_EQ(reading.error, "");
  EXPECT_TRUE(reading.gap);
  EXPECT_EQ(reading.batches.size(), segments[1].first - 1);
  EXPECT_EQ(reading.next, (FeedPosition{rig.epoch(), segments[2].first - 1}));
  rig.ExpectAll(rig.ReadAll(reader.get(), {1}, reading.next), {1}, reading.next.number);
  const std::uint64_t durable = rig.log().durable();
  const auto back = FeedRig::ReadBack(reader.get(), {1}, durable, durable);
  ASSERT_EQ(back.size(), durable - reading.next.number);
  EXPECT_EQ(back[0].number, segments[2].first);
}

TEST(FeedReader, LostRecordsAreAGapThatEndsAfterThem) {
  FeedRig rig(1 << 20);
  for (int i = 0; i < 50; ++i) rig.Append({1}, 300);
  rig.Sync();
  const std::unique_ptr<FeedReader> reader = rig.NewReader();
  const FeedPosition before = *reader->End(rig.log().durable());
  rig.ExpectAll(rig.ReadAll(reader.get(), {1}, kOldest), {1}, 0);
  rig.FailAndMend({1});
  for (int round = 0; round < 2; ++round) {
    for (const FeedPosition from : {kOldest, FeedPosition{rig.epoch(), 20}, before}) {
      const FeedRig::Reading reading = rig.ReadAll(reader.get(), {1}, from);
      EXPECT_EQ(reading.error, "");
      EXPECT_TRUE(reading.gap);
      EXPECT_EQ(reading.batches.size(), 50 - from.number);
      EXPECT_EQ(reading.next, (FeedPosition{rig.epoch(), 51}));
      rig.ExpectAll(rig.ReadAll(reader.get(), {1}, reading.next), {1}, 51);
    }
    // A read back does not go beyond them.
    const std::uint64_t durable = rig.log().durable();
    EXPECT_EQ(FeedRig::ReadBack(reader.get(), {1}, durable, durable).size(), durable - 51);
    EXPECT_EQ(FeedRig::ReadBack(reader.get(), {1}, 50, durable).size(), 50U);
    for (int i = 0; i < 50; ++i) rig.Append({1}, 300);
    rig.Sync();
  }
  EXPECT_FALSE(rig.folder().Exists(storage::IndexName(1)));
}

}  // namespace
}  // namespace laurel::testing
