// A log of tagged batches on a simulated disk, and the result of a full scan to compare with.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "storage/feed_reader.h"
#include "storage/log.h"
#include "tests/storage/simulated_files.h"

namespace laurel::testing {

using Tags = std::vector<std::uint64_t>;

// Makes a payload that begins with its tags.
std::string TaggedPayload(const Tags& tags, std::size_t filler_bytes, std::uint64_t salt);
void ReadTags(std::string_view payload, Tags* tags);

class FeedRig : private storage::Log::Listener {
 public:
  struct Batch {
    storage::FeedPosition place;
    Tags tags;
    std::string payload;
  };

  // What was read, page by page, up to the end or a gap.
  struct Reading {
    std::vector<storage::FeedBatch> batches;
    storage::FeedPosition next;
    bool gap = false;
    std::string error;
    std::uint64_t pages = 0;
  };

  explicit FeedRig(std::uint64_t segment_bytes);
  ~FeedRig() override;

  std::uint64_t Append(const Tags& tags, std::size_t filler_bytes);
  // Makes everything durable, and waits until a segment that is large enough has ended.
  void Sync();
  // Closes the log and opens it again, in a new epoch.
  void Restart();
  // Appends a batch whose write fails. Then mends the log, which continues after the lost batch as
  // it does after a snapshot of everything.
  void FailAndMend(const Tags& lost);
  void DropThrough(std::uint64_t number);
  std::unique_ptr<storage::FeedReader> NewReader(const storage::FeedOptions& options = {});

  // Reads pages from `from` on, through the records that are durable now.
  Reading ReadAll(storage::FeedReader* reader, const Tags& tags, storage::FeedPosition from,
                  const storage::FeedLimits& limits = {}) const;
  // Reads back from record `through` until the reader says that there is no more, and returns the
  // batches in the order of the log.
  static std::vector<storage::FeedBatch> ReadBack(storage::FeedReader* reader, const Tags& tags,
                                                  std::uint64_t through, std::uint64_t durable,
                                                  const storage::FeedLimits& limits = {});
  // Returns the batches that ReadAll should find after `number`, by a scan of all batches.
  [[nodiscard]] std::vector<const Batch*> Expected(const Tags& tags, std::uint64_t number) const;
  // Fails the test unless `reading` holds the expected batches and reaches the end of the log.
  void ExpectAll(const Reading& reading, const Tags& tags, std::uint64_t number) const;

  SimulatedFolder& folder() { return folder_; }
  storage::Log& log() { return *log_; }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  // The batches that were not lost or dropped.
  [[nodiscard]] const std::vector<Batch>& batches() const { return batches_; }
  // Bytes requested from segment files, and from index files.
  [[nodiscard]] std::uint64_t segment_bytes_read() const { return segment_bytes_read_; }
  [[nodiscard]] std::uint64_t index_bytes_read() const { return index_bytes_read_; }

 private:
  void OnDurable(std::uint64_t) override {}
  [[nodiscard]] std::size_t CountWaiting() const override { return 0; }
  void OnBroken(const Error&) override {}
  void Open(std::vector<storage::Segment> segments, std::uint64_t next);

  SimulatedFolder folder_;
  storage::LogOptions options_;
  std::atomic<bool> writes_fail_ = false;
  std::atomic<std::uint64_t> segment_bytes_read_ = 0;
  std::atomic<std::uint64_t> index_bytes_read_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t unsynced_bytes_ = 0;
  std::unique_ptr<storage::Log> log_;
  std::vector<Batch> batches_;
};

}  // namespace laurel::testing
