#include "tests/storage/feed_rig.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/assert.h"
#include "base/bytes.h"

namespace laurel::testing {
namespace {

constexpr std::uint64_t kHistory = 0x1234'5678'9abc'def0;
constexpr std::uint64_t kMostPages = 1'000'000;

bool HasAny(const Tags& tags, const Tags& wanted) {
  return std::any_of(tags.begin(), tags.end(), [&](std::uint64_t tag) {
    return std::find(wanted.begin(), wanted.end(), tag) != wanted.end();
  });
}

}  // namespace

std::string TaggedPayload(const Tags& tags, std::size_t filler_bytes, std::uint64_t salt) {
  std::string payload(1 + tags.size() * sizeof(std::uint64_t), '\0');
  payload[0] = static_cast<char>(tags.size());
  for (std::size_t i = 0; i < tags.size(); ++i) {
    base::Store(&payload[1 + i * sizeof(std::uint64_t)], tags[i]);
  }
  payload += std::to_string(salt);
  payload.append(filler_bytes, static_cast<char>('a' + salt % 26));
  return payload;
}

void ReadTags(std::string_view payload, Tags* tags) {
  const auto count = static_cast<std::size_t>(payload[0]);
  for (std::size_t i = 0; i < count; ++i) {
    tags->push_back(base::Load<std::uint64_t>(&payload[1 + i * sizeof(std::uint64_t)]));
  }
}

FeedRig::FeedRig(std::uint64_t segment_bytes) {
  options_.sync = storage::SyncMode::kOff;
  options_.segment_bytes = segment_bytes;
  options_.fill_bytes = 16 << 10;
  folder_.before_call = [this](const Call& call) {
    if (call.kind == CallKind::kWrite && writes_fail_) {
      folder_.FailCall(call.number, Fault::kError);
    }
    if (call.kind == CallKind::kRead && call.name.starts_with("log-")) {
      (call.name.ends_with(".idx") ? index_bytes_read_ : segment_bytes_read_) += call.bytes;
    }
  };
  Open({}, 1);
}

FeedRig::~FeedRig() { log_.reset(); }

void FeedRig::Open(std::vector<storage::Segment> segments, std::uint64_t next) {
  storage::LogStart start;
  start.history = kHistory;
  start.epoch = epoch_ = storage::NextEpoch(epoch_, next * 77);
  start.next = next;
  start.segments = std::move(segments);
  Result<std::unique_ptr<storage::Log>> log = storage::Log::Open(&folder_, options_, start, this);
  LAUREL_ASSERT(log.ok());
  log_ = std::move(*log);
}

std::uint64_t FeedRig::Append(const Tags& tags, std::size_t filler_bytes) {
  std::string payload = TaggedPayload(tags, filler_bytes, log_->appended());
  const std::uint64_t number = log_->Append(payload);
  unsynced_bytes_ += payload.size();
  batches_.push_back({{epoch_, number}, tags, std::move(payload)});
  // Records that are written at once go into one segment, so write often.
  if (unsynced_bytes_ > options_.segment_bytes / 4) Sync();
  return number;
}

void FeedRig::Sync() {
  EXPECT_TRUE(log_->SyncThrough(log_->appended()).ok());
  while (log_->segments().back().bytes >= options_.segment_bytes) std::this_thread::yield();
  unsynced_bytes_ = 0;
}

void FeedRig::Restart() {
  Sync();
  const std::uint64_t next = log_->appended() + 1;
  std::vector<storage::Segment> segments = log_->segments();
  log_.reset();
  // As a start of the server does, replaces a segment that holds no record.
  if (segments.back().first == next) {
    EXPECT_TRUE(folder_.Remove(storage::SegmentName(next)).ok());
    segments.pop_back();
  }
  Open(std::move(segments), next);
}

void FeedRig::FailAndMend(const Tags& lost) {
  Sync();
  writes_fail_ = true;
  const std::uint64_t number = log_->Append(TaggedPayload(lost, 10, 0));
  EXPECT_FALSE(log_->SyncThrough(number).ok());
  writes_fail_ = false;
  EXPECT_TRUE(log_->Mend(number).ok());
}

void FeedRig::DropThrough(std::uint64_t number) {
  EXPECT_TRUE(log_->DropThrough(number).ok());
  const std::uint64_t first = log_->segments()[0].first;
  std::erase_if(batches_, [&](const Batch& batch) { return batch.place.number < first; });
}

std::unique_ptr<storage::FeedReader> FeedRig::NewReader(const storage::FeedOptions& options) {
  return std::make_unique<storage::FeedReader>(&folder_, log_.get(), ReadTags, options);
}

FeedRig::Reading FeedRig::ReadAll(storage::FeedReader* reader, const Tags& tags,
                                  storage::FeedPosition from,
                                  const storage::FeedLimits& limits) const {
  using State = storage::FeedPage::State;
  const std::uint64_t durable = log_->durable();
  Reading reading;
  reading.next = from;
  while (reading.pages < kMostPages) {
    Result<storage::FeedPage> page = reader->Read(tags, reading.next, durable, limits);
    ++reading.pages;
    if (!page.ok()) {
      reading.error = page.error().message;
      return reading;
    }
    std::size_t bytes = 0;
    for (storage::FeedBatch& batch : page->batches) {
      bytes += batch.payload.size();
      reading.batches.push_back(std::move(batch));
    }
    EXPECT_LE(page->batches.size(), limits.batches);
    EXPECT_TRUE(bytes <= limits.bytes || page->batches.size() == 1);
    reading.next = page->next;
    reading.gap = page->state == State::kGap;
    EXPECT_FALSE(reading.gap && !page->batches.empty());
    if (reading.gap || page->at_end) return reading;
    EXPECT_EQ(page->state == State::kMore, page->batches.empty());
  }
  reading.error = "it does not come to an end";
  return reading;
}

std::vector<storage::FeedBatch> FeedRig::ReadBack(storage::FeedReader* reader, const Tags& tags,
                                                  std::uint64_t through, std::uint64_t durable,
                                                  const storage::FeedLimits& limits) {
  std::vector<storage::FeedBatch> batches;
  for (std::uint64_t pages = 0; pages < kMostPages; ++pages) {
    Result<storage::FeedBackPage> page = reader->ReadBack(tags, through, durable, limits);
    if (!page.ok()) {
      ADD_FAILURE() << page.error().message;
      return {};
    }
    for (storage::FeedBatch& batch : page->batches) batches.push_back(std::move(batch));
    EXPECT_LE(page->next, through);
    through = page->next;
    if (!page->at_start) continue;
    std::reverse(batches.begin(), batches.end());
    return batches;
  }
  ADD_FAILURE() << "it does not come to an end";
  return {};
}

std::vector<const FeedRig::Batch*> FeedRig::Expected(const Tags& tags, std::uint64_t number) const {
  std::vector<const Batch*> expected;
  for (const Batch& batch : batches_) {
    if (batch.place.number <= number || batch.place.number > log_->durable()) continue;
    if (HasAny(batch.tags, tags)) expected.push_back(&batch);
  }
  return expected;
}

void FeedRig::ExpectAll(const Reading& reading, const Tags& tags, std::uint64_t number) const {
  ASSERT_EQ(reading.error, "");
  ASSERT_FALSE(reading.gap);
  const std::vector<const Batch*> expected = Expected(tags, number);
  ASSERT_EQ(reading.batches.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(reading.batches[i].number, expected[i]->place.number);
    ASSERT_EQ(reading.batches[i].epoch, expected[i]->place.epoch);
    ASSERT_TRUE(reading.batches[i].payload == expected[i]->payload);
  }
  // Its epoch is that of the segment before while the newest one is empty, so only the number is
  // compared.
  EXPECT_EQ(reading.next.number, log_->durable());
}

}  // namespace laurel::testing
